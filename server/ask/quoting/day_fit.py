"""How well a line of a page suits the days that a question means: the row of that Saturday, that term's date.

An exception to the week names its dates and stands above the weekday's own row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache

from server.academic_terms import Term, WrittenDays, days_in, season_term, terms_in, without_days
from server.ask.conversation.asked_time import FEW_DAYS, AskedTime, habits_in, is_occasion
from server.lexicons import any_of, lexicon

# Of these days, of another one; the same of a weekday or a term, which say less than a date.
DATE, WEEKDAY, OTHER = 1.0, 0.6, -0.6
EXCEPTION = -0.3  # of some dates, where every week is meant
LEAP_YEAR = 2024  # it has every day that may be written
# So many letters and digits beside its dates has a line that is made of them: "Week 2".
DATES_ALONE = 8
# Of a day within a month of them, where that may be asked for.
NOT_FAR, MONTH = 0.3, timedelta(days=31)

_WEEKDAYS = lexicon("time").part("weekdays")
# A page writes the short names of the weekend large: "sat" and "sun" are words.
_WEEKEND = {5: "(?-i:Sat|SAT)", 6: "(?-i:Sun|SUN)"}
_NAMES = [
    "|".join(filter(None, (*names, _WEEKEND.get(i))))
    for i, names in enumerate(zip(_WEEKDAYS["full"], _WEEKDAYS["short"], strict=True))
]
_ONE = "|".join(f"(?P<{{0}}{i}>{names})" for i, names in enumerate(_NAMES))
_RANGE = re.compile(
    rf"(?<![\w-])(?:(?P<all>daily|every day|(?:seven|7) days a week|todos los días)"
    rf"|(?P<work>weekdays|(?:on|each|every) (?:class|school|business|working|work) ?days?|entre semana)"
    rf"|(?P<end>weekends?|fines? de semana)"
    rf"|(?:{_ONE.format('a')})s?\.?(?:\s*(?:–|—|-|to|through|thru|a)\s*(?:{_ONE.format('b')})s?\.?)?)(?![\w])",
    re.IGNORECASE,
)
_PERIODS = {
    is_taught: re.compile(rf"\b(?:{any_of(lexicon('time').part('periods')[name])})\b", re.IGNORECASE)
    for name, is_taught in (("taught", True), ("free", False))
}
_ASKED_HOURS = lexicon("hours").part("asked")
_OPENING = _ASKED_HOURS.pattern("opening", r"\b(?:{})\b")
_OTHERS = _ASKED_HOURS.pattern("not_usual", r"\b(?:{})\b")
# Before a date: what holds from it on, or until it, is no exception.
_OPEN_ENDED = re.compile(
    r"\b(?:from|since|starting|beginning|effective|as of|until|till|through|desde|hasta)(?: on)?\W*$",
    re.IGNORECASE,
)
_SEASON = re.compile(r"\b(fall|autumn|spring|summer|winter)\b", re.IGNORECASE)


def day_fit(line: str, above: str, asked: AskedTime) -> float:
    """From 1 for a line of the very days to −1 for one of others; 0 where neither it nor what is above does.

    `above` are the title and headings that it stands below: the weekdays of another term are other days.
    """
    own, section = _days_fit(line, asked, above), _days_fit(above, asked)
    if not own:
        return section
    return section if section < 0 and abs(own) < DATE else own


def dates_above(text: str, start: int) -> str:
    """The last line before a character that is made of dates alone, and holds for what stands below it:
    "10/7/19 – 10/11/19 (Week 2)"; "" for none."""
    return next((line for end, line in reversed(_lines_of_dates(text)) if end < start), "")


@lru_cache(maxsize=64)
def _lines_of_dates(text: str) -> tuple[tuple[int, str], ...]:
    """The lines that are made of dates alone, each with where it ends: asked for every sentence of a text."""
    found, end = [], -1
    for line in text.split("\n"):
        end += 1 + len(line)
        if days_in(line) and sum(map(str.isalnum, without_days(line))) <= DATES_ALONE:
            found.append((end, line))
    return tuple(found)


def day_or_another_fit(line: str, above: str, asked: AskedTime) -> float:
    """The same where a day not far from these may be the answer: "what day do we leave for christmas"."""
    found = day_fit(line, above, asked)
    if found >= 0:
        return found
    days = (_near(one, asked) for one in days_in(line))
    return NOT_FAR if any(one and abs(one[0] - asked.first) <= MONTH for one in days) else 0.0


def usual_weekdays(question: str) -> frozenset[int]:
    """The days of the week that a question means every week ("fridays"), Monday being 0; none for all."""
    found = frozenset(day for words in habits_in(question) for day in weekdays_of(words))
    return found if len(found) < 7 else frozenset()


def usual_fit(line: str, above: str, weekdays: frozenset[int]) -> float:
    """The same of what is so on these days every week: what holds for some dates is not that, and what holds
    from a date on need not be it yet."""
    (own, is_dated), (section, _) = (_usual_fit(text, weekdays) for text in (line, above))
    if own > 0 and is_dated:
        own = 0.0
    return section if section < 0 or not own else own


def _usual_fit(text: str, weekdays: frozenset[int]) -> tuple[float, bool]:
    """The fit of one text, and whether it names a few days."""
    few = [one for one in days_in(text) if _is_short(one)]
    if any(not _OPEN_ENDED.search(text[: one.start]) for one in few):
        return EXCEPTION, True
    named = weekdays_of(text)
    return (WEEKDAY if weekdays & named else OTHER) if named else 0.0, bool(few)


def _is_short(one: WrittenDays) -> bool:
    """Whether it is a few days, and no term."""
    days = one.in_year(one.year or LEAP_YEAR)
    return days is not None and days[1] - days[0] <= timedelta(days=FEW_DAYS)


def season_fit(line: str, above: str, question: str) -> float:
    """The same by seasons alone, where a question names one: "when is the spring payment due"."""
    wanted = _seasons_of(question)
    for text in (line, above):
        if len(wanted) == 1 and (named := _seasons_of(text)):
            return WEEKDAY if wanted <= named else OTHER
    return 0.0


def asks_usual_hours(question: str) -> bool:
    """Whether it asks when something is open and names no season, term, holiday, break or days of every week:
    "library hours"."""
    if not _OPENING.search(question) or any(one.search(question) for one in (_OTHERS, *_PERIODS.values())):
        return False
    named = (_seasons_of(question), terms_in(question), usual_weekdays(question))
    return not (any(named) or is_occasion(question))


def current_fit(line: str, above: str, today: date, taught: bool | None) -> float:
    """The same of usual hours, where those that hold now are meant: not some other days', nor another term's
    or season's. `taught`: whether a term is on, None where that is not known."""
    fits = [fit for text in (line, above) for fit in _current_fits(text, today, taught)]
    least, most = min(fits, default=0.0), max(fits, default=0.0)
    return least if least < 0 else most


def _current_fits(text: str, today: date, taught: bool | None) -> Iterator[float]:
    few = (one for one in days_in(text) if _is_short(one) and not _OPEN_ENDED.search(text[: one.start]))
    stretches = [days for one in few if (days := one.in_year(one.year or today.year))]
    if stretches and not any(first <= today <= last for first, last in stretches):
        yield EXCEPTION
    if terms := terms_in(text):
        if not any(term.start <= today <= term.end for term in terms):
            yield OTHER
    elif (seasons := _seasons_of(text)) and not any(_holds(name, today) for name in seasons):
        yield OTHER
    if taught is not None:
        yield from (OTHER for _ in _PERIODS[not taught].finditer(text))
        yield from (WEEKDAY for _ in _PERIODS[taught].finditer(text))


def is_of_days(asked: AskedTime) -> bool:
    """Whether a few days are asked about, and no term."""
    return asked.last - asked.first <= timedelta(days=FEW_DAYS)


def _days_fit(text: str, asked: AskedTime, above: str = "") -> float:
    """The fit of one text. Dates go before weekdays, and these before a season, which only tells other days.
    So does what holds in term, or between terms alone. A date without its year is of the term that the text
    names, or what is `above`.

    Of a whole term its name alone counts: what is to be done for it is due before.
    """
    if not is_of_days(asked):
        return _term_fit(text, asked)
    stretch = asked.last - asked.first
    if written := days_in(text):
        terms = terms_in(text) or terms_in(above)
        meant = [days for one in written if (days := _near(one, asked, terms)) is not None]
        return DATE if any(_meets(first, last, asked) for first, last in meant) else -DATE
    if asked.taught is not None and _PERIODS[not asked.taught].search(text):
        return OTHER
    weekdays = weekdays_of(text)
    if not weekdays or stretch >= timedelta(days=7):
        return min(0.0, _term_fit(text, asked))
    meant_days = {(asked.first + timedelta(days=i)).weekday() for i in range(stretch.days + 1)}
    return WEEKDAY if meant_days & weekdays else OTHER


def _near(one: WrittenDays, asked: AskedTime, terms: Sequence[Term] = ()) -> tuple[date, date] | None:
    """The written days in their own year, in that in which one of these terms has them, or in the year that
    is nearest to what is asked."""
    years = [one.year] if one.year else [asked.first.year - 1, asked.first.year, asked.first.year + 1]
    own = [
        days
        for term in (() if one.year else terms)
        for year in {term.start.year, term.end.year}
        if (days := one.in_year(year)) and term.start <= days[0] <= term.end
    ]
    found = own or [days for year in years if (days := one.in_year(year))]
    return min(found, key=lambda days: abs(days[0] - asked.first), default=None)


def _meets(first: date, last: date, asked: AskedTime) -> bool:
    return first <= asked.last and asked.first <= last


def weekdays_of(text: str) -> set[int]:
    """The days of the week that a text names, Monday being 0."""
    found: set[int] = set()
    for match in _RANGE.finditer(text):
        if match["all"]:
            found |= set(range(7))
        elif match["work"]:
            found |= set(range(5))
        elif match["end"]:
            found |= {5, 6}
        else:
            first = next(i for i in range(7) if match[f"a{i}"])
            last = next((i for i in range(7) if match[f"b{i}"]), first)
            found |= {(first + i) % 7 for i in range((last - first) % 7 + 1)}
    return found


def _term_fit(text: str, asked: AskedTime) -> float:
    """Whether a line names the term that is asked about, with its year or as a season alone."""
    terms = terms_in(text)
    if terms:
        return WEEKDAY if any(_meets(term.start, term.end, asked) for term in terms) else OTHER
    seasons = _seasons_of(text)
    middle = asked.first + (asked.last - asked.first) / 2
    return (WEEKDAY if any(_holds(name, middle) for name in seasons) else OTHER) if seasons else 0.0


def _seasons_of(text: str) -> set[str]:
    return {found.casefold().replace("autumn", "fall") for found in _SEASON.findall(text)}


def _holds(season: str, day: date) -> bool:
    term = season_term(season, day.year)
    return term.start <= day <= term.end
