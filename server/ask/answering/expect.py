"""What an answer must hold to be one: a "when" wants a date, a "how much" a sum."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answer: how a question asks for it, and what it looks like on a page."""

    name: str
    asked: re.Pattern[str]
    looks: re.Pattern[str]


def _kind(name: str, asked: str, looks: str) -> Kind:
    return Kind(name, re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(looks, re.IGNORECASE))


_DAY = r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:mon|tue|wed|thu|fri|sat|sun)\b"
_MONTH = r"\b(?:(?:jan|febr)uary|march|april|june|july|august|(?:septem|octo|novem|decem)ber)\b|\bmay \d"
_CLOCK = r"\d ?(?:a\.?m\b|p\.?m\b)|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b"

KINDS = (
    _kind("e-mail", r"e-?mail(?: address)?", r"\S@\S"),
    _kind("phone", r"phone|telephone|call|fax", r"\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}|\b\d{3}-\d{4}\b"),
    _kind(
        "money",
        r"how much|costs?|price|fees?|tuition|fines?|salary|pay",
        r"[$€£]\s?\d|\bfree\b|\bno (?:charge|fee|cost)",
    ),
    _kind("hours", r"hours|open|close[sd]?|what time", rf"{_CLOCK}|24[- ]hour"),
    _kind(
        "time",
        r"when|dates?|deadline|due|how long|what (?:day|year|month)",
        rf"{_DAY}|{_MONTH}|{_CLOCK}|\b\d{{4}}\b|\b\d+ (?:day|week|month|year|hour)",
    ),
    _kind(
        "number",
        r"how many|how often|number of|minimum|maximum|gpa|score|percent(?:age)?",
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b",
    ),
    _kind(
        "person", r"who|whose|whom", r"(?-i:\b(?:Dr|Prof|Mr|Ms|Mrs)\.|[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][\w-]+)"
    ),
    _kind(
        "place",
        r"where|which (?:building|room)|location|address",
        r"\b(?:hall|building|room|floor|house|cent(?:er|re)|library|road|street|avenue|campus|lot)\b"
        r"|(?-i:\b\d+ [A-Z])",
    ),
)


def expected_kinds(question: str) -> tuple[Kind, ...]:
    """The kinds of answer the question asks for; none: any sentence will do."""
    return tuple(kind for kind in KINDS if kind.asked.search(question))
