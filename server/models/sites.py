"""A site's table: `Site` with its `Theme`, `SiteTopic`s, `Contact`s and `HelpLine`s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words for a person: (language, words) pairs; a language of "" stands for every language."""

    by_language: tuple[tuple[str, str], ...] = ()

    def said_in(self, lang: str) -> str:
        """In that language, or else in the first there is; empty when there are no words at all."""
        words = dict(self.by_language)
        return words.get(lang) or words.get("") or next(iter(words.values()), "")

    def speaks(self, lang: str) -> bool:
        """Whether there are words in that very language, or words for every language."""
        return any(own in ("", lang) for own, _ in self.by_language)


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a person can be asked: at least one of e-mail address, telephone number and http(s) address."""

    label: Phrase
    email: str = ""
    phone: str = ""
    url: str = ""
    hours: Phrase = Phrase()


@dataclass(frozen=True, slots=True)
class HelpLine:
    """Who helps in distress or danger; `says` is a sentence for the visitor who may need it."""

    label: Phrase
    says: Phrase = Phrase()
    phone: str = ""
    url: str = ""
    hours: Phrase = Phrase()


@dataclass(frozen=True, slots=True)
class SiteTopic:
    """One of the classifier's topics as a site presents it: suggested questions, who to ask."""

    name: str
    title: Phrase
    questions: tuple[Phrase, ...] = ()
    contacts: tuple[Contact, ...] = ()


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours (`#rrggbb`) in one scheme: a surface of the site's colour, the text on it, and links."""

    colour: str
    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Logo:
    """An image file, as it is served."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Theme:
    """How a site looks; the palettes' contrasts have been checked. `font` is a CSS font-family list or empty.

    `position` is the corner of the page the button lies in.
    """

    light: Palette
    dark: Palette
    corner_px: int = 14
    font: str = ""
    position: Literal["left", "right"] = "right"
    logo: Logo | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """One web site that Lodge answers for. `key` is its name in addresses, `name` the one for people.

    Only pages of `origins` may embed the widget or call the API from a script. `languages` are those of the
    chat page, the first is the default, none: all there are; `content_language` is that of the site's own
    pages. An empty `strategy` is the server's default.
    """

    key: str
    name: str
    theme: Theme
    origins: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    content_language: str = "en"
    contact_url: str = ""
    questions: tuple[Phrase, ...] = ()
    contacts: tuple[Contact, ...] = ()
    topics: tuple[SiteTopic, ...] = ()
    help_lines: tuple[HelpLine, ...] = ()
    strategy: str = ""
    max_question_chars: int = 2000

    @property
    def own_contacts(self) -> tuple[str, ...]:
        """The e-mail addresses and telephone numbers that it says to turn to; they are nobody's secret."""
        contacts = (*self.contacts, *(one for topic in self.topics for one in topic.contacts))
        told = (value for contact in contacts for value in (contact.email, contact.phone))
        return (*told, *(line.phone for line in self.help_lines))

    def topic(self, name: str | None) -> SiteTopic | None:
        """The topic of that name, if the site says anything of it."""
        return next((topic for topic in self.topics if topic.name == name), None)
