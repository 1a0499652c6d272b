"""Times of day and days of the week, as people write them: "8:30–4:30 p.m.", "Mon.–Thu.", "M-F"."""

from __future__ import annotations

import re

from server.lexicons import any_of, lexicon
from server.models.hours import DAY, Spans

_WORDS = lexicon("hours")

_HOUR = r"(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?"
_CLOCK = rf"(?:noon|midnight|mediodía|medianoche|{_HOUR}(?:\s*(?:a\.?m|p\.?m|[ap](?![a-z]))\b\.?)?)"
_TO = r"\s*(?:[-–—]|to|until|till|through|thru|a)\s*"
RANGE = re.compile(
    rf"(?<![\w$:.-])(?:from\s+|de\s+)?(?P<start>{_CLOCK}){_TO}(?P<end>{_CLOCK})(?![\w%:])", re.IGNORECASE
)
ONE_CLOCK = re.compile(rf"(?<![\w$:.-])(?P<clock>{_CLOCK})(?![\w%:–—-])", re.IGNORECASE)
HAS_MERIDIEM = re.compile(r"[ap]\.?m|[ap]$|noon|midnight|mediodía|medianoche", re.IGNORECASE)
_DOTTED = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)
_NAMES: list[str] = _WORDS["weekdays"]
_ONE_DAY = "|".join(f"(?P<{{0}}{i}>{names})" for i, names in enumerate(_NAMES))
DAYS = re.compile(
    rf"(?<![\w-])(?:(?P<all>{any_of(_WORDS['every_day'])})|(?P<work>{any_of(_WORDS['working_days'])})"
    rf"|(?P<end>{any_of(_WORDS['weekends'])})"
    rf"|(?:{_ONE_DAY.format('a')})\.?"
    rf"(?:\s*(?:–|—|-|to|through|thru|a)\s*(?:{_ONE_DAY.format('b')})(?:\.(?!\s+[A-Z]))?)?"
    r"|(?-i:(?P<la>M|T|W|Th|F|Sa?|Su)[-–](?P<lb>T|W|Th|F|Sa?|Su)(?![\w-])))(?![\w])",
    re.IGNORECASE,
)
_LETTERS = {"M": 0, "T": 1, "W": 2, "Th": 3, "F": 4, "S": 5, "Sa": 5, "Su": 6}
_WORD = re.compile(r"[^\W_]+")


def without_dots(text: str) -> str:
    """The text with "am" for "a.m.": its dots end no sentence."""
    return _DOTTED.sub(lambda match: f"{match[1].lower()}m", text)


def clock_in(text: str) -> int | None:
    """The one time of day that a question names, in minutes; None where it names none, or several."""
    found = [
        match["clock"]
        for match in ONE_CLOCK.finditer(without_dots(text))
        if HAS_MERIDIEM.search(match["clock"])
    ]
    return _minutes(found[0], "") if len(found) == 1 else None


def weekdays_of(text: str) -> tuple[int, ...]:
    """The days of the week, Monday being 0, where a text names nothing else: a column's or row's name."""
    days: set[int] = set()
    for match in DAYS.finditer(text):
        days |= set(days_of(match))
    left = set(_WORD.findall(DAYS.sub(" ", text).casefold()))
    return tuple(sorted(days)) if left <= {"and", "y", "day", "hours"} else ()


def days_of(match: re.Match[str]) -> tuple[int, ...]:
    """The days of the week of a match of `DAYS`."""
    said = match.groupdict()
    if said["all"]:
        return tuple(range(7))
    if said["work"]:
        return tuple(range(5))
    if said["end"]:
        return (5, 6)
    if said["la"]:
        first, last = _LETTERS[said["la"]], _LETTERS[said["lb"]]
    else:
        first = next(i for i in range(7) if said[f"a{i}"])
        last = next((i for i in range(7) if said[f"b{i}"]), first)
    return tuple(sorted((first + i) % 7 for i in range((last - first) % 7 + 1)))


def spans_of(start: str, end: str) -> Spans | None:
    """One stretch; None where it cannot be told which half of the day is meant."""
    has = [bool(HAS_MERIDIEM.search(one)) for one in (start, end)]
    if not any(has):
        return _without_meridiem(start, end)
    closes = _minutes(end, "") if has[1] else None
    if closes is None:
        opens = _minutes(start, "")
        found = [(opens, one) for half in "ap" if (one := _minutes(end, half)) > opens]
        return ((found[0][0], found[0][1]),) if len(found) == 1 else None
    closes = closes or DAY
    if has[0]:
        opens = _minutes(start, "")
    else:
        options = [one for half in "pa" if (one := _minutes(start, half)) < closes]
        if not options:
            return None
        opens = options[0]
    return ((opens, closes if closes > opens else closes + DAY),)


def _without_meridiem(start: str, end: str) -> Spans | None:
    """ "9:00–16:30" is of 24 hours, and "9:00–5:00" can mean one thing alone."""
    if not re.search(r"[:.]\d\d", start) or not re.search(r"[:.]\d\d", end):
        return None
    opens, closes = _minutes(start, "24"), _minutes(end, "24")
    if closes > 12 * 60 + 59 or start.startswith("0"):
        return ((opens, closes),) if opens < closes else None
    return ((opens, closes + DAY // 2),) if closes < opens < DAY // 2 else None


def _minutes(clock: str, half: str) -> int:
    """Minutes after midnight; `half` is "a" or "p" where the clock does not say, "24" of 24 hours."""
    said = clock.casefold()
    if said.startswith(("noon", "mediod")):
        return DAY // 2
    if said.startswith(("midnight", "medianoche")):
        return 0
    numbers = [int(number) for number in re.findall(r"\d+", said)]
    hours, minutes = numbers[0], numbers[1] if len(numbers) > 1 else 0
    own = re.search(r"([ap])", said)
    half = own[1] if own else half
    if half == "24" or hours > 12:
        return hours * 60 + minutes
    return (hours % 12 + (12 if half == "p" else 0)) * 60 + minutes
