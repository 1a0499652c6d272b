"""When a question means: "this saturday", "over thanksgiving", "nov 27" as days of the calendar.

The words are in `corpus/lexicons/time.toml`. Terms, breaks and examinations are what the site's own calendar
says they are; holidays go by their rules. What can be read in two ways stays unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from server.academic_terms import MONTHS, WEEKDAYS, days_in, season_term, terms_asked, without_days
from server.lexicons import any_of, lexicon
from server.models import CalendarEntry

# So many days are still called by their dates; longer stretches have names alone.
FEW_DAYS = 14
# A day without a year is the next one of that name, unless it was so lately that it may be meant.
LATELY = timedelta(days=31)
# Days that a question names apart from each other are one stretch if it is no longer than this.
ONE_STRETCH = timedelta(days=31)
# From the first class to the last examination.
LONGEST_TERM = timedelta(days=130)

_WORDS = lexicon("time")
# What was is asked for, and not what is to come.
MEANS_PAST = lexicon("deadlines").part("asked").pattern("past", r"(?<!\w)(?:{})(?!\w)")
_WEEKDAYS = _WORDS.part("weekdays")
_WHICH = _WORDS.part("which")
_SPANS = _WORDS.part("spans")
_BESIDE = _WORDS.part("beside")


@dataclass(frozen=True, slots=True)
class AskedTime:
    """The days that a question is about, both included, and the `words` that say so.

    `written` are the words that a page may have for them: "Saturday", "November 28", "Thanksgiving recess".
    `taught`: whether a term is on, from its first class to its last examination; None where the site's
    calendar does not say.
    """

    first: date
    last: date
    words: str
    written: str = ""
    taught: bool | None = None

    @property
    def notes(self) -> dict[str, str]:
        """For the trace."""
        days = {"first": self.first.isoformat(), "last": self.last.isoformat()}
        return {"words": self.words, **days, "written": self.written}


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    first: date
    last: date
    name: str = ""


def without_time(question: str, words: str) -> str:
    """The question without its written days and these `words` of an `AskedTime`."""
    left = without_days(question)
    for part in filter(None, words.split(" … ")):
        left = left.replace(part, " ")
    return left


def asked_time(question: str, today: date, calendar: Sequence[CalendarEntry] = ()) -> AskedTime | None:
    """The days that a question names; None where it names none, or several stretches."""
    found = _apart(
        [one for read in _READERS for one in read(question, today, calendar)],
        [
            match.span()
            for match in (
                *_HABIT.finditer(question),
                *_NAMED_BY_DAY.finditer(question),
                *_unclear(question, today, calendar),
            )
        ],
    )
    if not found or _named_lately(question, today):
        return None
    first, last = min(one.first for one in found), max(one.last for one in found)
    if len(found) > 1 and last - first > ONE_STRETCH:
        return None
    words = " … ".join(question[one.start : one.end] for one in found)
    names = [one.name for one in found if one.name]
    return AskedTime(first, last, words, _written(first, last, names, calendar), is_taught(first, calendar))


def habits_in(question: str) -> list[str]:
    """The words of a question for what is so every week: "fridays", "every sunday", "monday to friday"."""
    return [match[0] for match in _HABIT.finditer(question)]


def is_occasion(words: str) -> bool:
    """Whether these words of a question name a holiday, or what is on in a term: "finals", "spring break"."""
    patterns = (*(says for _, _, says in _HOLIDAYS), *(says for _, says, _ in _EVENTS))
    return any(pattern.search(words) for pattern in patterns)


def _unclear(question: str, today: date, calendar: Sequence[CalendarEntry]) -> Iterator[re.Match[str]]:
    """What the site's calendar does not tell; on a Sunday, "this week" and "next tuesday", which people take
    for different weeks."""
    for name, says, _ in _EVENTS:
        yield from (match for match in says.finditer(question) if _event(name, today, calendar) is None)
    if today.weekday() != 6:
        return
    for match in _WEEKDAY_LED.finditer(question):
        if (match["next"] or match["then"]) and not (match["d6"] or match["e6"]):
            yield match
    for match in _WEEKS.finditer(question):
        if not (match["weekend"] or match["weekend2"] or match["month"] or match["month2"]):
            yield match


def _apart(found: Sequence[_Found], habits: Sequence[tuple[int, int]]) -> list[_Found]:
    """Those that overlap no longer one before them, in their order, without what is so every week."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda one: (one.start - one.end, one.start)):
        taken = [*habits, *((other.start, other.end) for other in kept)]
        if all(one.end <= start or end <= one.start for start, end in taken):
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


_Reader = Callable[[str, date, Sequence[CalendarEntry]], Iterator[_Found]]


def _pattern(entries: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{entries})(?![\w-])", re.IGNORECASE)


_RELATIVE = [(int(n), _pattern(any_of(says))) for n, says in _WORDS.part("relative").items()]
_THIS, _NEXT, _LAST = (any_of(_WHICH[name]) for name in ("this", "next", "last"))
_NEXT_AFTER, _LAST_AFTER = any_of(_WHICH["next_after"]), any_of(_WHICH["last_after"])
_LED = rf"(?:(?P<this>{_THIS})|(?P<next>{_NEXT})|(?P<last>{_LAST}))"
_FOLLOWED = rf"(?:\s+(?:(?P<then>{_NEXT_AFTER})|(?P<past>{_LAST_AFTER})))"
_NAMED_DAYS = "|".join(
    rf"(?P<d{i}>{'|'.join(filter(None, names))})"
    for i, names in enumerate(zip(_WEEKDAYS["full"], _WEEKDAYS["short"], strict=True))
)
_LED_DAYS = "|".join(
    rf"(?P<d{i}>{full}|{short})"
    for i, (full, short) in enumerate(zip(_WEEKDAYS["full"], _WEEKDAYS["shorter"], strict=True))
)
_WEEKDAY_LED = _pattern(
    rf"(?<!the )(?:{_LED}\s+(?:{_LED_DAYS})|(?:el )?(?:{_NAMED_DAYS.replace('?P<d', '?P<e')}){_FOLLOWED})"
)
_WEEKDAY = _pattern(_NAMED_DAYS)
_ANY_DAY = re.sub(r"\?P<d\d>", "?:", _NAMED_DAYS)
# Days that are so every week: "every friday", "fridays", "monday to friday".
_HABIT = _pattern(
    rf"(?:{any_of(_WORDS['habits'])})\s+(?:(?:single|other)\s+)?(?:{_ANY_DAY}|day|week|{_SPANS['weekend']})s?"
    rf"|(?:on\s+)?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|sábado|sabado|domingo)s"
    rf"|(?:{_ANY_DAY})\s*(?:-|–|to|through|thru|a)\s*(?:{_ANY_DAY})|(?:saturday|sat)\s*(?:and|&|/|or)\s*(?:sunday|sun)s"
)
# A day that belongs to a name: "the saturday programme".
_NAMED_BY_DAY = _pattern(
    rf"(?:for )?(?:the|an?|my|our|your|his|her|their|el|la|mi) (?:{_ANY_DAY}|{_SPANS['weekend']}) "
    rf"(?:[a-z]+ )?(?:{any_of(_WORDS['named_by_day'])})"
)
_WEEKS = _pattern(
    rf"(?:{_LED}\s+(?:(?P<weekend>{_SPANS['weekend']})|{_SPANS['week']}|(?P<month>{_SPANS['month']}))"
    rf"|(?:la |el )?(?:(?P<weekend2>{_SPANS['weekend']})|{_SPANS['week']}|(?P<month2>{_SPANS['month']}))"
    rf"{_FOLLOWED})(?! of\b| before| after)"
)
_THE_WEEKEND = _pattern(any_of(_SPANS["the_weekend"]))
_COUNTED = _pattern(
    r"(?:in (?P<n>\d{1,2}|an?|one|two|three|four) (?P<unit>day|week)s?(?! or\b)"
    r"|(?P<n2>\d{1,2}|an?|one|two|three|four) (?P<unit2>day|week)s? (?:from (?:now|today)|(?P<ago>ago)))"
)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_THE_NTH = _pattern(
    r"(?:on |by |until |till )the (?P<day>[12]?\d|3[01])(?:st|nd|rd|th)"
    r"(?! (?:floor|street|st|ave|grade|year|edition|century|day|week|of)\b)"
)
_HOLIDAYS = [(row["page"], row["rule"].split(), _pattern(any_of(row["says"]))) for row in _WORDS["holidays"]]
_EVENTS = [
    (row["name"], _pattern(any_of(row["says"])), _pattern(any_of(row["page"]))) for row in _WORDS["events"]
]
_PAGE_SAYS = {name: page for name, _, page in _EVENTS}
_BESIDE_DAY = re.compile(
    rf"\b(?:(?:the|el)\s+)?(?:(?P<day>{_BESIDE['day']})|{_NAMED_DAYS})\s+"
    rf"(?:(?P<before>{_BESIDE['before']})|{_BESIDE['after']})\s+(?:de\s+)?(?:the\s+|la\s+|el\s+)?$",
    re.IGNORECASE,
)
_SEASON = _pattern(any_of(_WORDS["seasons"]["says"]))


def _relative(question: str, today: date, _: Sequence[CalendarEntry]) -> Iterator[_Found]:
    for offset, pattern in _RELATIVE:
        day = today + timedelta(days=offset)
        yield from (_Found(*match.span(), day, day) for match in pattern.finditer(question))


def _counted(question: str, today: date, _: Sequence[CalendarEntry]) -> Iterator[_Found]:
    """ "in two weeks", "3 days ago"."""
    for match in _COUNTED.finditer(question):
        number = (match["n"] or match["n2"]).casefold()
        days = int(_NUMBERS.get(number, 0) or number) * (
            7 if (match["unit"] or match["unit2"]) == "week" else 1
        )
        day = today + timedelta(days=-days if match["ago"] else days)
        yield _Found(*match.span(), day, day)


def _weekdays(question: str, today: date, _: Sequence[CalendarEntry]) -> Iterator[_Found]:
    """A weekday is the first one from today on; the next one is of the week after this, from Monday on."""
    for match in _WEEKDAY_LED.finditer(question):
        weekday = next(i for i in range(7) if match[f"d{i}"] or match[f"e{i}"])
        ahead = (weekday - today.weekday()) % 7
        if match["next"] or match["then"]:
            day = today + timedelta(days=7 - today.weekday() + weekday)
        elif match["last"] or match["past"]:
            day = today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
        else:
            day = today + timedelta(days=ahead)
        yield _Found(*match.span(), day, day)
    for match in _WEEKDAY.finditer(question):
        weekday = next(i for i in range(7) if match[f"d{i}"])
        day = today + timedelta(days=(weekday - today.weekday()) % 7)
        yield _Found(*match.span(), day, day)


def _weeks(question: str, today: date, _: Sequence[CalendarEntry]) -> Iterator[_Found]:
    """Weeks from Monday to Sunday, weekends, months."""
    for match in _WEEKS.finditer(question):
        step = 1 if match["next"] or match["then"] else -1 if match["last"] or match["past"] else 0
        if match["month"] or match["month2"]:
            months = today.year * 12 + today.month - 1 + step
            first, after = _month(months), _month(months + 1)
            yield _Found(*match.span(), first, after - timedelta(days=1))
            continue
        monday = today + timedelta(days=7 * step - today.weekday())
        weekend = match["weekend"] or match["weekend2"]
        yield _Found(*match.span(), monday + timedelta(days=5 if weekend else 0), monday + timedelta(days=6))
    for match in _THE_WEEKEND.finditer(question):
        saturday = today + timedelta(days=5 - today.weekday())
        yield _Found(*match.span(), saturday, saturday + timedelta(days=1))


def _named_lately(question: str, today: date) -> bool:
    """Whether a day without a year was so lately that it may be meant, or the next of its name."""
    days = [
        one.in_year(year)
        for one in days_in(question)
        if not one.year
        for year in (today.year, today.year - 1)
    ]
    return any(one and timedelta() < today - one[1] <= LATELY for one in days)


def _month(months: int) -> date:
    return date(months // 12, months % 12 + 1, 1)


def _dates(question: str, today: date, _: Sequence[CalendarEntry]) -> Iterator[_Found]:
    """ "nov 27", "12/3", "the 27th": the next one of that name."""
    for written in days_in(question):
        years = [written.year] if written.year else range(today.year, today.year + 9)
        days = [one for year in years if (one := written.in_year(year)) and (written.year or one[1] >= today)]
        if days:
            yield _Found(written.start, written.end, *days[0])
    for match in _THE_NTH.finditer(question):
        months = today.year * 12 + today.month - 1 + (int(match["day"]) < today.day)
        day = _month(months) + timedelta(days=int(match["day"]) - 1)
        if day.month == _month(months).month:
            yield _Found(*match.span(), day, day)


def _holidays(question: str, today: date, calendar: Sequence[CalendarEntry]) -> Iterator[_Found]:
    """A holiday is the next one from today on, unless it is last year's; and days beside one."""
    for page, rule, pattern in _HOLIDAYS:
        for match in pattern.finditer(question):
            year = next(y for y in (today.year, today.year + 1) if holiday(rule, y) >= today)
            yield _beside(question, match.span(), holiday(rule, year), page)
    for name, says, _ in _EVENTS:
        for match in says.finditer(question):
            entry = _event(name, today, calendar)
            if entry is not None:
                yield _Found(*match.span(), entry.first, entry.last, entry.name)


def _beside(question: str, span: tuple[int, int], day: date, page: str) -> _Found:
    """The holiday, or the day before or after it that the words before say."""
    start, end = span
    match = _BESIDE_DAY.search(question, 0, start)
    if match is None:
        return _Found(start, end, day, day, page)
    sign = -1 if match["before"] else 1
    weekday = next((i for i in range(7) if match[f"d{i}"]), None)
    away = 1 if weekday is None else (sign * (weekday - day.weekday())) % 7 or 7
    other = day + timedelta(days=sign * away)
    return _Found(match.start(), end, other, other, page)


def _event(name: str, today: date, calendar: Sequence[CalendarEntry]) -> CalendarEntry | None:
    """The event of that name that is or comes next, as the page that tells most of days has it."""
    coming = [one for one in calendar if one.last >= today and _says(name, one)]
    if not coming:
        return None
    soonest = min(one.first for one in coming)
    same = [one for one in coming if one.first <= soonest + timedelta(days=FEW_DAYS)]
    told = {one.url: sum(other.url == one.url for other in calendar) for one in same}
    return max(same, key=lambda one: (told[one.url], one.last - one.first))


def _terms(question: str, today: date, calendar: Sequence[CalendarEntry]) -> Iterator[_Found]:
    """ "this semester", "next fall", "over the summer"."""
    terms = terms_asked(question, today)
    if len(terms) == 1 and not terms[0].name.isdigit() and "/" not in terms[0].name:
        match = _TERM_WORDS.search(question)
        if match:
            first, last = _taught(terms[0].start, terms[0].end, calendar)
            year, _, season = terms[0].name.partition("-")
            yield _Found(*match.span(), first, last, f"{season.title()} {year}")
    for match in _SEASON.finditer(question):
        season = (
            _SEASONS.get((match["es"] or match["es2"] or "").casefold())
            or (match["season"] or match["other"] or "").casefold()
        )
        term = next(t for y in (today.year, today.year + 1) if (t := season_term(season, y)).end >= today)
        yield _Found(
            *match.span(), *_taught(term.start, term.end, calendar), f"{season.title()} {term.end.year}"
        )


_SEASONS = {"verano": "summer", "otoño": "fall"}
_TERM_WORDS = _pattern(
    r"(?:this|current|present|next|coming|upcoming|following|last|previous|past)\s+"
    r"(?:fall|spring|summer|winter|autumn|term|semester|quarter)(?:\s+(?:semester|term|quarter))?"
    r"|(?:fall|spring|summer|winter|autumn)(?:\s+(?:semester|term|quarter))?,?\s+(?:of\s+)?20\d\d"
)


def _taught(start: date, end: date, calendar: Sequence[CalendarEntry]) -> tuple[date, date]:
    """From the first day of classes to the end of examinations, where the calendar has both."""
    begins = _entries("classes begin", start, end, calendar)
    ends = _entries("finals", start, end, calendar) or _entries("classes end", start, end, calendar)
    if not begins or not ends:
        return start, end
    return min(one.first for one in begins), max(one.last for one in ends)


def is_taught(day: date, calendar: Sequence[CalendarEntry]) -> bool | None:
    """Whether a term is on, by the calendar's last beginning of classes and the end that follows it."""
    begins = [one.first for one in calendar if _says("classes begin", one) and one.first <= day]
    begun = max(begins, default=day)
    ends = [
        one.last
        for one in calendar
        if (_says("finals", one) or _says("classes end", one)) and begun < one.last <= begun + LONGEST_TERM
    ]
    if not begins or not ends or day > begun + 2 * LONGEST_TERM:
        return None
    return day <= max(ends)


def event_named(text: str) -> tuple[str, str]:
    """The event of a term that a question names, by its name in `events_of`, and its words; "" for none."""
    found = ((name, match[0]) for name, says, _ in _EVENTS if (match := says.search(text)))
    return next(found, ("", ""))


def holiday_named(text: str) -> tuple[str, str]:
    """The holiday that a question names, as pages call it, and its words; "" for none."""
    found = ((page, match[0]) for page, _, says in _HOLIDAYS if (match := says.search(text)))
    return next(found, ("", ""))


def holidays_of(entry: CalendarEntry) -> frozenset[str]:
    """The holidays that a calendar's entry names, as pages call them."""
    return frozenset(page for page, _, says in _HOLIDAYS if says.search(entry.name))


def events_of(entry: CalendarEntry) -> frozenset[str]:
    """What a calendar's entry is by its name: "finals", "spring break"."""
    return frozenset(name for name in _PAGE_SAYS if _says(name, entry))


def _says(name: str, entry: CalendarEntry) -> bool:
    """Whether a calendar's entry is that event by its name."""
    return _PAGE_SAYS[name].search(entry.name) is not None


def _entries(name: str, start: date, end: date, calendar: Sequence[CalendarEntry]) -> list[CalendarEntry]:
    inside = [one for one in calendar if start <= one.first <= end and _says(name, one)]
    told = {one.url: sum(other.url == one.url for other in calendar) for one in inside}
    most = max(told.values(), default=0)
    return [one for one in inside if told[one.url] == most]


_READERS: tuple[_Reader, ...] = (_relative, _counted, _weekdays, _weeks, _dates, _holidays, _terms)


@lru_cache(maxsize=256)
def _holiday(rule: tuple[str, ...], year: int) -> date:
    if rule[0] == "easter":
        return easter(year) + timedelta(days=int(rule[1]))
    if rule[0] == "thanksgiving":
        return _nth(year, 11, 3, 4) + timedelta(days=int(rule[1]))
    if rule[0] == "election":
        return _nth(year, 11, 0, 1) + timedelta(days=1)
    numbers = [int(number) for number in rule]
    return date(year, *numbers) if len(numbers) == 2 else _nth(year, *numbers)


def holiday(rule: Sequence[str], year: int) -> date:
    """The day of a holiday's rule in a year: ("11", "3", "4") is the fourth Thursday of November."""
    return _holiday(tuple(rule), year)


def _nth(year: int, month: int, weekday: int, nth: int) -> date:
    if nth < 0:
        last = _month(year * 12 + month) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (the anonymous algorithm, Meeus, "Astronomical Algorithms")."""
    century, rest = divmod(year, 100)
    cycle = year % 19
    epact = (19 * cycle + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    later = (cycle + 11 * epact + 22 * sunday) // 451
    month, day = divmod(epact + sunday - 7 * later + 114, 31)
    return date(year, month, day + 1)


def _written(first: date, last: date, names: Sequence[str], calendar: Sequence[CalendarEntry]) -> str:
    """What a page may write for these days: their dates where they are few, and what is on."""
    on = [one.name for one in calendar if one.first <= first and last <= one.last] if first else []
    words = [*names, *on]
    if last - first < timedelta(days=FEW_DAYS):
        words += [f"{MONTHS[day.month - 1]} {day.day}" for day in dict.fromkeys((first, last))]
        if first == last:
            words.append(WEEKDAYS[first.weekday()])
    return " ".join(dict.fromkeys(" ".join(words).split()))
