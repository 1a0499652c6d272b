"""A place's hours on one day: the most particular line that holds then, or nothing where any doubt is left.

Lines of dates go before those of an event ("finals week"), these before a term's, and these before the
ordinary week, which says nothing sure of a holiday, a break, or the weeks between terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal
from urllib.parse import urlsplit

from server.academic_terms import parse_term
from server.ask.conversation.asked_time import LONGEST_TERM, events_of, holiday, is_taught
from server.lexicons import lexicon
from server.models import CalendarEntry, OpeningHours
from server.models.hours import EVERYTHING, OFFICES, USUAL, Spans
from server.written_hours.names import is_main_part, is_office

BREAKS = frozenset({"thanksgiving", "spring break", "fall break", "winter break"})
# What a calendar tells of within so many days, it would tell of an event too.
NEAR = timedelta(days=200)
EDGE = timedelta(days=28)
SUMMER, PERHAPS_SUMMER = (6, 7), (5, 8)

_HOLIDAYS = [(row["page"], row["rule"].split()) for row in lexicon("time")["holidays"]]
# Days that are like any other for most offices.
_ORDINARY = frozenset(
    {"Valentine's Day", "St. Patrick's Day", "Halloween", "Election Day", "Patriots' Day", "Good Friday"}
)
_EDGES = frozenset({"classes begin", "classes end", "finals"})
_AT_EDGES = ("edges", "classes begin", "classes end", "move-in")
_PERIODS = frozenset({"taught", "free", "summer"})
_DATED, _EVENT, _PERIOD, _PLAIN = range(4)


@dataclass(frozen=True, slots=True)
class DayHours:
    """Hours of one day, and the line that says them; `spans` None: it lists other days, and not this one."""

    spans: Spans | None
    source: OpeningHours


# What lines say of a day: nothing; or something, of which no one thing is sure.
Told = DayHours | Literal["none", "unsure"]


@dataclass(frozen=True, slots=True)
class DayFacts:
    """What the site's calendar says of a day; `taught` None: it does not say.

    `at_edge`: it is in the first or last weeks of a term.
    """

    day: date
    taught: bool | None
    at_edge: bool
    events: frozenset[str]
    known_events: frozenset[str]
    holidays: frozenset[str]

    @property
    def is_break(self) -> bool:
        """Whether it is a day of a break."""
        return bool(self.events & BREAKS)

    @property
    def is_dead(self) -> bool:
        """Whether nearly everything is closed on it, whatever a page says of its usual week."""
        return (self.day.month, self.day.day) >= (12, 24) or self.day == date(self.day.year, 1, 1)

    @property
    def is_ordinary(self) -> bool:
        """Whether the usual week may be taken to hold."""
        return not (self.is_break or self.is_dead or self.holidays - _ORDINARY)


def facts_of(day: date, calendar: Sequence[CalendarEntry]) -> DayFacts:
    """The day by the calendar; a break goes on over the weekend beside it."""
    events: set[str] = set()
    known: set[str] = set()
    for entry in calendar:
        names = events_of(entry)
        if entry.first - NEAR <= day <= entry.last + NEAR:
            known |= names
        first, last = _widened(entry.first, entry.last) if names & BREAKS else (entry.first, entry.last)
        if first <= day <= last:
            events |= names
    named = frozenset(page for page, rule in _HOLIDAYS if holiday(rule, day.year) == day)
    edges = [one for one in calendar if events_of(one) & _EDGES and abs(one.first - day) <= EDGE]
    return DayFacts(day, is_taught(day, calendar), bool(edges), frozenset(events), frozenset(known), named)


def _widened(first: date, last: date) -> tuple[date, date]:
    if first.weekday() == 0:
        first -= timedelta(days=2)
    return first, last + timedelta(days={4: 2, 5: 1}.get(last.weekday(), 0))


@dataclass(frozen=True, slots=True)
class PlaceHours:
    """One place of one page with all that is said of it.

    `page` is what is said of the whole page's place, where this is another; `everyone` what calendars say of
    all offices.
    """

    name: str
    own: bool
    url: str
    context: str
    lines: tuple[OpeningHours, ...]
    page: tuple[OpeningHours, ...] = ()
    everyone: tuple[OpeningHours, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """Its parts by name, in their order."""
        return tuple(dict.fromkeys(one.part for one in self.lines if one.part))

    @property
    def is_office(self) -> bool:
        """Whether it keeps to what the calendar says of offices."""
        lines = (one.line for one in self.lines if one.spans)
        return is_office(f"{self.name} {self.context}") or any(is_office(line) for line in lines)

    def on(self, part: str, facts: DayFacts) -> DayHours | None:
        """The hours of a part ("" for the place itself) on a day; None where they are not sure."""
        own = [one for one in self.lines if one.part == part]
        whole = [one for one in self.lines if part and not one.part]
        if not part or is_main_part(part):
            own, whole = own + whole, []
        if any(_is_quoted(one) for one in (*own, *whole)):
            return None
        found = _agreed([one for one in own if one.correction], _DATED, facts)
        if found == "none":
            found = self._exception(own, whole, facts)
        if found != "none":
            return found if isinstance(found, DayHours) else None
        closed = [one for one in self.everyone if one.when != (USUAL,) and one.names(facts.day)]
        if closed:
            return DayHours((), closed[0]) if self.is_office else None
        return self._usual(own, whole, facts)

    def _exception(self, own: Sequence[OpeningHours], whole: Sequence[OpeningHours], facts: DayFacts) -> Told:
        """What lines of dates or events say; "none" where they say nothing of the day."""
        for tier in (_DATED, _EVENT):
            for general in (whole, self.page):
                state = _general(general, tier, facts)
                if state is not None and not (
                    tier == _DATED and general is self.page and _holds(own, tier, facts)
                ):
                    return DayHours((), state) if state.spans == () and general is whole else "unsure"
            if (found := _agreed(own, tier, facts)) != "none":
                return found
        return "none"

    def _usual(
        self, own: Sequence[OpeningHours], whole: Sequence[OpeningHours], facts: DayFacts
    ) -> DayHours | None:
        """What the term's or the ordinary week says."""
        doubt = _general([one for one in whole if one.spans is None], _PLAIN, facts)
        if doubt is not None or _general(whole, _PERIOD, facts) is not None:
            return None
        keeps = facts.is_ordinary or self._keeps_usual(facts)
        found = _agreed(own, _PERIOD, facts)
        if isinstance(found, DayHours):
            return found if keeps and _is_usual_day(found, own, facts) else None
        if found == "unsure" or not keeps or (facts.taught is False and not self.is_office):
            return None
        found = _agreed(own, _PLAIN, facts)
        return found if isinstance(found, DayHours) else _unlisted(own) if found == "none" else None

    def _keeps_usual(self, facts: DayFacts) -> bool:
        """Whether the calendar says that offices are open as usual on a day without classes."""
        told = (one for one in self.everyone if one.when == (USUAL,) and one.names(facts.day))
        return (
            self.is_office and not facts.is_dead and any(one.place in (OFFICES, EVERYTHING) for one in told)
        )


def _general(lines: Sequence[OpeningHours], tier: int, facts: DayFacts) -> OpeningHours | None:
    """The first line for a whole place or page that holds on the day, or may."""
    mine = (one for one in lines if _tier(one) == tier)
    return next((one for one in mine if one.names(facts.day) and _applies(one, facts) is not False), None)


def _holds(lines: Sequence[OpeningHours], tier: int, facts: DayFacts) -> bool:
    return any(_tier(one) == tier and one.spans is not None and one.names(facts.day) for one in lines)


def _agreed(lines: Sequence[OpeningHours], tier: int, facts: DayFacts) -> Told:
    """The one thing that the lines of a tier say of the day. Of dates the shortest stretch counts."""
    mine = [one for one in lines if _tier(one) == tier and one.names(facts.day)]
    mine = [one for one in mine if _applies(one, facts) is not False]
    if not mine:
        return "none"
    if any(one.spans is None or _applies(one, facts) is None for one in mine):
        return "unsure"
    if tier == _DATED:
        mine = [one for one in mine if _length(one) == min(map(_length, mine))]
    # A line of the very weekday goes before one of any day.
    mine = [one for one in mine if one.weekdays] or mine
    return DayHours(mine[0].spans, mine[0]) if len({one.spans for one in mine}) == 1 else "unsure"


def _is_usual_day(found: DayHours, lines: Sequence[OpeningHours], facts: DayFacts) -> bool:
    """Whether hours without days of the week are of this one: "We keep shorter hours between terms"."""
    usual = (one for one in lines if _tier(one) == _PLAIN and one.spans and one.names(facts.day))
    return bool(found.source.weekdays or not found.spans) or any(usual)


def _unlisted(lines: Sequence[OpeningHours]) -> DayHours | None:
    """That a week is listed, and this day is not among its days; None where no whole week is."""
    listed = [one for one in lines if _tier(one) == _PLAIN and one.spans]
    days = {day for one in listed for day in one.weekdays}
    return DayHours(None, listed[0]) if set(range(5)) <= days else None


def _tier(one: OpeningHours) -> int:
    if one.first or one.last:
        return _DATED
    if not one.when:
        return _PLAIN
    return (
        _PERIOD
        if all(name in _PERIODS or name[:4].isdigit() or name == "unknown" for name in one.when)
        else _EVENT
    )


def is_of_week(one: OpeningHours) -> bool:
    """Whether it is of an ordinary or a term's week, and of no dates or event."""
    return _tier(one) in (_PERIOD, _PLAIN)


def _is_quoted(one: OpeningHours) -> bool:
    """Whether an editor has the page quoted instead of its hours told."""
    return one.correction is not None and one.correction.kind == "quote"


def _length(one: OpeningHours) -> int:
    return (one.last - one.first).days if one.first and one.last else 10_000


def _applies(one: OpeningHours, facts: DayFacts) -> bool | None:
    """Whether one of its conditions holds; None: that is not known."""
    if not one.when:
        return True
    found = [_condition(name, facts) for name in one.when]
    return True if True in found else None if None in found else False


def _condition(name: str, facts: DayFacts) -> bool | None:
    day = facts.day
    if name[:4].isdigit():
        return _in_term(name, facts)
    known: dict[str, bool | None] = {
        "taught": None if facts.is_break and facts.taught else facts.taught,
        "free": None if facts.taught is None or (facts.is_break and facts.taught) else not facts.taught,
        "summer": True if day.month in SUMMER else None if day.month in PERHAPS_SUMMER else False,
        "break": True if facts.is_break else False if facts.taught else None,
        "holiday": bool(facts.holidays),
        "unknown": None,
        **dict.fromkeys(_AT_EDGES, None if facts.at_edge or facts.taught is None else False),
    }
    return known[name] if name in known else _named_day(name, facts)


def _named_day(name: str, facts: DayFacts) -> bool | None:
    """A holiday or an event by its name."""
    if any(name == page for page, _ in _HOLIDAYS):
        return name in facts.holidays
    if name == "thanksgiving":  # the day, or all of the recess
        if "Thanksgiving" in facts.holidays:
            return True
        return None if name in facts.events or not facts.known_events else False
    if name in facts.events:
        return True
    if name in facts.known_events or (name in BREAKS and facts.taught and not facts.is_break):
        return False
    return None if facts.taught is not False or name in BREAKS else False


def _in_term(name: str, facts: DayFacts) -> bool | None:
    term = parse_term(name)
    if not term.start <= facts.day <= term.end:
        return False if not (term.start - EDGE <= facts.day <= term.end + EDGE) else None
    if term.end - term.start > LONGEST_TERM + EDGE:
        return True
    return None if facts.is_break else facts.taught


def of_same_host(one: OpeningHours, url: str) -> bool:
    """Whether a calendar is of the same university's web as a page."""
    hosts = [urlsplit(address).netloc.split(".")[-2:] for address in (one.url, url)]
    return hosts[0] == hosts[1]
