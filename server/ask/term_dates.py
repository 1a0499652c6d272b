"""When a term begins and ends, its breaks, examinations and commencement: lines of the site's calendars.

"when does spring start" shares no word with "Tuesday, January 19: Classes begin", and every office has a day
by which something of its own starts. Where the question names a matter besides ("when do law classes start"),
the calendar has to name it, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from server.academic_terms import MONTHS, Term, parse_term, season_of, seasons_in, seasons_on, terms_asked
from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.asked_time import event_named, events_of
from server.ask.quoting.deadline_over import MEANS_PAST
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.trace import citation_of
from server.lexicons import lexicon
from server.messages.catalogue import fill
from server.models import CalendarEntry, Event, Passage

SHOWN = 4  # lines at most
LONGEST_LINE = 240  # characters
# A calendar's page has so many entries; fewer are a page's own few dates.
LEAST_ENTRIES = 3
# Classes of a term begin and end so far beyond its days.
MARGIN = timedelta(days=21)
# What is over so lately may be meant: of what is named without its term, and with its season.
LATELY, OF_SEASON = timedelta(days=14), timedelta(days=60)
# What was so long ago is not meant though nothing is to come, unless the past is.
LONG_AGO, PAST_YEAR = timedelta(days=90), timedelta(days=300)

_WORDS = lexicon("term_dates")
_OTHER_ASKS, _PERIODS, _CLASSES, _SEASONS, _FILLERS, _PEOPLE = (
    _WORDS.words(name) for name in ("other_asks", "periods", "classes", "seasons", "fillers", "people")
)
_ASKS, _BEGINS, _ENDS, _AFTER_BREAK = (
    _WORDS.pattern(name, r"(?<!\w)(?:{})(?!\w)") for name in ("asks", "begins", "ends", "after_break")
)
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
# What has figures is a year, or the code of something: "15-213", "10A", "60%".
_FIGURES = re.compile(r"[\w'-]*\d[\w'%-]*")
_YEAR = re.compile(r"(?:19|20)\d\d(?:-(?:20)?\d\d)?|[a-z]*'?\d\d", re.IGNORECASE)
_NAMES = [(row["name"], row.pattern("says", r"(?<![\w-])(?:{})(?![\w-])")) for row in _WORDS["events"]]
_OTHER_EXAMS, _PART_TERM, _WHOLE_TERM = (
    _WORDS.pattern(name, r"\b(?:{})") for name in ("other_exams", "part_term", "whole_term")
)
_MONTHS = {name.casefold(): n for n, name in enumerate(MONTHS, 1)}
# Events that are asked for by their names alone.
_ALONE = frozenset({"spring break", "fall break", "winter break", "thanksgiving", "finals", "reading days"})
# What asks by a few words, and no word for asking, has no more.
FEW_WORDS = 6
# What a line that only tells of an event has, and a calendar's own line has not.
_PROSE = re.compile(
    r"\b(?:is|are|was|were|will|must|may|can|should|have|has|had|moved|if|unless)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class AskedDates:
    """The `events` whose days a question asks for, by the names of asked_time, of which `terms` (none: the
    next ones, or the last where the `past` is meant), `season` and `month` (0: any), and the words of a
    `matter` besides."""

    events: tuple[str, ...]
    terms: tuple[Term, ...]
    season: str
    month: int
    matter: tuple[str, ...]
    past: bool


@dataclass(frozen=True, slots=True)
class TermDates:
    """The calendar's entries that answer, each line once, in the order in which they are shown."""

    shown: tuple[CalendarEntry, ...]
    passages: Mapping[int, Passage]

    @property
    def notes(self) -> Mapping[str, Any]:
        """For the trace."""
        return {
            "days": [one.first.isoformat() for one in self.shown],
            "names": [one.name for one in self.shown],
        }

    def outcome(
        self, part: ContextualizedQuestion, found: RetrievalResult, ask: AskContext
    ) -> Generator[Event, None, PartOutcome]:
        """Says each line below the name of its calendar and section, which have the year."""
        answer, above = ask.answer, ""
        last = max(one.last for one in self.shown)
        if last < ask.day and not MEANS_PAST.search(part.question):
            yield from answer.say(fill(ask.texts.day_passed, date=ask.texts.date(last)))
        for n, one in enumerate(self.shown, 1):
            citation = citation_of(self.passages[one.chunk_id], n, one.line)
            answer.new_line()
            if citation.place != above:
                above = citation.place
                yield from answer.say(f"{above}:")
                answer.new_line()
            yield from answer.quote(f"{' '.join(one.line.split())} [{n}]", {n: citation})
        answer.new_line()
        return PartOutcome(part, "extractive", found=found)


def term_dates(text: str, found: RetrievalResult, ask: AskContext) -> TermDates | None:
    """The lines of calendars that say when that is which is asked for; None for any other question, and where
    none does."""
    asked = asked_dates(text, ask.day)
    if asked is None:
        return None
    known = [
        one for one in ask.index.snapshot.calendar if one.chunk_id >= 0 and len(one.line) <= LONGEST_LINE
    ]
    told = ask.told_of(known, found.candidates)
    passages = ask.index.snapshot.passages([one.chunk_id for one in told])
    told = [one for one in told if one.chunk_id in passages and not _PROSE.search(one.name)]
    of_matter = _of_matter(told, asked.matter, passages, ask) if asked.matter else told
    shown = entries_for(asked, of_matter, ask.day)
    if not shown and _PEOPLE.issuperset(asked.matter):
        shown = entries_for(asked, told, ask.day)
    if not shown:
        return None
    of_shown = {one.chunk_id: passages[one.chunk_id] for one in shown}
    ask.trace.add_passages(of_shown)
    return TermDates(shown, of_shown)


def asked_dates(text: str, today: date) -> AskedDates | None:
    """What dates of terms a question asks for; None for any other question."""
    text, breaks = _AFTER_BREAK.subn(" ", text.replace("’", "'"))
    named, spoken = _event(text)
    rest = text.replace(spoken, " ") if spoken else text
    words = [word.removesuffix("'s") for word in map(str.casefold, _WORD.findall(rest))]
    terms, seasons = terms_asked(text, today), seasons_in(rest)
    if (
        not _is_asking(text, words, named, has_term=bool(terms or seasons))
        or max(len(seasons), len(terms)) > 1
    ):
        return None
    events = (named,) if named else _edges(text, words, is_of_term=breaks > 0)
    if not events:
        return None
    months = [n for word in words if (n := _MONTHS.get(word))]
    known = _PERIODS | _SEASONS | _FILLERS | _MONTHS.keys()
    bare = map(str.casefold, _WORD.findall(_ENDS.sub(" ", _BEGINS.sub(" ", rest))))
    figures = (one for one in _FIGURES.findall(rest) if not _YEAR.fullmatch(one))
    matter = (*(word for word in bare if word not in known), *figures)
    month, past = months[0] if len(months) == 1 else 0, MEANS_PAST.search(text) is not None
    return AskedDates(events, terms, next(iter(seasons), ""), month, matter, past)


def _is_asking(text: str, words: Sequence[str], named: str, *, has_term: bool) -> bool:
    """Whether it asks for days: by a word for it, or by hardly more than what they are of."""
    if _ASKS.search(text) or named in _ALONE:
        return True
    is_short = len(words) <= FEW_WORDS and not _OTHER_ASKS.intersection(words)
    return is_short and (has_term or not named)


def _event(text: str) -> tuple[str, str]:
    """The event that a question names, and its words for it; "" for none."""
    own = ((name, match[0]) for name, says in _NAMES if (match := says.search(text)))
    return next(own, event_named(text))


def _edges(text: str, words: Sequence[str], *, is_of_term: bool) -> tuple[str, ...]:
    """The beginning or the end of classes; of a term, its end is that of its examinations, too. Where dates
    are asked for, all of them."""
    if not (is_of_term or (_PERIODS | _SEASONS).intersection(words)):
        return ()
    begins, ends = _BEGINS.search(text) is not None, _ENDS.search(text) is not None
    if begins and not ends:
        return ("classes begin",)
    if ends and not begins:
        return ("classes end",) if _CLASSES.intersection(words) else ("classes end", "finals")
    return ("classes begin", "classes end", "finals") if {"dates", "fechas"}.intersection(words) else ()


def entries_for(
    asked: AskedDates, calendar: Sequence[CalendarEntry], today: date
) -> tuple[CalendarEntry, ...]:
    """The entries of what is asked for, those of the fullest calendar first, and each line once."""
    told = Counter(one.url for one in calendar)
    fitting = [
        one
        for one in calendar
        if events_of(one).intersection(asked.events)
        and told[one.url] >= LEAST_ENTRIES
        and not _OTHER_EXAMS.search(one.name)
        and _is_in(one, asked)
    ]
    whole = [one for one in fitting if _WHOLE_TERM.search(one.name) or not _PART_TERM.search(one.name)]
    fitting = whole or fitting
    if not asked.terms:
        fitting = _next_ones(fitting, asked, today)
    by_line: dict[tuple[str, tuple[str, ...]], CalendarEntry] = {}
    for one in sorted(fitting, key=lambda one: (-told[one.url], one.url, one.first)):
        by_line.setdefault((one.line, one.terms), one)
    ordered = list(by_line.values())
    main = [one for one in ordered if one.url == ordered[0].url]
    others = [one for one in ordered if one.url != ordered[0].url and not _is_same(one, main)]
    return tuple([*main, *others][:SHOWN])


def _is_same(one: CalendarEntry, others: Iterable[CalendarEntry]) -> bool:
    """Whether another calendar has the same event on the same days."""
    return any(
        (one.first, one.last) == (other.first, other.last) and events_of(one) & events_of(other)
        for other in others
    )


def _next_ones(entries: Sequence[CalendarEntry], asked: AskedDates, today: date) -> list[CalendarEntry]:
    """Of each event the first to come, as each calendar has it, and what follows soon; one that was lately is
    it still. Where all are over, the last."""
    ago = PAST_YEAR if asked.past else LONG_AGO
    since = today - (
        OF_SEASON if asked.season else LATELY if "classes begin" in asked.events else timedelta()
    )
    kept: list[CalendarEntry] = []
    for event in asked.events:
        own = [one for one in entries if event in events_of(one)]
        coming = [one for one in own if one.last >= since]
        nearest, known = (min, coming) if coming else (max, [one for one in own if today - one.last <= ago])
        day = nearest((one.first for one in known), default=today)
        of_page = {
            url: nearest(one.first for one in known if one.url == url) for url in {one.url for one in known}
        }
        kept += [
            one
            for one in known
            if max(abs(one.first - of_page[one.url]), abs(of_page[one.url] - day)) <= MARGIN
        ]
    return kept


def _is_in(one: CalendarEntry, asked: AskedDates) -> bool:
    """Whether an entry is of the term, season and month that are asked for."""
    if asked.month and asked.month not in (one.first.month, one.last.month):
        return False
    own = seasons_in(one.name) or {season_of(term) for term in map(parse_term, one.terms)} - {""}
    for term in asked.terms:
        season = season_of(term)
        margin = MARGIN if season in own else timedelta()
        if (
            season and own and season not in own
        ) or not term.start - margin <= one.first <= term.end + margin:
            return False
    return not asked.season or asked.season in (own or seasons_on(one.first))


def _of_matter(
    entries: Sequence[CalendarEntry], matter: Sequence[str], passages: Mapping[int, Passage], ask: AskContext
) -> list[CalendarEntry]:
    """Those whose calendar, section or line has every word of the matter."""
    stems = ask.index.text.stems
    wanted = set[str]().union(*stems(list(matter)))
    said = [
        f"{passages[one.chunk_id].title} {passages[one.chunk_id].heading} {one.url} {one.line}"
        for one in entries
    ]
    return [one for one, words in zip(entries, stems(said), strict=True) if wanted and wanted <= words]
