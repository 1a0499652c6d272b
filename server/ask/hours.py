"""Opening hours: a question that names a place and a day gets that day's hours, with the line that says them.

It answers where every word of the question is a place's, a time's or a word of asking, and every day that is
meant is sure; all others are answered from the pages' sentences.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from server.academic_terms import days_in
from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.asked_time import AskedTime, asked_time
from server.ask.opening.corrected import lay_over, page_digest
from server.ask.opening.day import DayFacts, DayHours, PlaceHours, facts_of
from server.ask.opening.place import NamedPlace, named_places, places_of
from server.ask.opening.sentence import DatedHours, OpenState, PartHours, said
from server.ask.ports import SearchIndex
from server.ask.quoting.answer import ExtractiveAnswer
from server.ask.quoting.day_fit import DATE, asks_usual_hours
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.trace import AnswerBuilder, citation_of
from server.lexicons import lexicon
from server.messages.catalogue import Texts, fill
from server.models import Citation, Event, HoursCorrection, OpeningHours, Passage
from server.models.hours import DAY
from server.written_hours.clocks import clock_in
from server.written_hours.names import is_main_part

# A question of more days gets the page's own words.
MOST_DAYS = 7
MOST_PARTS = 6
# So many other wordings of the question are tried where no place is called as it says.
OTHER_NAMES = 4
# What is open past midnight is told of by the day before, until so many minutes after it.
SMALL_HOURS = 5 * 60
# The share of right answers among those that this step gives (docs/answers.md).
CONFIDENCE = 0.99
# A question that means the day on which it is asked.
_TODAY = "today"

_ASKED = lexicon("hours").part("asked")
_OPENING = _ASKED.pattern("opening", r"(?<!\w)(?:{})(?!\w)")
_OTHERS = _ASKED.pattern("others", r"(?<!\w)(?:{})(?!\w)")
_NOW = _ASKED.pattern("now", r"(?<!\w)(?:{})(?!\w)")
_VAGUE = re.compile(r"(?<!\w)(?:what|which|qué|que|cuál)(?!\w)(?!\s+(?:time|hours?|hora))", re.IGNORECASE)
_WHEN = re.compile(r"(?<!\w)(?:when|cuándo|cuando)(?!\w)", re.IGNORECASE)
_FILLERS = _ASKED.words("fillers")
_WORD = re.compile(r"[^\W\d_]+(?:['’](?!s\b)[^\W\d_]+)?")
_POSSESSIVE = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True)
class HoursAnswer:
    """The hours that were asked for: a sentence, and the lines that say so with their citations.

    `passages` are those that the lines stand in, by chunk id. `corrections` are what editors say instead,
    cited with their page and without a line of it, and `changed` the pages that say something else since.
    """

    place: NamedPlace
    parts: tuple[PartHours, ...]
    citations: tuple[Citation, ...]
    passages: Mapping[int, Passage]
    asked: HoursQuestion
    notes: Mapping[str, Any] = field(default_factory=dict)
    corrections: tuple[HoursCorrection, ...] = ()
    changed: frozenset[str] = frozenset()

    @property
    def is_listed(self) -> bool:
        """Whether hours are listed for every day, or that it is closed."""
        return all(one.hours.spans is not None for part in self.parts for one in part.days)

    def outcome(
        self, part: ContextualizedQuestion, found: RetrievalResult, ask: AskContext
    ) -> Generator[Event, None, PartOutcome]:
        """Says it, as an answer in the pages' own words."""
        yield from self.say(ask.answer, ask.texts, ask.day)
        return PartOutcome(part, "extractive", found=found, confidence=CONFIDENCE)

    def say(self, answer: AnswerBuilder, texts: Texts, today: date, beside: str = "") -> Iterator[Event]:
        """The sentence, and below it the page's own lines, but those that are quoted `beside` it anyway."""
        state = self.asked.state
        sentence = said(self.place.place, self.parts, state, texts, today)
        yield from answer.say(sentence)
        for citation in self.citations:
            answer.new_line()
            if citation.quote and citation.quote in beside:
                continue
            words = citation.quote or self._corrected(citation.url, texts)
            yield from answer.quote(f"{words} [{citation.n}]", {citation.n: citation})
        answer.new_line()

    def _corrected(self, url: str, texts: Texts) -> str:
        """That its editors say so, and not the page."""
        made = [one for one in self.corrections if one.url == url]
        latest = max(made, key=lambda one: one.at)
        message = texts.hours_corrected_since if url in self.changed else texts.hours_corrected
        return fill(message, date=texts.date(date.fromisoformat(latest.at[:10])))


@dataclass(frozen=True, slots=True)
class HoursQuestion:
    """What a question asks of hours: its days, and how it asks for the state of a moment."""

    days: tuple[date, ...]
    words: tuple[str, ...]
    state: OpenState


def hours_question(text: str, asked: AskedTime | None, today: date, minute: int) -> HoursQuestion | None:
    """What is asked, where it may be hours of a few days from today on."""
    if asked is None or asked.first < today or (asked.last - asked.first).days >= MOST_DAYS:
        return None
    is_opening = _OPENING.search(text) is not None
    if _OTHERS.search(text) or (_VAGUE.search(text) and not is_opening):
        return None
    words = _names_in(text, asked)
    if not words:
        return None
    clock = clock_in(text)
    is_now = clock is None and _NOW.search(text) is not None and asked.first == asked.last == today
    state = OpenState(text, minute if is_now else None, clock, is_opening or not _WHEN.search(text))
    days = tuple(asked.first + timedelta(days=i) for i in range((asked.last - asked.first).days + 1))
    return HoursQuestion(days, words, state)


def _names_in(text: str, asked: AskedTime) -> tuple[str, ...]:
    """The words of a question that are neither of time nor of asking."""
    plain = text
    for days in reversed(days_in(text)):
        plain = plain[: days.start] + " " + plain[days.end :]
    for part in asked.words.split(" … "):
        plain = plain.replace(part, " ")
    found = [word.casefold() for word in _WORD.findall(_POSSESSIVE.sub("", plain))]
    return tuple(word for word in found if word not in _FILLERS and not _is_of_clock(word))


def _is_of_clock(word: str) -> bool:
    return word in ("am", "pm", "a", "p", "m", "noon", "midnight", "o'clock", "rn")


@dataclass(frozen=True, slots=True)
class HoursFound:
    """What came of a question of hours: the `answer`, where every day is sure.

    `in_doubt`: on such a day (of a break, a holiday) it is not sure that usual hours are kept, so that what
    pages say of other days is no answer; where one of `places` is named, nothing that they say is.
    """

    answer: HoursAnswer | None = None
    in_doubt: bool = False
    places: tuple[NamedPlace, ...] = ()

    @property
    def notes(self) -> Mapping[str, Any]:
        """For the trace."""
        if self.answer:
            return self.answer.notes
        return {"in_doubt": True} if self.in_doubt else {}

    @property
    def before(self) -> HoursAnswer | None:
        """What is said before the pages' own words."""
        return None

    def bounded(self, extracted: ExtractiveAnswer, threshold: float, least: float) -> ExtractiveAnswer:
        """What is quoted instead; in doubt it only seems to answer, unless it is of the very day.

        What is said of the very place's hours does seem to, however unsure the reader is: it is at least
        `least`. From `threshold` on an answer is sure.
        """
        is_of_day = not self.places and len(extracted.sentences) == 1 and extracted.best[0].day == DATE
        if not self.in_doubt or is_of_day or not extracted.best:
            return extracted
        passage = extracted.best[0].passage.chunk_id
        if any(one.lines_in(passage) for one in self.places):
            extracted = replace(extracted, evidence=max(least, extracted.evidence))
        return replace(extracted, evidence=min(extracted.evidence, math.nextafter(threshold, 0.0)))


@dataclass(frozen=True, slots=True)
class UsualHours(HoursFound):
    """Of a question of usual hours: pages are quoted for them, after `today`'s where those are sure."""

    today: HoursAnswer | None = None

    @property
    def notes(self) -> Mapping[str, Any]:
        """For the trace."""
        named = {"usual": [one.place.name for one in self.places]} if self.places else {}
        return {**named, "today": self.today.notes} if self.today else named

    @property
    def before(self) -> HoursAnswer | None:
        """Today's hours."""
        return self.today

    def bounded(self, extracted: ExtractiveAnswer, threshold: float, least: float) -> ExtractiveAnswer:
        """What is quoted; where that is all that the passage says of the very place's hours, no word of the
        question is left to doubt."""
        if extracted.evidence >= threshold or not extracted.chosen:
            return extracted
        passage = extracted.chosen[0].passage.chunk_id
        own = {line for one in self.places for line in one.lines_in(passage)}
        if not own or not all(line in extracted.text for line in own):
            return extracted
        return replace(extracted, evidence=threshold)


NO_HOURS = HoursFound()


def hours_told(text: str, typed: str, found: RetrievalResult, ask: AskContext) -> HoursFound:
    """The hours that a question asks for; `NO_HOURS` for any other question.

    `text` is the question as it is searched, `typed` as it was asked. A place that is called neither way is
    looked for by synonyms. Usual hours are quoted as pages have them, beside today's.
    """
    calendar = ask.index.snapshot.calendar
    is_usual = ask.asked_time is None and asks_usual_hours(typed)
    meant = asked_time(_TODAY, ask.day, calendar) if is_usual else ask.asked_time
    if meant is None:
        return NO_HOURS
    minute = ask.options.terms.minute(ask.site_config.timezone(ask.question.site))
    question = hours_question(typed, meant, ask.day, minute)
    if question is None:
        return NO_HOURS
    if is_usual:
        question = replace(question, state=question.state.of_the_day())
    told = _named_hours(question, meant, text, found, ask)
    if answer := told.answer:
        ask.trace.add_passages(answer.passages)
    if is_usual:
        return UsualHours(places=told.places, today=answer if answer and answer.is_listed else None)
    return told


def _named_hours(
    question: HoursQuestion, meant: AskedTime, text: str, found: RetrievalResult, ask: AskContext
) -> HoursFound:
    """The hours of the place that the question names, in its own words, as it is searched, or by synonyms."""
    corrections = ask.site_config.hours(ask.question.site)
    if not (ask.index.snapshot.hours or corrections):
        return NO_HOURS
    known = lay_over(ask.index.snapshot.hours, corrections, ask.index.snapshot)
    places = places_of(ask.told_of(known, found.candidates))
    titles = [one.passage.title for one in found.candidates]

    def told_by(wordings: Iterable[str]) -> list[HoursFound]:
        spelled = dict.fromkeys(_names_in(one, meant) for one in wordings)
        return [hours_of(question, places, titles, ask.index, words, ask.day) for words in spelled]

    outcomes = told_by((question.state.text, text))
    if not any(one.answer or one.places for one in outcomes):
        # A gym is where the recreation center is, unless there is a gym.
        outcomes += told_by(ask.index.wordings.of(text, OTHER_NAMES))
    return max(outcomes, key=lambda one: (one.answer is not None, one.in_doubt, bool(one.places)))


def hours_of(  # noqa: PLR0913, PLR0917  (what is asked, and all that is known of it)
    question: HoursQuestion,
    places: Sequence[PlaceHours],
    titles: Sequence[str],
    index: SearchIndex,
    spelled: Sequence[str],
    today: date,
) -> HoursFound:
    """The hours, where one place is named and all its days are sure.

    `places` are those that may be told of; `titles` are of pages found for the question; `spelled` are its
    words as the site has them.
    """
    calendar = index.snapshot.calendar
    facts = [facts_of(day, calendar) for day in question.days]
    is_unusual = any(not one.is_ordinary or one.taught is False for one in facts)
    named = named_places(spelled, places, titles, index.text.stems)
    if not named:
        return HoursFound(in_doubt=is_unusual and _OPENING.search(question.state.text) is not None)
    before = facts_of(today - timedelta(days=1), calendar) if question.state.now is not None else None
    found = [_told(one, facts, before, question) for one in named]
    told = [one for one in found if one]
    told = [one for one in told if _is_corrected(one)] or told
    if not told or not _agree(told):
        return HoursFound(in_doubt=is_unusual, places=tuple(named))
    place, parts = told[0]
    sources = _sources(parts)
    passages = index.snapshot.passages([one.chunk_id for one in sources])
    if any(one.chunk_id not in passages for one in sources):
        return NO_HOURS
    citations = tuple(
        citation_of(passages[one.chunk_id], n, "" if one.correction else one.line)
        for n, one in enumerate(sources, 1)
    )
    notes: dict[str, Any] = {
        "place": place.place.name,
        "url": place.place.url,
        "days": [day.isoformat() for day in question.days],
        "parts": {part.name: [_noted(one.hours) for one in part.days] for part in parts},
    }
    corrections = tuple(one.correction for one in sources if one.correction)
    digests = {one.url: one.digest for one in corrections}
    changed = frozenset(url for url, digest in digests.items() if page_digest(url, index.snapshot) != digest)
    if corrections:
        notes["corrections"] = [one.id for one in corrections]
    answer = HoursAnswer(place, parts, citations, passages, question, notes, corrections, changed)
    return HoursFound(answer, places=tuple(named))


def _sources(parts: Sequence[PartHours]) -> tuple[OpeningHours, ...]:
    """The lines that say the hours; of each page that an editor corrected, one."""
    lines = dict.fromkeys(one.hours.source for part in parts for one in part.days)
    return tuple({one.url if one.correction else one: one for one in lines}.values())


def _is_corrected(told: tuple[NamedPlace, tuple[PartHours, ...]]) -> bool:
    """Whether an editor says it: then what other pages say of the place does not count."""
    return any(one.hours.source.correction for part in told[1] for one in part.days)


def _noted(one: DayHours) -> list[list[int]] | None:
    return None if one.spans is None else [list(span) for span in one.spans]


def _agree(told: Sequence[tuple[NamedPlace, tuple[PartHours, ...]]]) -> bool:
    """Whether pages that speak of a place say the same of it, as far as they name the same part."""
    first = [one.hours.spans for one in told[0][1][0].days]
    return all([one.hours.spans for one in parts[0].days] == first for _, parts in told[1:])


def _told(
    named: NamedPlace, facts: Sequence[DayFacts], before: DayFacts | None, question: HoursQuestion
) -> tuple[NamedPlace, tuple[PartHours, ...]] | None:
    """The hours of the parts that are meant on every day; None where one of them is not sure."""
    for names in _parts_meant(named):
        parts = [_part_hours(named, name, facts, before, question) for name in names]
        if parts and all(parts):
            return named, tuple(part for part in parts if part)
    return None


def _parts_meant(named: NamedPlace) -> Iterator[tuple[str, ...]]:
    """The parts that are named; or the place itself, else what stands for it, else all its parts."""
    if any(named.parts):
        yield named.parts
        return
    parts = named.place.parts
    main = tuple(part for part in parts if is_main_part(part))
    if not parts:
        yield ("",)
    elif len(main) == 1:
        yield main
    else:
        if any(not one.part and one.spans is not None for one in named.place.lines):
            yield ("",)
        if len(parts) <= MOST_PARTS:
            yield parts


def _part_hours(
    named: NamedPlace, name: str, facts: Sequence[DayFacts], before: DayFacts | None, question: HoursQuestion
) -> PartHours | None:
    days = [named.place.on(name, one) for one in facts]
    if not all(days):
        return None
    late: int | None = None
    if before is not None and question.state.now is not None and question.state.now < SMALL_HOURS:
        last = named.place.on(name, before)
        if last is None:
            return None
        ends = [end - DAY for _, end in last.spans or () if end - DAY > question.state.now]
        late = max(ends, default=None)
    told = zip(question.days, days, strict=True)
    return PartHours(name, tuple(DatedHours(day, one) for day, one in told if one), late)
