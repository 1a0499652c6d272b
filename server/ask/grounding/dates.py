"""Days, weekdays, years and terms: March 1st = 03/01 = 2027-03-01, Mon–Fri = weekdays, 2026–27, fall 2026."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from server.ask.grounding.spans import DASH, Span, alternatives
from server.lexicons import lexicon


def _numbered(names: Sequence[str], first: int) -> dict[str, int]:
    """The number of each name, written out and by its first three letters."""
    numbers = {name: i for i, name in enumerate(names, first)}
    return numbers | {name[:3]: i for name, i in numbers.items()}


_LEXICON = lexicon("checking").part("dates")
_MONTH_NAMES, _DAY_NAMES = _LEXICON.listed("months"), _LEXICON.listed("days")
_MONTHS = _numbered(_MONTH_NAMES, 1) | _LEXICON.part("short_months")
_WEEKDAYS = _numbered(_DAY_NAMES, 0) | _LEXICON.part("short_days")
_SEASONS = _LEXICON.part("seasons")

_TO = rf"\s?(?:{DASH}|to|through|thru|until|till)\s?"
# Short forms only as they are written for days and months: "the sun" and "we met in mar" are no dates.
_SHORT_MONTHS = [name.capitalize() for name in _MONTHS if name not in _MONTH_NAMES]
_SHORT_DAYS = [name.capitalize() for name in _WEEKDAYS if name not in _DAY_NAMES]
_MONTH = rf"(?:{alternatives(_MONTH_NAMES)}|(?-i:{alternatives(_SHORT_MONTHS)}))\b\.?"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\w%]|[:.,]\d)"
_WEEKDAY = rf"(?:{alternatives(_DAY_NAMES)}|(?-i:{alternatives(_SHORT_DAYS)}))\b\.?"
_LED = rf"(?:(?P<wd1>{_WEEKDAY})(?:{_TO}(?P<wd2>{_WEEKDAY}))?,?\s(?:the\s)?)?"

_MONTH_FIRST = re.compile(
    rf"\b{_LED}(?P<m1>{_MONTH})\s?(?P<d1>{_DAY})(?:{_TO}(?:{_WEEKDAY},?\s)?(?:(?P<m2>{_MONTH})\s?)?(?P<d2>{_DAY}))?"
    rf"(?:,?\s(?P<year>{_YEAR})\b)?",
    re.IGNORECASE,
)
_DAY_FIRST = re.compile(
    rf"\b{_LED}(?P<d1>{_DAY})(?:{_TO}(?P<d2>{_DAY}))?\s(?:of\s)?(?P<m1>{_MONTH})(?:,?\s(?P<year>{_YEAR})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(rf"\b(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?!\d)")
# Without a year only a slash makes a date of two numbers: 3-1 and 3.1 are scores and sections.
_NUMERIC_WITH_YEAR = re.compile(
    rf"(?<![\w/.])(?:(?P<wd1>{_WEEKDAY}),?\s)?(?P<a>[0-3]?\d)(?P<sep>[/.-])(?P<b>[0-3]?\d)(?P=sep)"
    rf"(?P<year>{_YEAR}|\d\d)(?![\w/]|\.\d)",
    re.IGNORECASE,
)
_NUMERIC_SHORT = re.compile(
    rf"(?<![\w/.])(?:(?P<wd1>{_WEEKDAY}),?\s)?(?P<a>[0-3]?\d)/(?P<b>[0-3]?\d)(?![\w/]|\.\d)", re.IGNORECASE
)
# "may" and "march" are verbs unless they are written like months.
_MONTH_ALONE = re.compile(
    rf"\b(?P<month>(?!(?-i:may|march|mar)\b){_MONTH})(?:,?\s(?P<year>{_YEAR})\b)?", re.IGNORECASE
)
_YEARS = re.compile(
    rf"(?<![\w$€£.,/-])(?P<first>{_YEAR})(?:(?:{DASH}|/)(?P<second>{_YEAR}|\d\d))?(?![\w%]|[.,]\d)"
)
_TERM = re.compile(
    rf"\b(?P<season>{alternatives(_SEASONS)})\b"
    rf"(?!\s(?:below|behind|short|under|into|within|on|to|out|asleep|back|due)\b)"
    rf"(?:\s(?:semester|term|quarter)\b)?(?:\s(?:of\s)?(?P<year>{_YEAR})\b)?",
    re.IGNORECASE,
)
_VERB_BEFORE = re.compile(
    r"\b(?:you|they|it|may|can|could|would|should|will|grades?|averages?)\s$", re.IGNORECASE
)
_DAYS_OF_WEEK = re.compile(
    rf"\b(?:(?P<first>(?:{alternatives(_DAY_NAMES)})s?\b|{_WEEKDAY})(?:{_TO}(?P<last>(?:{alternatives(_DAY_NAMES)})s?\b|{_WEEKDAY}))?"
    r"|(?P<work>weekdays?\b)|(?P<end>weekends?\b)"
    r"|(?P<all>every\s(?:single\s)?(?:day|night|evening|morning)|each\sday|daily|nightly|seven\sdays\sa\sweek"
    r"|all\sweek|any\sday|every\shour)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day or, without `day`, a month. `weekday` counts from Monday, 0. What is not said is None."""

    month: int
    day: int | None = None
    year: int | None = None
    weekday: int | None = None

    def bears_out(self, claimed: Day) -> bool:
        """Whether a page with this day says what is claimed, as far as both say it."""
        return (
            self.month == claimed.month
            and claimed.day in (None, self.day)
            and _agree(self.year, claimed.year)
            and _agree(self.known_weekday, claimed.known_weekday)
        )

    @property
    def known_weekday(self) -> int | None:
        """The weekday that is written, or that the calendar knows."""
        if self.weekday is not None or self.day is None or self.year is None:
            return self.weekday
        try:
            return datetime.date(self.year, self.month, self.day).weekday()
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Years:
    """A year, or two that an academic year spans."""

    years: tuple[int, ...]

    def bears_out(self, claimed: Years) -> bool:
        """A span bears out each of its years; a year does not bear out a span."""
        return set(claimed.years) <= set(self.years)


@dataclass(frozen=True, slots=True)
class SeasonTerm:
    """A season of the academic year."""

    season: str
    year: int | None = None

    def bears_out(self, claimed: SeasonTerm) -> bool:
        """The same season, and the same year where both name one."""
        return self.season == claimed.season and _agree(self.year, claimed.year)


@dataclass(frozen=True, slots=True)
class Weekdays:
    """Days of the week, Monday being 0."""

    days: frozenset[int]

    def bears_out(self, claimed: Weekdays) -> bool:
        """All that is claimed lies in what is said: "Monday–Thursday" bears out "Tuesdays"."""
        return claimed.days <= self.days


def _agree(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other


def days(text: str) -> list[Span[Day]]:
    """Every date of the text; of a range both ends, each at its own place."""
    found: list[Span[Day]] = []
    for match in _ISO.finditer(text):
        day = Day(int(match["month"]), int(match["day"]), int(match["year"]))
        found.append(Span(day, match.start(), match.end()))
    for pattern in (_MONTH_FIRST, _DAY_FIRST):
        for match in pattern.finditer(text):
            found += _range(match)
    for pattern in (_NUMERIC_WITH_YEAR, _NUMERIC_SHORT):
        for match in pattern.finditer(text):
            found += _numeric(match)
    return _without_overlaps(found)


def months(text: str) -> Iterator[Span[Day]]:
    """Months that stand without a day."""
    for match in _MONTH_ALONE.finditer(text):
        year = int(match["year"]) if match["year"] else None
        yield Span(Day(_month(match["month"]), year=year), match.start(), match.end())


def years(text: str) -> Iterator[Span[Years]]:
    """Years by themselves and academic years."""
    for match in _YEARS.finditer(text):
        first = int(match["first"])
        second = int(match["second"]) if match["second"] else first
        if second < 100:
            second += first // 100 * 100
        yield Span(Years((first,) if second == first else (first, second)), match.start(), match.end())


def terms(text: str) -> Iterator[Span[SeasonTerm]]:
    """Seasons, with their year; "if you fall below" names none."""
    for match in _TERM.finditer(text):
        if match["year"] or not _VERB_BEFORE.search(text, max(0, match.start() - 12), match.start()):
            year = int(match["year"]) if match["year"] else None
            yield Span(SeasonTerm(_SEASONS[match["season"].lower()], year), match.start(), match.end())


def weekdays(text: str) -> Iterator[Span[Weekdays]]:
    """Days of the week that belong to no date."""
    for match in _DAYS_OF_WEEK.finditer(text):
        yield Span(Weekdays(_days_of_week(match)), match.start(), match.end())


def _days_of_week(match: re.Match[str]) -> frozenset[int]:
    if match["work"]:
        return frozenset(range(5))
    if match["end"]:
        return frozenset((5, 6))
    if match["all"]:
        return frozenset(range(7))
    first = _weekday(match["first"])
    last = _weekday(match["last"]) if match["last"] else first
    return frozenset((first + i) % 7 for i in range((last - first) % 7 + 1))


def _weekday(word: str) -> int:
    name = word.lower().rstrip(".")
    return _WEEKDAYS[name if name in _WEEKDAYS else name.removesuffix("s")]


def _month(word: str) -> int:
    return _MONTHS[word.lower().rstrip(".")]


def _range(match: re.Match[str]) -> Iterator[Span[Day]]:
    groups = match.groupdict()
    year = int(groups["year"]) if groups["year"] else None
    month = _month(groups["m1"])
    first = Day(month, _number(groups["d1"]), year, _weekday(groups["wd1"]) if groups["wd1"] else None)
    if not groups["d2"]:
        yield Span(first, match.start(), match.end())
        return
    last_month = _month(groups["m2"]) if groups.get("m2") else month
    last = Day(last_month, _number(groups["d2"]), year, _weekday(groups["wd2"]) if groups["wd2"] else None)
    if last_month < month and year:
        first = replace(first, year=year - 1)
    yield Span(first, match.start(), match.end("d1"))
    yield Span(last, match.start("m2" if groups.get("m2") else "d2"), match.end())


def _number(day: str) -> int:
    return int(re.sub(r"\D", "", day))


def _numeric(match: re.Match[str]) -> Sequence[Span[Day]]:
    """Month first, as in the United States, unless only the day can come first."""
    one, other, groups = int(match["a"]), int(match["b"]), match.groupdict()
    month, day = (one, other) if one <= 12 else (other, one)
    if not (1 <= month <= 12 and 1 <= day <= 31) or match.group() == "24/7":
        return ()
    year = int(groups["year"]) if groups.get("year") else None
    if year is not None and year < 100:
        year += 2000
    weekday = _weekday(match["wd1"]) if match["wd1"] else None
    return (Span(Day(month, day, year, weekday), match.start(), match.end()),)


def _without_overlaps(found: list[Span[Day]]) -> list[Span[Day]]:
    """What stands first, and of what begins together the longest."""
    kept: list[Span[Day]] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


_DAY_MINUTES, _HALF_DAY_MINUTES = 24 * 60, 12 * 60

_CLOCK = re.compile(
    r"""(?<![\w.,:$€£/])(?:
        (?P<word>noon|midday|midnight)\b
        | (?P<hour>[01]?\d|2[0-4])(?P<minute>:[0-5]\d)?(?P<clock>[ ]?o['’]clock)?
          (?:[ ]?(?:(?P<a>a\.m\.?|am\b)|(?P<p>p\.m\.?|pm\b))
            |[ ](?:(?P<morning>in[ ]the[ ]morning)|(?P<later>in[ ]the[ ](?:afternoon|evening)|at[ ]night))\b)?
          (?![\w%]|[:/.,]\d))""",
    re.VERBOSE | re.IGNORECASE,
)
_UNTIL = re.compile(rf"\s?(?:{DASH}|to|until|till|through)\s?", re.IGNORECASE)
_AND = re.compile(r"\sand\s")


@dataclass(frozen=True, slots=True)
class Time:
    """A time of day in minutes since midnight; two of them where the text leaves open which half of the
    day.
    """

    minutes: frozenset[int]

    def bears_out(self, claimed: Time) -> bool:
        """Whether the same time may be meant."""
        return bool(self.minutes & claimed.minutes)

    @property
    def hours(self) -> frozenset[int]:
        """A full hour as a clock may show it (17:00: 5 and 17); empty when there are minutes."""
        full = {minutes // 60 for minutes in self.minutes if minutes % 60 == 0}
        return frozenset(full | {hour % 12 or 12 for hour in full})


@dataclass(frozen=True, slots=True)
class _Said:
    """What may be a time; `sure` when its own words make it one, or the other end of its range does."""

    minutes: frozenset[int]
    sure: bool


def times(text: str) -> list[Span[Time]]:
    """Every time of the text, in order; both ends of "1–4 p.m."."""
    said = [Span(_said(match), match.start(), match.end()) for match in _CLOCK.finditer(text)]
    for i in range(len(said) - 1):
        if _joined(text, said[i], said[i + 1]):
            said[i], said[i + 1] = _as_range(said[i], said[i + 1])
    return [Span(Time(one.value.minutes), one.start, one.end) for one in said if one.value.sure]


def _said(match: re.Match[str]) -> _Said:
    if match["word"]:
        return _Said(frozenset((0 if match["word"].lower() == "midnight" else _HALF_DAY_MINUTES,)), True)
    hour, minute = int(match["hour"]), int((match["minute"] or ":0")[1:])
    early = hour % 12 * 60 + minute
    if not 0 < hour <= 12:
        minutes = frozenset((hour % 24 * 60 + minute,))
    elif match["a"] or match["morning"] or (hour == 12 and (match["later"] or "").endswith("night")):
        minutes = frozenset((early,))
    elif match["p"] or match["later"]:
        minutes = frozenset((early + _HALF_DAY_MINUTES,))
    else:
        minutes = frozenset((early, early + _HALF_DAY_MINUTES))
    sure = any(match[mark] for mark in ("minute", "clock", "a", "p", "morning", "later"))
    return _Said(minutes, sure)


def _joined(text: str, one: Span[_Said], other: Span[_Said]) -> bool:
    """Whether two times are the ends of a range; "between 3 and 5 p.m." is one where "3 and 5" is not."""
    if not (one.value.sure or other.value.sure):
        return False
    if _UNTIL.fullmatch(text, one.end, other.start):
        return True
    return bool(_AND.fullmatch(text, one.end, other.start)) and other.value.sure


def _as_range(one: Span[_Said], other: Span[_Said]) -> tuple[Span[_Said], Span[_Said]]:
    """Both are times; a first end with two readings takes the one that is nearer to the last."""
    first, last = one.value.minutes, other.value.minutes
    if len(first) == 2 and len(last) == 1:
        [end] = last
        first = frozenset((min(first, key=lambda start: (end - start - 1) % _DAY_MINUTES),))
    return replace(one, value=_Said(first, True)), replace(other, value=_Said(last, True))
