"""The extractive answer: the best passages' own sentences. It cannot invent anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from functools import cache, partial

from server.ask.boost import BoostedPages
from server.ask.context import AskOptions
from server.ask.conversation.asked_time import AskedTime, is_occasion, is_taught
from server.ask.grounding.evidence import (
    Relatedness,
    may_hold_task,
    without_tasks,
)
from server.ask.ports import OpenSnapshot
from server.ask.quoting.answer import ExtractiveAnswer, best_of_each, cite
from server.ask.quoting.choose import choose
from server.ask.quoting.confidence import (
    OF_LONG_AGO,
    answer_measures,
    evidence_measures,
    evidence_of,
    late_rivals,
)
from server.ask.quoting.day_exception import day_exception
from server.ask.quoting.day_fit import (
    asks_usual_hours,
    current_fit,
    day_fit,
    day_or_another_fit,
    is_of_days,
    season_fit,
    usual_fit,
    usual_weekdays,
)
from server.ask.quoting.event_day import asked_event, event_of_day
from server.ask.quoting.lacking import doubted
from server.ask.quoting.lead import ReadAlone, lead_first
from server.ask.quoting.ranges import numbers_in
from server.ask.quoting.score import (
    HOURS,
    AnswerPlace,
    QuestionFeatures,
    ScoredSentence,
    asks_for_several,
    expected_answer_types,
    score_sentences,
)
from server.ask.quoting.told import Entries, as_told
from server.ask.quoting.workers import asked_subject, workers_on
from server.ask.trace import OpenStep
from server.models import Candidate, Hit, Passage

# The kind of which a day is: what is asked for may be another one than the occasion that is named.
TIME = "time"
# A page that editors prefer answers where it has at most so much less evidence than the best passages.
NEARLY_AS_GOOD = 0.1


def best_answer(  # noqa: PLR0913, PLR0917  (what was found, and all it is weighed by)
    question: str,
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    index: OpenSnapshot,
    relatedness: Relatedness,
    passages: int,
    options: AskOptions,
    step: OpenStep,
    asked: AskedTime | None = None,
    alone: ReadAlone | None = None,
) -> tuple[Sequence[Candidate], ExtractiveAnswer]:
    """The passages it is answered from, and the answer with the evidence for it.

    The pages that editors boost answer where they do answer, or seem to, or else the best passages.
    `asked` are the days that it is about. Where sentences can be read `alone`, the best of them leads; of
    days they are as the page has them.
    """
    kinds = expected_answer_types(question)
    wants = {kind.name for kind in kinds}
    fit, dated = _days_meant(question, wants, asked, options, index)
    several = not dated and asks_for_several(question)
    words = index.text

    @cache  # sentences are scored twice where tables are shown whole, or pages preferred
    def others(ids: frozenset[int]) -> dict[int, Passage]:
        """These chunks, but those in which a sentence may be a task: it would have to be compared."""
        found = index.snapshot.passages(sorted(ids))
        return {id_: one for id_, one in found.items() if not may_hold_task(one.text)}

    weights = words.word_weights(question)
    rivals = late_rivals(candidates)
    wanted = QuestionFeatures(weights, kinds, words.stems, relatedness, fit, several, dated, others, rivals)
    wanted = replace(
        wanted,
        corrected=options.confidence.corrected,
        synonyms=index.wordings.synonyms_of(question),
        numbers=numbers_in(question),
        hosts=index.snapshot.hosts,
    )
    if alone and not dated:
        wanted = replace(wanted, worth=alone.worth)
    if asked and dated and HOURS in wants:
        wanted = replace(wanted, exception=partial(day_exception, asked, index))
    best, draft = _boosted_or_best(candidates, boosted, wanted, passages, options.least_confidence)
    entries = _entries(question, asked, lambda: (_without_tasks(one, wanted) for one in candidates), wanted)
    draft = as_told(question, lambda: [_without_tasks(one, wanted) for one in best], draft, wanted, entries)
    draft = doubted(question, draft, asked)
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in best]
    step.notes = {
        **draft.notes,
        "threshold": options.refusal_threshold,
        "expects": [kind.name for kind in kinds],
    }
    return best, draft


def _entries(
    question: str,
    asked: AskedTime | None,
    clean: Callable[[], Iterable[Candidate]],
    wanted: QuestionFeatures,
) -> Entries | None:
    """What of all that was found is on, on the day that is asked for, or who works on a subject."""
    what, subject = asked_event(question, asked), asked_subject(question)
    if what is not None and (event := event_of_day(what, clean(), wanted)):
        return Entries("event", [event])
    workers = workers_on(subject, clean(), wanted) if subject else ()
    return Entries("workers", workers, are_listed=True) if workers else None


def _days_meant(
    question: str, wants: Set[str], asked: AskedTime | None, options: AskOptions, index: OpenSnapshot
) -> tuple[Callable[[str, str], float], bool]:
    """How well a line suits the days that are meant, by itself and what is above it, and whether the answer
    is the line of a day. `wants` are the kinds of what is asked for."""
    if asked is None:
        usual = usual_weekdays(question) if wants & {HOURS, TIME} else frozenset()
        if usual:
            return partial(usual_fit, weekdays=usual), True
        if HOURS in wants and asks_usual_hours(question):
            today = options.terms.day()
            return partial(current_fit, today=today, taught=is_taught(today, index.snapshot.calendar)), False
        return partial(season_fit, question=question), False
    if is_occasion(asked.words) and wants == {TIME}:
        return partial(day_or_another_fit, asked=asked), False
    return partial(day_fit, asked=asked), is_of_days(asked)


def _boosted_or_best(
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    wanted: QuestionFeatures,
    passages: int,
    threshold: float,
) -> tuple[Sequence[Candidate], ExtractiveAnswer]:
    best = candidates[:passages]
    draft = extract_answer(best, wanted)
    own = [one for one in candidates if boosted.has(one.passage.url)]
    if not own:
        return best, draft
    instead = extract_answer(own[:passages], wanted)
    least = threshold
    if not any(boosted.pins(one.passage.url) for one in own):
        least = max(least, draft.evidence - NEARLY_AS_GOOD)
    if instead.evidence < least:
        return best, draft
    return [*own, *(one for one in best if one not in own)][:passages], instead


def extract_answer(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> ExtractiveAnswer:
    """One to three sentences of the candidates, best first, with their citations."""
    clean = [_without_tasks(candidate, wanted) for candidate in candidates]
    quoted = score_sentences(clean, wanted)
    if not quoted:
        return ExtractiveAnswer((), (), 0.0, {"evidence": 0.0})
    measures = evidence_measures(clean, wanted) | answer_measures(quoted)
    likely = evidence_of(measures)
    changed = frozenset(
        new.passage.chunk_id for new, old in zip(clean, candidates, strict=True) if new is not old
    )
    by_score, quoted = quoted, lead_first(quoted, wanted.worth)
    chosen = choose(clean, quoted, wanted)
    if chosen[0].stale and chosen[0].passage.kind == "event":
        likely = OF_LONG_AGO.corrected(likely)
    evidence = wanted.corrected(likely)
    said, citations = cite(chosen, changed)
    notes = {name: round(value, 4) for name, value in {"evidence": evidence, **measures}.items()}
    best = best_of_each(clean, quoted)
    place = _place_of(chosen[0], clean, wanted)
    told = {**notes, "span": place.marked} if place.marked else notes
    if quoted[0] is not by_score[0]:
        told = {**told, "led_from": by_score.index(quoted[0]) + 1}
    return ExtractiveAnswer(said, citations, evidence, told, best, changed, place, tuple(chosen))


def _place_of(
    quote: ScoredSentence, candidates: Sequence[Candidate], wanted: QuestionFeatures
) -> AnswerPlace:
    """The sentence, and of what the reader marked in its passage the part that lies in it."""
    text, kinds = quote.passage.text, tuple(kind.name for kind in wanted.kinds)
    own = (one.reading for one in candidates if one.passage.chunk_id == quote.passage.chunk_id)
    reading = next(own, None)
    marked = ""
    if reading is not None and quote.marked:
        marked = text[max(quote.start, reading.start) : min(quote.end, reading.end)].strip()
    return AnswerPlace(quote.sentence, marked, kinds)


def _without_tasks(candidate: Candidate, wanted: QuestionFeatures) -> Candidate:
    """The candidate with spaces in place of its tasks; itself where it has none."""
    if wanted.relatedness is None:
        return candidate
    passage = without_tasks(candidate.passage, wanted.relatedness)
    return candidate if passage is candidate.passage else replace(candidate, passage=passage)
