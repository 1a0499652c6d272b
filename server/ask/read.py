"""Reading what was found: the passages in order, the answer that is quoted of them, and how sure it is.

Where the whole question leaves it unsure, what of it asks is read alone (conversation/asking_part.py): a
small reader takes a story around the question for something that a passage would have to say. Where one
that was spelled out (usual.py) finds nothing, the visitor's own words may.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from server.academic_terms import names_no_other_time, terms_asked, timeless
from server.ask.context import AskContext
from server.ask.conversation.asking_part import asking_part
from server.ask.extract import best_answer
from server.ask.grounding.evidence import Relatedness, logistic
from server.ask.hours import HoursFound
from server.ask.llm_rerank import llm_rerank
from server.ask.quoting.answer import ExtractiveAnswer
from server.ask.quoting.lead import ReadAlone
from server.ask.quoting.trim import trimmed
from server.ask.quoting.verify import odds_before, verified
from server.ask.refuse import RetrievalResult
from server.ask.rerank import rerank
from server.models import Candidate, Event, Status


@dataclass(frozen=True, slots=True)
class Draft:
    """What was `found`, in the order in which it was read, the passages that it is answered from, best first,
    and the answer that is quoted of them. `threshold`: from which confidence on an answer is sure."""

    found: RetrievalResult
    best: Sequence[Candidate]
    answer: ExtractiveAnswer
    threshold: float

    @property
    def is_sure(self) -> bool:
        """Whether it is said as the answer."""
        return bool(self.answer.sentences) and self.answer.evidence >= self.threshold

    @property
    def passage(self) -> int | None:
        """The chunk that is quoted first; None where nothing is quoted."""
        return self.answer.chosen[0].passage.chunk_id if self.answer.chosen else None


def read(found: RetrievalResult, hours: HoursFound, ask: AskContext) -> Generator[Event, None, Draft]:
    """An answer from what was found; where it is unsure, as what of the question asks has it.

    That has to be quoted of the passage that the whole question found best, and it is as sure as the mean of
    both, in log-odds: what is left out may have been more than a story.
    """
    draft = yield from _read(found.question, found, hours, ask)
    if found.own and ask.reads and not draft.is_sure:
        return (yield from _in_own_words(draft, hours, ask))
    asking = "" if draft.is_sure or not ask.reads else asking_part(found.question)
    if not asking:
        return draft
    alone = yield from _read(asking, found, hours, ask)
    own, other = draft.answer.evidence, alone.answer.evidence
    is_taken = other > own and alone.passage == draft.found.candidates[0].passage.chunk_id
    evidence = logistic((odds_before(own) + odds_before(other)) / 2) if is_taken else own
    with ask.step("extract.asking") as step:
        sure = {"alone": round(other, 4), "evidence": round(evidence, 4), "threshold": draft.threshold}
        step.notes = {"asks": asking, "taken": is_taken, **sure}
    if not is_taken:
        return draft
    return replace(alone, found=draft.found, answer=replace(alone.answer, evidence=evidence))


def _in_own_words(draft: Draft, hours: HoursFound, ask: AskContext) -> Generator[Event, None, Draft]:
    """The answer to the question as the visitor puts it, where that is sure; else the draft.

    Where the draft seems to answer, so has the visitor's own question to, from the same passage.
    """
    own = yield from _read(draft.found.own, draft.found, hours, ask)
    with ask.step("extract.own") as step:
        is_refused = draft.answer.evidence < ask.options.least_confidence
        taken = own if own.is_sure and (is_refused or own.passage == draft.passage) else draft
        sure = {"alone": round(own.answer.evidence, 4), "evidence": round(taken.answer.evidence, 4)}
        step.notes = {"asks": draft.found.own, "taken": taken is own, **sure, "threshold": draft.threshold}
    return taken


def _in_time(question: str, ask: AskContext) -> Callable[[str], str]:
    """What puts the question without the term that it names, where a passage speaks of no time at all (what a
    page says so holds in the terms to come), or of that term alone."""
    of_any = timeless(question, ask.day)
    if of_any == question:  # as most do: it names none
        return lambda _: question
    asked = terms_asked(question, ask.day)
    return lambda text: of_any if names_no_other_time(text, asked) else question


def _as_in(question: str, in_time: Callable[[str], str], ask: AskContext) -> Callable[[str], str]:
    """What puts the question in a passage's own words: with its synonyms, with the university's own name
    where the passage has it, and without a term that goes without saying there."""
    put = cache(ask.index.wordings.as_in)
    own = ask.own_name if ask.own_name and ask.own_name.text == question else None

    def as_in(text: str) -> str:
        if own and own.is_in(text):
            return put(own.asked)(text)
        return put(in_time(text))(text)

    return as_in


def _read(
    text: str, found: RetrievalResult, hours: HoursFound, ask: AskContext
) -> Generator[Event, None, Draft]:
    """An answer from what was found, read and put in order for this wording as the strategy has it."""
    index, models, options = ask.index, ask.models, ask.options
    reader = models.cross_encoder if ask.reads else None
    in_time, alone = _in_time(text, ask), None
    if reader:
        yield Status("rerank")
        as_in = _as_in(text, in_time, ask)
        alone = ReadAlone(text, reader, as_in, models.verifier)
        with ask.step("rerank") as step:
            ranked = rerank(text, found.candidates, reader, ask.config.rerank, step, as_in)
            found = replace(found, candidates=tuple(ranked))
    if "llmrerank" in ask.config.strategy.steps:
        with ask.step("llmrerank") as step:
            ordered = llm_rerank(text, found.candidates, models.search_llm, ask.config.llm_rerank, step)
            found = replace(found, candidates=tuple(ordered))
    yield Status("answer")
    with ask.step("extract") as step:
        words, embed = index.text, models.embedder.embed_question
        related = Relatedness(words.word_weights, words.stems, embed, index.classifier.in_scope)
        passages = ask.config.passages
        best, answer = best_answer(
            text,
            found.candidates,
            found.boosted,
            index,
            related,
            passages,
            options,
            step,
            ask.asked_time,
            alone,
        )
        if models.verifier and reader:
            answer = verified(in_time, answer, models.verifier, options.confidence, step)
        threshold = options.refusal_threshold
        draft = Draft(found, best, hours.bounded(answer, threshold, options.least_confidence), threshold)
        if draft.is_sure and options.trims and alone:
            draft = replace(draft, answer=trimmed(text, draft.answer, alone, step))
    return draft
