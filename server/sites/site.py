"""One site out of its table: read and checked, as `sites.toml` or the admin API has it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from server.errors import BadInputError
from server.models import Contact, HelpLine, Site, SiteTopic
from server.settings import STRATEGIES, STRATEGIES_TOLD
from server.sites.entry import Entry
from server.sites.theme import read_theme

_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
_PHONE = re.compile(r"[+0-9(][0-9 ()./-]{1,30}")


UNNAMED = "this university"


@dataclass(frozen=True, slots=True)
class SiteDefaults:
    """Defaults for what a site's entry leaves out; `max_question_chars` is also the most a site may allow."""

    name: str
    contact_url: str = ""
    max_question_chars: int = 2000
    main_origins: tuple[str, ...] = ()


def read_site(key: str, values: Any, defaults: SiteDefaults, source: str, folder: Path | None = None) -> Site:
    """The site, or a `BadInputError` that names the source, the site and the key that is wrong.

    `values` is a table of TOML or an object of JSON; a logo's file is looked for in `folder`.
    """
    where = f"{source}, site {key}"
    if not _KEY.fullmatch(key):
        raise BadInputError(f"{where}: its name takes at most 40 small letters, digits and hyphens.")
    entry = Entry(values, where)
    site = Site(
        key=key,
        name=entry.text("name", defaults.name),
        theme=read_theme(entry.table("theme"), folder),
        origins=_origins(entry, where),
        languages=_languages(entry),
        content_language=entry.matching("content_language", _LANGUAGE, "a language such as en", "en"),
        contact_url=entry.address("contact_url", defaults.contact_url),
        questions=entry.phrases("questions"),
        contacts=_contacts(entry),
        topics=_topics(entry),
        help_lines=_help_lines(entry),
        strategy=entry.choice("strategy", STRATEGIES, "", STRATEGIES_TOLD),
        timezone=_timezone(entry),
        max_question_chars=_max_question_chars(entry, defaults),
        render=_render(entry),
    )
    entry.finish()
    return site


def checked_origins(origins: Sequence[str], where: str) -> tuple[str, ...]:
    """The origins, each an exact one: a wildcard, a path or a keyword would let in more than is meant."""
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise BadInputError(
                f"{where} has {origin!r}, which is not an origin that may embed the widget; "
                "it takes one like https://www.example.edu, in lower case and without a path."
            )
    return tuple(dict.fromkeys(origins))


def _origins(entry: Entry, where: str) -> tuple[str, ...]:
    return checked_origins(entry.texts("origins"), f"{where}: origins")


def _languages(entry: Entry) -> tuple[str, ...]:
    languages = entry.texts("languages")
    for lang in languages:
        if not _LANGUAGE.fullmatch(lang):
            raise entry.wrong("languages", f"has {lang!r}; it takes languages such as en and es")
    return languages


def _render(entry: Entry) -> tuple[str, ...]:
    prefixes = entry.texts("render")
    for prefix in prefixes:
        if not prefix.startswith("/") or not prefix.isprintable():
            raise entry.wrong("render", f"has {prefix!r}; it takes the beginning of a path, such as /apply/")
    return prefixes


def _timezone(entry: Entry) -> str:
    name = entry.text("timezone")
    try:
        return ZoneInfo(name).key if name else ""
    except (OSError, ValueError, KeyError):  # there is none of that name
        raise entry.wrong("timezone", f"is {name!r}; it takes a name such as America/New_York") from None


def _max_question_chars(entry: Entry, defaults: SiteDefaults) -> int:
    limits = entry.table("limits")
    most = defaults.max_question_chars
    chars = limits.whole("max_question_chars", most, 1, most)
    limits.finish()
    return chars


def _contacts(entry: Entry) -> tuple[Contact, ...]:
    return tuple(_contact(below) for below in entry.entries("contacts"))


def _contact(entry: Entry) -> Contact:
    contact = Contact(
        label=entry.phrase("label"),
        email=entry.matching("email", _EMAIL, "an address such as registrar@example.edu"),
        phone=_phone(entry),
        url=entry.address("url"),
        hours=entry.phrase("hours"),
    )
    entry.finish()
    if not contact.label.by_language:
        raise entry.wrong("label", "is missing; it says whom one asks")
    if not (contact.email or contact.phone or contact.url):
        raise entry.wrong("", "takes at least one of: email, phone, url")
    return contact


def _phone(entry: Entry) -> str:
    return entry.matching("phone", _PHONE, "a telephone number such as (802) 555-0120")


def _topics(entry: Entry) -> tuple[SiteTopic, ...]:
    return tuple(_topic(name, below) for name, below in entry.tables("topics").items())


def _topic(name: str, entry: Entry) -> SiteTopic:
    title = entry.phrase("title")
    topic = SiteTopic(name, title, entry.phrases("questions"), _contacts(entry))
    entry.finish()
    if not title.by_language:
        raise entry.wrong("title", "is missing; it is what visitors read")
    return topic


def _help_lines(entry: Entry) -> tuple[HelpLine, ...]:
    return tuple(_help_line(below) for below in entry.entries("help_lines"))


def _help_line(entry: Entry) -> HelpLine:
    line = HelpLine(
        label=entry.phrase("label"),
        says=entry.phrase("says"),
        phone=_phone(entry),
        url=entry.address("url"),
        hours=entry.phrase("hours"),
    )
    entry.finish()
    if not line.label.by_language:
        raise entry.wrong("label", "is missing; it says who helps")
    if not (line.phone or line.url):
        raise entry.wrong("", "takes at least one of: phone, url")
    return line
