"""Terms, academic years and days, as a university's pages and its visitors write them.

A term is a stretch of days. Which days is the calendar of most universities in the United States: spring from
January, summer from June, fall from mid-August, an academic year from July to June. Close enough to tell this
year's page from last year's, which is what it is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import chain
from urllib.parse import unquote, urlsplit

# Season → first and last day, as (month, day); winter is the quarter that begins the calendar year.
_SEASONS = {
    "winter": ((1, 1), (3, 20)),
    "spring": ((1, 1), (5, 31)),
    "summer": ((6, 1), (8, 14)),
    "fall": ((8, 15), (12, 31)),
}
_SAME = {"autumn": "fall", "otoño": "fall", "primavera": "spring", "verano": "summer", "invierno": "winter"}
# The seasons as a question may name them.
SEASON_WORDS = frozenset(_SEASONS.keys() | _SAME.keys())
_SHORT = {"f": "fall", "s": "spring", "m": "summer"}

_COUNTED = (
    "credit|unit|week|student|hour|class|classe|course|day|month|year|people|event|semester|seat|minute"
)
_SEASON = rf"(?P<season>{'|'.join([*_SEASONS, *_SAME])})"
_KIND = r"(?:\s+(?:term|semester|quarter|session|classes))?"
_YEAR = r"(?P<year>(?:19|20)\d\d|['’]\d\d)(?!\d)"
_TERMS = [
    re.compile(rf"\b{_SEASON}{_KIND}(?:\s+of|\s+de|,)?\s+{_YEAR}", re.IGNORECASE),
    # "2026 Fall", and not of "2025-2026 Fall 2025".
    re.compile(rf"(?<![\d–-]){_YEAR}[^\S\n]+{_SEASON}\b(?!{_KIND},?\s+(?:19|20)\d\d)", re.IGNORECASE),
    # F24, S25: only as a registrar writes them, and not within a word or a course number.
    re.compile(r"(?<![\w-])(?P<season>[FSM])(?P<year>\d\d)(?![\w-])"),
]
_ACADEMIC_YEAR = re.compile(
    r"(?<![\d/-])(?P<first>(?:19|20)\d\d)\s?[-–—/]\s?(?P<last>(?:19|20)?\d\d)(?![\d/-])"
)
# What stands before an academic year in an address: "seminars-2026-2027".
_YEARS_IN_PATH = re.compile(r"(?<=[a-z])-(?=(?:19|20)\d\d-(?:19|20)\d\d(?!\d))", re.IGNORECASE)
# "Fall 96", "spring-97" and "fall19", as names, addresses and questions have it; no count of what follows.
_SHORT_YEAR = re.compile(
    rf"\b{_SEASON}[\s-]?(?P<year>\d\d)(?![\d%:/.-]*\d|%|(?-i:[\s-]*(?:{_COUNTED})s?\b))", re.IGNORECASE
)
_ALONE = re.compile(rf"\b{_SEASON}\b", re.IGNORECASE)
_BARE_YEAR = re.compile(r"(?<![\d/$-])(?P<year>20\d\d)(?![\d/-])")
_ANY_YEAR = re.compile(r"(?<![\d/$-])(?:19|20)\d\d(?!\d)")
# What stands before a term that is named beside all else, and what is left of it behind.
# "register for winter 2027 classes" is for something, whatever the term.
_LED = re.compile(
    r"(?:\b(?:(?P<held>for|as of|of)|in|during|from|starting)\s+(?:the\s+)?|[(\[]\s*)$", re.IGNORECASE
)
_LEFT_OF_TERM = re.compile(
    r"^(?:\s+(?:term|semester|quarter|session|(?:academic|school) year)\b)?[)\]]?\s*,?", re.IGNORECASE
)
# With one of these begins what is of no such thing.
_ANEW = re.compile(
    r"\W*(?:$|(?:and|or|but|if|when|what|who|where|which|how|why|is|are|do|does|can|will|with|without|in|on|at|by|for|of|to|from"
    r"|as|the|an?|my|i|we|please|pls|thanks)\b)|\s*[?!.,;:)(]",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    rf"\b(?P<which>this|current|present|next|coming|upcoming|following|last|previous|past)\s+"
    rf"(?:academic\s+|school\s+)?(?:{_SEASON}|(?P<unit>term|semester|quarter|year))\b",
    re.IGNORECASE,
)
_STEP = dict.fromkeys(("next", "coming", "upcoming", "following"), 1) | dict.fromkeys(
    ("last", "previous", "past"), -1
)
LEAST_LEFT = 2  # words of a question that an academic year is left out of
_LAST_CENTURY = 70  # a year of two figures from this one on
_HALF_YEARS = ("spring", "fall")
_UNTIL = re.compile(r"\b(?:before|prior to|until)\s+(?:the\s+)?$", re.IGNORECASE)
_OF_PEOPLE = re.compile(
    r"\b(?:students?|freshm[ae]n|applicants?|admitted|admits|enter\w*|enrolled|declared|matriculat\w*|graduat\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, order=True)
class Term:
    """A stretch of days, both included, and its name: "2024-fall", "2024/25", or "2024" for a whole year."""

    start: date
    end: date
    name: str

    def affinity(self, other: Term) -> float:
        """How much of the shorter one lies in the other, 0 to 1."""
        common = (min(self.end, other.end) - max(self.start, other.start)).days + 1
        return max(0, common) / (min(self.end - self.start, other.end - other.start).days + 1)


def season_term(season: str, year: int) -> Term:
    """`("fall", 2024)` → the term "2024-fall"."""
    first, last = _SEASONS[season]
    return Term(date(year, *first), date(year, *last), f"{year}-{season}")


def academic_year(first: int) -> Term:
    """2024 → the academic year "2024/25"."""
    return Term(date(first, 7, 1), date(first + 1, 6, 30), f"{first}/{(first + 1) % 100:02d}")


@lru_cache(maxsize=1024)
def parse_term(name: str) -> Term:
    """The term of a name that a `Term` carries."""
    if "/" in name:
        return academic_year(int(name[:4]))
    year, _, season = name.partition("-")
    return season_term(season, int(year)) if season else _whole_year(int(year))


def terms_in(text: str) -> tuple[Term, ...]:
    """The terms and academic years that a text names with their year, each once, the oldest first."""
    return tuple(sorted({term for _, term in _terms_at(text)}))


def terms_named(name: str) -> tuple[Term, ...]:
    """Those of a title, a heading, an address or a question, where a year may have two figures: "Fall 96"."""
    return tuple(sorted({*terms_in(name), *map(_term, _SHORT_YEAR.finditer(name))}))


def has_ended(heading: str, today: date) -> bool:
    """Whether a heading says that what stands below held until a term that has begun: "Effective before fall
    2019". What holds for who came before it ("Students admitted before fall 2019") holds for them still."""
    if _OF_PEOPLE.search(heading):
        return False
    until = (match for match in _matches(heading) if _UNTIL.search(heading, 0, match.start()))
    return any(_term(match).start <= today for match in until)


def terms_in_url(url: str) -> tuple[Term, ...]:
    """`/calendar/2026-27/`, `/seminars-2026-2027/` and `/schedule/fall-2026.html` name terms."""
    path = re.sub(r"[/_.+]", " ", unquote(urlsplit(url).path))
    path = _YEARS_IN_PATH.sub(" ", path)
    return tuple(sorted({*terms_named(path), *terms_named(path.replace("-", " "))}))


def terms_asked(question: str, today: date) -> tuple[Term, ...]:
    """The terms that a question is about: named with their year, as "next fall", or by a year alone.

    A season without a year ("when do fall classes start") names none: any year's may be meant.
    """
    found = set(terms_named(question))
    found |= {_relative(match, today) for match in _RELATIVE.finditer(question)}
    years = {int(match["year"]) for match in _BARE_YEAR.finditer(question)}
    if not found and len(years) == 1:
        year = years.pop()
        seasons = {_season(match["season"]) for match in _ALONE.finditer(question)}
        found = {season_term(season, year) for season in seasons} or {_whole_year(year)}
    return tuple(sorted(found))


def seasons_in(text: str) -> frozenset[str]:
    """The seasons that a text names, with a year or without: "autumn" → "fall"."""
    return frozenset(_season(match["season"]) for match in _ALONE.finditer(text))


def seasons_on(day: date) -> frozenset[str]:
    """The seasons that a day may be of: one in January of winter or spring."""
    return frozenset(
        name for name in _SEASONS if (term := season_term(name, day.year)).start <= day <= term.end
    )


def season_of(term: Term) -> str:
    """ "2024-fall" → "fall"; "" for an academic or a whole year."""
    return term.name.partition("-")[2]


def names_time(text: str) -> bool:
    """Whether a text names a season or a year at all."""
    return _ALONE.search(text) is not None or _ANY_YEAR.search(text) is not None


def names_no_other_time(text: str, asked: Sequence[Term]) -> bool:
    """Whether all the terms that a text names are those asked for, in them or around them; days aside."""
    found = list(_terms_at(text))
    if any(max((one.affinity(term) for one in asked), default=0.0) < 1 for _, term in found):
        return False
    rest = _without(text, sorted(match.span() for match, _ in found))
    # Days are looked for where they may be all of it: it takes far longer.
    return not names_time(rest) or not names_time(without_days(rest))


def without_terms(question: str) -> str:
    """The question without the terms that it names beside all else: "add deadline for fall 2019" → "add
    deadline", "tuition this year" → "tuition". One that is asked about stays: "when does fall 2019 begin"."""
    text = question
    found = (*(match for match, _ in _terms_at(question)), *_RELATIVE.finditer(question))
    named = sorted(found, key=lambda match: -match.start())
    for match in named:
        before, after = text[: match.start()], text[match.end() :]
        led = _LED.search(before)
        is_last = match.re is _RELATIVE and not after.strip(" ?.!")
        if led is None and before.strip() and not is_last:
            continue
        left = _LEFT_OF_TERM.sub("", after)
        goes_on = led is not None and led["held"] and before.strip() and not _ANEW.match(left)
        kept = before[: led.start()] if led and not goes_on else before
        if match.re is _ACADEMIC_YEAR and len(f"{kept} {left}".split()) < LEAST_LEFT:
            continue  # "tuition for 2026-27": one word finds less than it does with its year
        text = f"{kept} {left}"
    return re.sub(r"\s+(?=[?!.,;:])", "", " ".join(text.split()))


def timeless(question: str, today: date) -> str:
    """The question without the terms that it names beside all else, where none of them is over: what a page
    says without a term holds in those that are and come."""
    is_over = any(term.end < today for term in terms_asked(question, today))
    return question if is_over else without_terms(question)


def preference(asked: Sequence[Term], named: Sequence[Term], today: date) -> float:
    """How well what a passage names suits what was asked for, −1 to 1; 0 when it names nothing.

    Without a term in the question, what is over is worse than what is now (0), and what is to come a little.
    """
    if not named:
        return 0.0
    if asked:
        return 2 * max(one.affinity(other) for one in asked for other in named) - 1
    if any(term.start <= today <= term.end for term in named):
        return 0.0
    return -0.25 if any(term.start > today for term in named) else -1.0


def current_term(today: date) -> Term:
    """Spring, summer or fall."""
    terms = (season_term(season, today.year) for season in ("spring", "summer", "fall"))
    return next(term for term in terms if today <= term.end)


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SPANISH = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
_MONTH_NUMBERS = (
    {name.casefold(): i for i, name in enumerate(MONTHS, 1)}
    | {name.casefold()[:3]: i for i, name in enumerate(MONTHS, 1)}
    | {name: i for i, name in enumerate(_SPANISH, 1)}
    | {"sept": 9, "setiembre": 9}
)
_MONTH = "|".join(sorted(_MONTH_NUMBERS, key=len, reverse=True))
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?"
_DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\w%$]|[:.,/]\d)"
_TO = r"\s*(?:-|–|—|to|through|thru|until|al?)\s*"
_DAYS_WRITTEN = [
    re.compile(
        rf"\b(?P<m1>{_MONTH})\b\.?\s*(?P<d1>{_DAY_NUMBER})(?:,?\s+(?P<y1>(?:19|20)\d\d)(?=\s*[-–—]))?"
        rf"(?:{_TO}(?:{_WEEKDAY},?\s+)?(?:(?P<m2>{_MONTH})\b\.?\s*)?(?P<d2>{_DAY_NUMBER}))?"
        rf"(?:(?:,|\s+of)?\s+(?P<y2>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<d1>{_DAY_NUMBER})(?:{_TO}(?P<d2>{_DAY_NUMBER}))?\s+(?:of\s+|de\s+)?(?P<m1>{_MONTH})\b"
        rf"(?:(?:,|\s+del?)?\s+(?P<y2>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\w/-])(?P<y2>20\d\d)-(?P<m1>0[1-9]|1[0-2])-(?P<d1>0[1-9]|[12]\d|3[01])(?![\w/-])"),
    re.compile(
        r"(?<![\w/.$-])(?P<m1>0?[1-9]|1[0-2])/(?P<d1>0?[1-9]|[12]\d|3[01])(?:/(?P<y2>(?:20)?\d\d))?(?![\w/%]|\.\d)"
    ),
    re.compile(
        r"(?<![\w/.$-])(?P<m1>0?[1-9]|1[0-2])/(?P<d1>0?[1-9]|[12]\d|3[01])(?:/(?:20)?\d\d)?\s*(?:-|–|—|to|through|thru)"
        r"\s*(?P<m2>0?[1-9]|1[0-2])/(?P<d2>0?[1-9]|[12]\d|3[01])(?:/(?P<y2>(?:20)?\d\d))?(?![\w/%]|\.\d)"
    ),
]


@dataclass(frozen=True, slots=True)
class WrittenDays:
    """Days as a text has them from character `start` to `end`: (month, day) each, both included.

    `year` is that of the last one, None where it is not written.
    """

    start: int
    end: int
    first: tuple[int, int]
    last: tuple[int, int]
    year: int | None = None

    def in_year(self, year: int) -> tuple[date, date] | None:
        """With the last of them in that year; None where there are no such days, February 29 among them."""
        try:
            return date(year - (self.first > self.last), *self.first), date(year, *self.last)
        except ValueError:
            return None

    def between(self, start: date, end: date) -> tuple[date, date] | None:
        """In the one year in which they begin between two days; None where that is none or several."""
        years = {self.year} if self.year else {start.year, start.year + 1, end.year, end.year + 1}
        found = [days for year in sorted(years) if (days := self.in_year(year))]
        inside = [days for days in found if start <= days[0] <= end]
        return inside[0] if len(inside) == 1 else None


def without_days(text: str) -> str:
    """The text with a space in place of each of its written days."""
    return _without(text, [(days.start, days.end) for days in days_in(text)])


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with a space in place of each of these, from the first to the last."""
    for start, end in reversed(spans):
        text = f"{text[:start]} {text[end:]}"
    return text


def days_in(text: str) -> list[WrittenDays]:
    """The days that a text writes, in order: "Nov 25–29, 2026", "27 de noviembre", "11/27"."""
    if not any(char.isdigit() for char in text):
        return []
    found = [
        days for pattern in _DAYS_WRITTEN for match in pattern.finditer(text) if (days := _written(match))
    ]
    kept: list[WrittenDays] = []
    for days in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or days.start >= kept[-1].end:
            kept.append(days)
    return kept


def dated_days(text: str) -> list[date]:
    """The last day of each stretch that a text writes with its year, in order."""
    return [days[1] for one in days_in(text) if one.year and (days := one.in_year(one.year))]


def _written(match: re.Match[str]) -> WrittenDays | None:
    said = match.groupdict()
    month, day = _month_number(said["m1"]), _day_number(said["d1"])
    last_month = _month_number(said["m2"]) if said.get("m2") else month
    last_day = _day_number(said["d2"]) if said.get("d2") else day
    year = int(said["y2"]) if said.get("y2") else None
    days = WrittenDays(
        match.start(),
        match.end(),
        (month, day),
        (last_month, last_day),
        year + 2000 if year is not None and year < 100 else year,
    )
    return days if days.in_year(2024) or days.in_year(2025) else None


def _month_number(text: str) -> int:
    return int(text) if text.isdigit() else _MONTH_NUMBERS[text.casefold()]


def _day_number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Where a text names a term with its year."""
    return chain.from_iterable(pattern.finditer(text) for pattern in _TERMS)


def _terms_at(text: str) -> Iterator[tuple[re.Match[str], Term]]:
    """The terms and academic years that a text names with their year, and where."""
    yield from ((match, _term(match)) for match in _matches(text))
    for match in filter(_follow, _ACADEMIC_YEAR.finditer(text)):
        yield match, academic_year(int(match["first"]))


def _term(match: re.Match[str]) -> Term:
    return season_term(_season(match["season"]), _full_year(match["year"]))


def _season(name: str) -> str:
    name = name.casefold()
    return _SHORT.get(name) or _SAME.get(name, name)


def _full_year(text: str) -> int:
    year = int(text.lstrip("'’"))
    return year if year >= 100 else year + (1900 if year >= _LAST_CENTURY else 2000)


def _follow(match: re.Match[str]) -> bool:
    """Whether the second year is the one after the first: "2024-25" is, "2019-2024" is not."""
    first, last = int(match["first"]), match["last"]
    return bool(int(last) == (first + 1) % 10 ** len(last))


def _whole_year(year: int) -> Term:
    return Term(date(year, 1, 1), date(year, 12, 31), str(year))


def _relative(match: re.Match[str], today: date) -> Term:
    step = _STEP.get(match["which"].casefold(), 0)
    if match["season"]:
        return _nearest(_season(match["season"]), step, today)
    if match["unit"].casefold() == "year":
        return academic_year((today - timedelta(days=181)).year + step)
    halves = today.year * 2 + (current_term(today).name.endswith("fall")) + step
    return season_term(_HALF_YEARS[halves % 2], halves // 2)


def _nearest(season: str, step: int, today: date) -> Term:
    """This fall is the one that is or comes; next fall the first that has not begun; last fall is over."""
    terms = [season_term(season, today.year + offset) for offset in (-1, 0, 1)]
    if step < 0:
        return [term for term in terms if term.end < today][-1]
    return next(term for term in terms if (term.start > today if step else term.end >= today))


def day_of(stamp: str | None) -> date | None:
    """The day of an ISO 8601 day or moment; None for what is none."""
    try:
        return datetime.fromisoformat(stamp).date() if stamp else None
    except ValueError:
        return None
