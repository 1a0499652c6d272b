"""The first step: is this a question at all? How is it heard? And where does its request say to search?

A line is heard with its contractions written out (`corpus/lexicons/contractions.toml`): "i cant" is
"i cannot" to every step after this one. The visitor's own words are what is recorded and what is quoted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from server.ask.conversation.phrases import is_english
from server.errors import BadInputError, TooLargeError
from server.lexicons import any_of, lexicon
from server.models import Question, Scope

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


def heard_before(question: Question) -> Question:
    """The question with what the visitor said before as it was heard."""
    said = ((role, written_out(text).text if role == "user" else text) for role, text in question.history)
    return replace(question, history=tuple(said))


def check_length(text: str, max_chars: int) -> None:
    """`TooLargeError` when a question is longer than that."""
    if len(text) > max_chars:
        raise TooLargeError(
            f"The question has {len(text):,} characters; {max_chars:,} are the most.",
            code="question_too_long",
        )


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line as it is understood.

    `replaced` has what was written out in it, and as what it was typed, in their order.
    """

    text: str
    replaced: tuple[tuple[str, str], ...] = ()

    def as_typed(self, part: str) -> str:
        """A part of the line in the visitor's own words."""
        at = 0
        for meant, typed in self.replaced:
            if (found := part.find(meant, at)) >= 0:
                part = part[:found] + typed + part[found + len(meant) :]
                at = found + len(typed)
        return part


def written_out(line: str) -> HeardLine:
    """The line with contractions and what is typed short in full words; one in another language as it is."""
    short, shouts = _short_words(), line.isupper()
    if not short.pattern.search(line) or not is_english(line):
        return HeardLine(line)
    replaced: list[tuple[str, str]] = []

    def meant(match: re.Match[str]) -> str:
        typed = match.group()
        if typed.isupper() and len(typed) <= LONGEST_NAME and not shouts:
            return typed
        full = short.meaning(typed)
        full = full[0].upper() + full[1:] if typed[0].isupper() else full
        full += " " * line[match.end() : match.end() + 1].isalnum()  # "w/my"
        replaced.append((full, typed))
        return full

    text = short.pattern.sub(meant, line)
    return HeardLine(text, tuple(replaced))


LONGEST_NAME = 3  # in letters, of capitals that may be one: "IM sports", "BC"
_APOSTROPHES = "'’‘ʼ´`"


@dataclass(frozen=True, slots=True)
class _ShortWords:
    """What is written short, as one pattern, and what it stands for."""

    pattern: re.Pattern[str]
    meanings: Mapping[str, str]

    def meaning(self, typed: str) -> str:
        key = re.sub(f"[{_APOSTROPHES}]", "'", typed.lower())
        return self.meanings.get(key) or self.meanings[key.replace(" ", "'")]


@cache
def _short_words() -> _ShortWords:
    lists = lexicon("contractions")
    either, strict, typed = lists.part("either"), lists.part("apostrophe"), lists.part("typed")
    bare = {word.replace("'", ""): full for word, full in either.items()}
    words = {word: re.escape(word).replace("'", f"[{_APOSTROPHES}]") for word in (*typed, *strict)}
    words |= {word: word.replace("'", f"[{_APOSTROPHES} ]?") for word in either}
    for name, ahead in (("before", "="), ("not_before", "!")):
        for word, following in lists.part(name).items():
            words[word] += rf"(?{ahead}\s+(?:{any_of(following.split())})\b)"
    for word, led in lists.part("after").items():
        behind = "|".join(rf"(?<=\b{one} )" for one in led.split())
        words[word] = f"(?:{behind}){words[word]}"
    ended = {word: part + ("" if word.endswith("/") else r"(?![\w'’/])") for word, part in words.items()}
    anyone = "|".join(ended[word] for word in sorted(ended, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w'’/&.-])(?:{anyone})", re.IGNORECASE)
    return _ShortWords(pattern, {**typed, **either, **bare, **strict})


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
