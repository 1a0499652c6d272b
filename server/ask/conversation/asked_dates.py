"""Which days of a term a question asks for: its beginning and end, its breaks, examinations and holidays.

The words are in `corpus/lexicons/term_dates.toml`; what events are called is in `time.toml`. Which lines of
the site's calendars answer, `server/ask/term_dates.py` says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from server.academic_terms import MONTHS, SEASON_WORDS, Term, seasons_in, terms_asked
from server.ask.conversation.asked_time import MEANS_PAST, event_named, holiday_named
from server.ask.conversation.phrases import AUXILIARIES
from server.lexicons import lexicon

# All holidays and breaks, where none of them is named.
DAYS_OFF = "days off"
# Events that are asked for by their names alone.
ALONE = frozenset(
    {"spring break", "fall break", "winter break", "thanksgiving", "finals", "reading days", DAYS_OFF}
)
# What asks by a few words, and no word for asking, has no more.
FEW_WORDS = 6

_WORDS = lexicon("term_dates")
_OTHER_ASKS, _PERIODS, _CLASSES, _FILLERS, _OF_DAYS_OFF = (
    _WORDS.words(name) for name in ("other_asks", "periods", "classes", "fillers", "of_days_off")
)
_ASKS, _BEGINS, _ENDS, _AFTER_BREAK, _TELLS, _ASKS_OFF = (
    _WORDS.pattern(name, r"(?<!\w)(?:{})(?!\w)")
    for name in ("asks", "begins", "ends", "after_break", "tells", "asks_off")
)
_NAMES = [(row["name"], row.pattern("says", r"(?<![\w-])(?:{})(?![\w-])")) for row in _WORDS["events"]]
# A question that begins behind a story: turned ("when does", "what day is"), or set off by a mark.
_TURNED = "|".join(AUXILIARIES)
_BEGINS_ASKING = _WORDS.pattern(
    "begins_asking",
    rf"(?<!\w)(?:{{}})(?=\s+(?:{_TURNED})\b)|(?<=[,;:.!?…–-]\s)(?:when|what|which|how)\b",
)
# What sets a story off from a question.
_APART = re.compile(r"[,;:.!?…–]")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
# What has figures is a year, or the code of something: "15-213", "10A", "60%".
_FIGURES = re.compile(r"[\w'-]*\d[\w'%-]*")
_YEAR = re.compile(r"(?:19|20)\d\d(?:-(?:20)?\d\d)?|[a-z]*'?\d\d", re.IGNORECASE)
_MONTHS = {name.casefold(): n for n, name in enumerate(MONTHS, 1)}


@dataclass(frozen=True, slots=True)
class AskedDates:
    """The `events` whose days a question asks for: by the names of `events_of`, or as `time.toml` has a
    holiday's, or DAYS_OFF; of which `terms` (none: the next ones, or the last where the `past` is meant),
    `season` and `month` (0: any), the words of a `matter` besides, and those of a `story` around it."""

    events: tuple[str, ...]
    terms: tuple[Term, ...]
    season: str
    month: int
    matter: tuple[str, ...]
    past: bool
    story: tuple[str, ...] = ()


def asked_dates(text: str, today: date) -> AskedDates | None:
    """What days of terms a question asks for; None for any other question."""
    whole, breaks = _AFTER_BREAK.subn(" ", text.replace("’", "'"))
    named, spoken = _event(whole)
    start, end = _clause(whole, spoken)
    clause = whole[start:end]
    rest = clause.replace(spoken, " ") if spoken else clause
    words = _words(rest)
    terms, seasons = terms_asked(clause, today), seasons_in(rest)
    if max(len(seasons), len(terms)) > 1:
        return None
    if not _is_asking(clause, words, named, has_term=bool(terms or seasons)):
        return None
    events = (named,) if named else _edges(clause, words, is_of_term=breaks > 0)
    if not events:
        return None
    months = [n for word in words if (n := _MONTHS.get(word))]
    known = _PERIODS | SEASON_WORDS | _FILLERS | _MONTHS.keys()
    if _ASKS_OFF.search(clause):
        known |= _OF_DAYS_OFF
    bare = _words(_ENDS.sub(" ", _BEGINS.sub(" ", rest)))
    whole_rest = whole.replace(spoken, " ") if spoken else whole
    figures = (one for one in _FIGURES.findall(whole_rest) if not _YEAR.fullmatch(one))
    return AskedDates(
        events,
        terms,
        next(iter(seasons), ""),
        months[0] if len(months) == 1 else 0,
        (*(word for word in bare if word not in known), *figures),
        MEANS_PAST.search(clause) is not None,
        tuple(word for word in _words(f"{whole[:start]} {whole[end:]}") if word not in known),
    )


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in map(str.casefold, _WORD.findall(text))]


def _clause(text: str, spoken: str) -> tuple[int, int]:
    """From where to where it asks: "got a wedding then, | when do finals end | i need to book a flight".

    What is before is left out only where a question begins behind it ("still on a waitlist when class starts"
    has none), and what tells of whoever asks, behind a word that asks or a sentence's end.
    """
    keys = [one.span() for pattern in (_BEGINS, _ENDS) if (one := pattern.search(text))]
    if spoken:
        keys.append((text.index(spoken), text.index(spoken) + len(spoken)))
    if not keys:
        return 0, len(text)
    first, last = min(start for start, _ in keys), max(end for _, end in keys)
    asks = [one.start() for one in _BEGINS_ASKING.finditer(text, 0, first)]
    start = asks[-1] if asks else 0
    is_asked = _ASKS.search(text, start) or _ASKS_OFF.search(text, start)
    tells = (one.start() for one in _TELLS.finditer(text, last))
    return start, next((at for at in tells if is_asked or _APART.search(text, last, at)), len(text))


def _is_asking(text: str, words: Sequence[str], named: str, *, has_term: bool) -> bool:
    """Whether it asks for days: by a word for it, by hardly more than what they are of, or for days off."""
    if _ASKS.search(text) or named in ALONE or (named and _ASKS_OFF.search(text)):
        return True
    is_short = len(words) <= FEW_WORDS and not _OTHER_ASKS.intersection(words)
    return is_short and (has_term or not named)


def _event(text: str) -> tuple[str, str]:
    """The event or holiday that a question names, and its words for it; "" for none."""
    own = ((name, match[0]) for name, says in _NAMES if (match := says.search(text)))
    named, spoken = next(own, event_named(text))
    return (named, spoken) if named else holiday_named(text)


def _edges(text: str, words: Sequence[str], *, is_of_term: bool) -> tuple[str, ...]:
    """The beginning or the end of classes; of a term, its end is that of its examinations, too. Where dates
    are asked for, all of them."""
    if not (is_of_term or (_PERIODS | SEASON_WORDS).intersection(words)):
        return ()
    begins, ends = _BEGINS.search(text) is not None, _ENDS.search(text) is not None
    if begins and not ends:
        return ("classes begin",)
    if ends and not begins:
        return ("classes end",) if _CLASSES.intersection(words) else ("classes end", "finals")
    return ("classes begin", "classes end", "finals") if {"dates", "fechas"}.intersection(words) else ()
