"""A site's table: `Site` with its `Theme`, `SiteTopic`s, `Contact`s and `HelpLine`s; and its pages' way in.

`SourcePage` → `Document` (of `Section`s of `Block`s) → `Chunk`; or a `Drop`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from server.models.calendar import CalendarEntry
from server.models.deadlines import Deadline
from server.models.hours import OpeningHours

MAIN = "main"  # the site of whoever names none
# A large host has so many of the largest one's pages.
OF_LARGEST = 0.25


def least_of_large(pages: Mapping[str, int]) -> float:
    """How many pages a large host has at least, beside hosts that have so many."""
    return OF_LARGEST * max(pages.values(), default=0)


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
    """A help line for a crisis; `says` is a sentence for the visitor who may need it."""

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
    pages. An empty `strategy` is the server's default, and so is an empty `timezone`. `withheld` are the
    words of suggested questions that are not shown, since they were not answered rightly when last asked.
    `render` are the paths below which its pages are read as a browser shows them.
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
    timezone: str = ""
    withheld: frozenset[str] = frozenset()
    render: tuple[str, ...] = ()

    @property
    def suggested(self) -> tuple[tuple[str, str], ...]:
        """All suggested questions in its languages, withheld or not: (language, words), "" for every one."""
        phrases = chain(self.questions, *(topic.questions for topic in self.topics))
        pairs = dict.fromkeys(pair for phrase in phrases for pair in phrase.by_language)
        return tuple(pair for pair in pairs if not self.languages or pair[0] in ("", *self.languages))

    @property
    def own_contacts(self) -> tuple[str, ...]:
        """The e-mail addresses and telephone numbers that it says to turn to; they are public."""
        contacts = (*self.contacts, *(one for topic in self.topics for one in topic.contacts))
        told = (value for contact in contacts for value in (contact.email, contact.phone))
        return (*told, *(line.phone for line in self.help_lines))

    def topic(self, name: str | None) -> SiteTopic | None:
        """The topic of that name, if the site says anything of it."""
        return next((topic for topic in self.topics if topic.name == name), None)


PageKind = Literal["reference", "news", "event", "person", "form", "links", "archived"]
Audience = Literal[
    "undergraduate", "graduate", "international", "transfer", "parent", "alumni", "staff", "prospective"
]
# What a block is, as far as its markup tells. A `table` is one row of it, a `definition` one entry, a
# `question` the answer of a question that is its heading; `links` lead elsewhere and say nothing themselves.
BlockKind = Literal[
    "paragraph",
    "list",
    "steps",
    "table",
    "definition",
    "card",
    "notice",
    "question",
    "code",
    "form",
    "links",
]
LineKind = BlockKind | Literal[""]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page as it was fetched, or as a line of a pages file gave it.

    `body` is raw bytes from the crawl store (its charset still to be found) or text from a pages file;
    `is_html` says which extraction it needs. Times are ISO 8601, as far as they are known.
    """

    url: str
    body: bytes | str
    is_html: bool = True
    title: str | None = None
    status: int = 200
    content_type: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a definition or one table row, as text that reads alone; `kind` says which.

    `page` is the number of the document's page on which it begins; None on a page of a site.
    """

    kind: BlockKind
    text: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading; `heading_path` runs from the page's first heading down to it.

    `beside`: they stand at the side of the page's main part, and on other pages perhaps as well.
    """

    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]
    beside: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A page's extracted content: its main text, in sections. Dates are ISO 8601 days or times.

    `terms` are the terms and academic years it speaks of ("2024-fall", "2024/25"), the oldest first;
    `archived`: the site itself has put it away. `description` is what its own meta elements say of it.
    `links` are the pages it points to, each (URL, link text). `head_title` is its `<title>`, uncut, and
    `site_name` what its meta elements call the site. `kind` and `audiences`: what sort of page it is
    and for whom; no audience: for anyone. `calendar` is what it says of days, where it is a calendar, and
    `hours` what it says of when places are open; `deadlines` are days by which something is due.
    """

    url: str
    title: str
    sections: tuple[Section, ...]
    lang: str | None = None
    published: str | None = None
    modified: str | None = None
    fetched_at: str | None = None
    terms: tuple[str, ...] = ()
    archived: bool = False
    description: str = ""
    links: tuple[tuple[str, str], ...] = ()
    head_title: str = ""
    site_name: str = ""
    kind: PageKind = "reference"
    audiences: tuple[Audience, ...] = ()
    calendar: tuple[CalendarEntry, ...] = ()
    hours: tuple[OpeningHours, ...] = ()
    deadlines: tuple[Deadline, ...] = ()

    @property
    def text(self) -> str:
        """All the main text, without the headings."""
        return "\n".join(block.text for section in self.sections for block in section.blocks)


@dataclass(frozen=True, slots=True)
class Drop:
    """A page that was left out, and why. `reason` is a stable word, `detail` a sentence for a person."""

    url: str
    reason: str
    detail: str


MAX_DESCRIBED = 160  # characters of a page's description that are embedded with each of its passages


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, small enough to embed. `ordinal` counts within its page from 0.

    `terms` are those that its headings and text name, or else those of its page; `description` is its page's.
    `page` is the number of the document's page on which it begins. `line_kinds` says of each
    line of its text what block begins with it; "" of one that goes on in the block above.
    """

    url: str
    ordinal: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    terms: tuple[str, ...] = ()
    description: str = ""
    page: int | None = None
    line_kinds: tuple[LineKind, ...] = ()

    @property
    def heading(self) -> str:
        """The heading path as one line, without a first heading that only repeats the title."""
        return heading_line(self.title, self.heading_path)

    @property
    def indexed_text(self) -> str:
        """What is embedded: title and headings, so that a bare table row has a subject, what the page is said
        to be about, and the text."""
        described = f"{self.description[:MAX_DESCRIBED]}\n" if self.description else ""
        return f"{lead_line(self.title, self.heading)}\n{described}{self.text}"


def heading_line(title: str, heading_path: tuple[str, ...]) -> str:
    """`("Tuition", "Graduate")` under the title "Tuition" → `"Graduate"`."""
    known = title.casefold()
    path = [h for h in heading_path if h]
    if path and (path[0].casefold() == known or known.startswith(path[0].casefold())):
        path = path[1:]
    return " › ".join(path)


def lead_line(title: str, heading: str) -> str:
    """Title and headings as the line before a passage's text; empty where it has neither."""
    return " · ".join(part for part in (title, heading) if part)
