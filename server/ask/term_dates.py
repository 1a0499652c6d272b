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

from server.academic_terms import parse_term, season_of, seasons_in, seasons_on
from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.asked_dates import DAYS_OFF, AskedDates, asked_dates
from server.ask.conversation.asked_time import MEANS_PAST, events_of, holidays_of
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.trace import citation_of
from server.lexicons import lexicon
from server.messages.catalogue import fill
from server.models import CalendarEntry, Event, Passage

SHOWN, SHOWN_OF_LIST = 4, 12  # lines at most; of all days off
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
_PEOPLE = _WORDS.words("people")
_OTHER_EXAMS, _PART_TERM, _WHOLE_TERM, _MADE_UP = (
    _WORDS.pattern(name, r"\b(?:{})") for name in ("other_exams", "part_term", "whole_term", "made_up")
)
# What is a day off besides holidays, by the names of `events_of`.
_BREAKS = frozenset({"thanksgiving", "spring break", "fall break", "winter break"})
# What a line that only tells of an event has, and a calendar's own line has not.
_PROSE = re.compile(
    r"\b(?:is|are|was|were|will|must|may|can|should|have|has|had|moved|if|unless)\b", re.IGNORECASE
)


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
    of_matter = _of_matter(told, _stems(asked.matter, ask), passages, ask) if asked.matter else told
    shown = entries_for(asked, _of_story(of_matter, asked, passages, ask), ask.day)
    shown = shown or entries_for(asked, of_matter, ask.day)
    if not shown and _PEOPLE.issuperset(asked.matter):
        shown = entries_for(asked, told, ask.day)
    if not shown:
        return None
    of_shown = {one.chunk_id: passages[one.chunk_id] for one in shown}
    ask.trace.add_passages(of_shown)
    return TermDates(shown, of_shown)


def entries_for(
    asked: AskedDates, calendar: Sequence[CalendarEntry], today: date
) -> tuple[CalendarEntry, ...]:
    """The entries of what is asked for, those of the fullest calendar first, and each line once."""
    told = Counter(one.url for one in calendar)
    fitting = [
        one
        for one in calendar
        if _is_of(one, asked.events)
        and told[one.url] >= LEAST_ENTRIES
        and not _OTHER_EXAMS.search(one.name)
        and _is_in(one, asked)
    ]
    whole = [one for one in fitting if _WHOLE_TERM.search(one.name) or not _PART_TERM.search(one.name)]
    fitting = whole or fitting
    if asked.events == (DAYS_OFF,):
        fitting = [one for one in fitting if asked.terms or asked.past or one.last >= today]
    elif not asked.terms:
        fitting = _next_ones(fitting, asked, today)
    by_line: dict[tuple[str, tuple[str, ...]], CalendarEntry] = {}
    for one in sorted(fitting, key=lambda one: (-told[one.url], one.url, one.first)):
        by_line.setdefault((one.line, one.terms), one)
    ordered = list(by_line.values())
    main = [one for one in ordered if one.url == ordered[0].url]
    if asked.events == (DAYS_OFF,):
        return tuple(main[:SHOWN_OF_LIST])
    others = [one for one in ordered if one.url != ordered[0].url and not _is_same(one, main)]
    return tuple([*main, *others][:SHOWN])


def _is_of(one: CalendarEntry, events: Sequence[str]) -> bool:
    """Whether an entry is one of these events or holidays, and not what makes up for one."""
    own = holidays_of(one)
    if DAYS_OFF in events:
        own = own or events_of(one) & _BREAKS
    else:
        own = (own | events_of(one)).intersection(events)
    return bool(own) and not _MADE_UP.search(one.name)


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
        own = [one for one in entries if _is_of(one, [event])]
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


def _stems(words: Sequence[str], ask: AskContext) -> set[str]:
    return set[str]().union(*ask.index.text.stems(list(words)))


def _of_matter(
    entries: Sequence[CalendarEntry], wanted: set[str], passages: Mapping[int, Passage], ask: AskContext
) -> list[CalendarEntry]:
    """Those whose calendar, section or line has every word of the matter."""
    said = [
        f"{passages[one.chunk_id].title} {passages[one.chunk_id].heading} {one.url} {one.line}"
        for one in entries
    ]
    stems = ask.index.text.stems(said)
    return [one for one, words in zip(entries, stems, strict=True) if wanted and wanted <= words]


def _of_story(
    entries: Sequence[CalendarEntry], asked: AskedDates, passages: Mapping[int, Passage], ask: AskContext
) -> list[CalendarEntry]:
    """Those of the calendars whose titles have a word of the story that not all have: "im in the law school,
    when does spring start"."""
    if not asked.story:
        return []
    titles = {one.url: passages[one.chunk_id].title for one in entries}
    stems = dict(zip(titles, ask.index.text.stems(list(titles.values())), strict=True))
    told = _stems(asked.story, ask)
    named = {url for url, words in stems.items() if words & told}
    of_all = set[str].intersection(*stems.values()) if stems else set[str]()
    return [one for one in entries if one.url in named and (stems[one.url] & told) - of_all]
