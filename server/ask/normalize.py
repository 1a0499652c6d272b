"""The first step: is this a question at all? And where does its request say to search?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from server.errors import BadInputError, TooLargeError
from server.models import Scope

_SPACE = re.compile(r"\s+")


def normalize(text: str, max_chars: int) -> str:
    """The question in one line, composed (Unicode NFC) and without control characters.

    `BadInputError` when nothing is left, `TooLargeError` when it is longer than `max_chars`.
    """
    check_length(text, max_chars)
    line = _SPACE.sub(" ", unicodedata.normalize("NFC", text))
    line = "".join(c for c in line if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn")).strip()
    if not any(c.isalnum() for c in line):
        raise BadInputError("Please type a question.", code="empty_question")
    return line


def check_length(text: str, max_chars: int) -> None:
    """`TooLargeError` when a question is longer than that."""
    if len(text) > max_chars:
        raise TooLargeError(
            f"The question has {len(text):,} characters; {max_chars:,} are the most.",
            code="question_too_long",
        )


_LANG = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Filters:
    """Where to search, in words; what is left out does not limit.

    `topics` are "topic" or "topic/subtopic"; `hosts` as URLs have them; `prefix` is how a URL begins; `since`
    and `until` are ISO 8601 days; `archived` false leaves out what the site has put away.
    """

    topics: Sequence[str] = ()
    hosts: Sequence[str] = ()
    prefix: str | None = None
    lang: str | None = None
    since: str | None = None
    until: str | None = None
    archived: bool = True

    def scope(self) -> Scope | None:
        """The scope, or None when nothing is limited; a `BadInputError` names what cannot be used."""
        if self.lang and not _LANG.fullmatch(self.lang):
            raise BadInputError(f"lang is {self.lang!r}; it takes an ISO 639 code such as en.")
        scope = Scope(
            topics=_by_topic(self.topics),
            sites=tuple(self.hosts),
            prefix=self.prefix or None,
            lang=self.lang or None,
            since=_day("since", self.since),
            until=_day("until", self.until),
            archived=self.archived,
        )
        return None if scope == Scope() else scope


def _by_topic(topics: Sequence[str]) -> dict[str, tuple[str, ...]] | None:
    """`["a/b", "a/c", "d"]` → `{"a": ("b", "c"), "d": ()}`; the whole topic takes its sub-topics in."""
    found: dict[str, tuple[str, ...]] = {}
    whole = {name for name in topics if "/" not in name}
    for name in topics:
        topic, _, subtopic = name.partition("/")
        found[topic] = () if topic in whole else (*found.get(topic, ()), subtopic)
    return found or None


def _day(name: str, text: str | None) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if text else None
    except ValueError:
        raise BadInputError(f"{name} is {text!r}; it takes a day such as 2026-11-22.") from None
