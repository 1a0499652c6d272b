"""Whether a source holds a fact, and which of its own facts say so."""

from __future__ import annotations

from typing import Any

from server.ask.checking.codes import Code
from server.ask.checking.contacts import Url, normal_url
from server.ask.checking.dates import Day, Term, Weekdays, Years
from server.ask.checking.facts import Fact, Value
from server.ask.checking.names import Name
from server.ask.checking.quantities import Quantity
from server.ask.checking.source import Source
from server.ask.checking.times import Time


def facts_for(claimed: Fact, source: Source) -> list[Fact] | None:
    """The facts of a source that bear out the claimed one, none where its words do; None: it is not in it."""
    value = claimed.value
    if isinstance(value, Name):
        return [] if source.names.has(value) else None
    if isinstance(value, Url):
        return _addresses(value, source)
    found = [fact for fact in source.facts if bears_out(fact.value, value)]
    if found:
        return found if _year_is_told(value, found, source) else None
    if isinstance(value, Weekdays):
        return _together(value, source)
    return _spelt_out(value, source) if isinstance(value, Code) else None


def bears_out(found: Value, claimed: Value) -> bool:
    """Whether a fact of a source says what is claimed, also where the two are written as different kinds."""
    if type(found) is type(claimed):
        same: Any = found
        return bool(same.bears_out(claimed))
    if isinstance(claimed, Quantity):
        return _is_number_of(found, claimed)
    if isinstance(claimed, Time):
        return isinstance(found, Quantity) and not found.unit and found.amount in claimed.hours
    if isinstance(claimed, Years):
        return claimed.years == _years_of(found)
    if isinstance(claimed, Weekdays):
        return isinstance(found, Day) and claimed.days == {found.known_weekday}
    return False


def _is_number_of(found: Value, claimed: Quantity) -> bool:
    """A bare number may be the hour of a time, a year, a room's number; "the 14th" a day of a month."""
    if isinstance(found, Day):
        return claimed.unit in ("", "th") and found.day == claimed.amount
    if claimed.unit:
        return False
    if isinstance(found, Time):
        return claimed.amount in found.hours
    if isinstance(found, Code):
        return found.ident.endswith(str(claimed.amount))
    return isinstance(found, Years) and claimed.amount in found.years


def _years_of(found: Value) -> tuple[int, ...]:
    if isinstance(found, Quantity) and not found.unit:
        return (int(found.amount),)
    year = found.year if isinstance(found, Day | Term) else None
    return () if year is None else (year,)


def _year_is_told(claimed: Value, found: list[Fact], source: Source) -> bool:
    """A claimed year must stand beside the day or the season, or at least in the same source."""
    if not isinstance(claimed, Day | Term) or claimed.year is None:
        return True
    beside = {fact.value.year for fact in found if isinstance(fact.value, Day | Term)}
    told = {year for fact in source.facts for year in _all_years(fact.value)}
    return claimed.year in beside | told


def _all_years(value: Value) -> tuple[int, ...]:
    return (
        value.years if isinstance(value, Years) else _years_of(value) if isinstance(value, Day | Term) else ()
    )


def _together(claimed: Weekdays, source: Source) -> list[Fact] | None:
    """Several days may be told one by one: "Saturday … Sunday …" for "weekends"."""
    parts = [
        fact for fact in source.facts if isinstance(fact.value, Weekdays) and fact.value.days & claimed.days
    ]
    told = {day for fact in parts if isinstance(fact.value, Weekdays) for day in fact.value.days}
    return parts if claimed.days <= told else None


def _spelt_out(claimed: Code, source: Source) -> list[Fact] | None:
    """Room 22 where a source has "Office: 22", and the words of the label somewhere."""
    if not claimed.ident.isdigit() or not all(word in source.names for word in claimed.label):
        return None
    number = [
        fact
        for fact in source.facts
        if isinstance(fact.value, Quantity)
        and not fact.value.unit
        and fact.value.amount == int(claimed.ident)
    ]
    return number or None


def _addresses(claimed: Url, source: Source) -> list[Fact] | None:
    """A link must be the cited page's own address; a bare host may also stand in its text."""
    if source.passage and normal_url(source.passage.url) == claimed.address:
        return []
    return [fact for fact in source.facts if claimed.bare and fact.value == claimed] or None
