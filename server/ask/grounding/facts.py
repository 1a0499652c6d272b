"""The facts of a text: everything in it that is right or wrong to the letter, in a form that can be
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from server.ask.grounding.contacts import Email, Phone, Url, emails, phones, urls
from server.ask.grounding.dates import (
    Day,
    Term,
    Time,
    Weekdays,
    Years,
    days,
    months,
    terms,
    times,
    weekdays,
    years,
)
from server.ask.grounding.names import Code, Name, course_codes, names, place_codes
from server.ask.grounding.quantities import Quantity, quantities
from server.ask.grounding.spans import Found, blanked

FactKind = Literal[
    "e-mail", "url", "phone", "date", "time", "code", "term", "year", "weekday", "money", "number", "name"
]
Value = Email | Url | Phone | Day | Time | Code | Term | Years | Weekdays | Quantity | Name

# In this order: what one has read is hidden from the next, so that no number is counted twice.
_READERS: tuple[tuple[FactKind, Callable[[str], Iterable[Found[Any]]]], ...] = (
    ("e-mail", emails),
    ("url", urls),
    ("phone", phones),
    ("date", days),
    ("time", times),
    ("code", course_codes),
    ("term", terms),
    ("date", months),
    ("year", years),
    ("code", place_codes),
    ("weekday", weekdays),
    ("number", quantities),
    ("name", names),
)
_MONEY = frozenset("$€£")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as it is written, `text`, from `start` to `end`, and what it comes to."""

    kind: FactKind
    text: str
    value: Value
    start: int
    end: int


def facts_of(text: str) -> list[Fact]:
    """Every fact of the text, in its order."""
    found: list[Fact] = []
    hidden = text
    for kind, reader in _READERS:
        here = [_fact(kind, text, one) for one in reader(hidden)]
        hidden = blanked(hidden, ((fact.start, fact.end) for fact in here))
        found += here
    return sorted(found, key=lambda fact: fact.start)


def _fact(kind: FactKind, text: str, one: Found[Any]) -> Fact:
    money = isinstance(one.value, Quantity) and one.value.unit in _MONEY
    return Fact("money" if money else kind, text[one.start : one.end].strip(), one.value, one.start, one.end)
