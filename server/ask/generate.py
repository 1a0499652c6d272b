"""Generation: a language model writes the answer, and each sentence is shown once it has passed the check.

What the model is like, and where, is none of the flow's business: it is an `AnswerGenerator`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.extract import ExtractiveAnswer
from server.ask.grounding.evidence import without_planted
from server.ask.ports import AnswerGenerator, GenerationStream, PromptContext
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.trace import citation_of
from server.errors import LlmUnavailableError
from server.models import Candidate, Event


@dataclass(slots=True)
class GenerationOutcome:
    """What became of a model's answer.

    `enough`: it is an answer; `said`: the visitor has seen some of it; `trouble`: why it broke off.
    """

    enough: bool = False
    said: bool = False
    declined: bool = False
    trouble: str | None = None


def generate_answer(  # noqa: PLR0913, PLR0917  (a question, what was found for it, and what stands in)
    writer: AnswerGenerator,
    part: ContextualizedQuestion,
    found: RetrievalResult,
    best: Sequence[Candidate],
    extracted: ExtractiveAnswer,
    ask: AskContext,
) -> Generator[Event, None, PartOutcome]:
    """The language model's answer; where it breaks off with too little said, the extractive one."""
    passages = [without_planted(candidate.passage) for candidate in best]
    history = ask.question.history if ask.plan.history_in_prompt else ()
    stream = writer.begin(found.question, passages, history, ask.prompt_context(found.question))
    written = yield from _generate(stream, ask)
    if written.enough:
        return PartOutcome(part, "llm", degraded=written.trouble, found=found, confidence=extracted.evidence)
    if written.trouble:
        return (yield from quote_answer(part, found, extracted, ask, written.trouble))
    if written.said:
        yield from ask.answer.say(ask.texts.nothing_more)
    return PartOutcome(part, reason="no_evidence", found=found, is_said=written.said)


def quote_answer(
    part: ContextualizedQuestion,
    found: RetrievalResult,
    extracted: ExtractiveAnswer,
    ask: AskContext,
    degraded: str | None = None,
) -> Generator[Event, None, PartOutcome]:
    """The extractive answer; where it is not sure enough, the passages that seem to hold it."""
    seems = extracted.evidence < ask.options.refusal_threshold
    shown = extracted.nearest if seems else extracted.citations
    yield from ask.tell_language(shown)
    if seems:
        several = len({citation.url for citation in shown}) > 1
        yield from ask.answer.say(ask.texts.seem if several else ask.texts.seems)
        yield from extracted.show_nearest(ask.answer, ask.texts)
    else:
        yield from extracted.say(ask.answer, ask.texts)
    return PartOutcome(
        part, "extractive", degraded=degraded, found=found, seems=seems, confidence=extracted.evidence
    )


def answer_from_memory(
    writer: AnswerGenerator, part: ContextualizedQuestion, ask: AskContext
) -> Generator[Event, None, PartOutcome]:
    """Closed book, for evaluation: the model answers from memory, and nothing is checked."""
    with ask.step("generate"):
        text = writer.from_memory(part.question, PromptContext(ask.site_name, ask.day))
    yield from ask.answer.say(text)
    return PartOutcome(part, "llm") if text else PartOutcome(part, reason="no_evidence")


def _generate(stream: GenerationStream, ask: AskContext) -> Generator[Event, None, GenerationOutcome]:
    """Says the sentences that pass, each with its passages as sources; returns what became of the answer.

    A source's quote is the whole passage: any of it may be what a sentence rests on.
    """
    # The many patterns of the check are loaded by those who have a model.
    from server.ask.grounding.ground import Checker, Evidence  # noqa: PLC0415

    threshold = ask.options.support_threshold
    grounds = Evidence(ask.index.text, ask.models.cross_encoder, site_name=ask.site_name, threshold=threshold)
    checker = Checker(stream.passages, grounds)
    sources = {n: citation_of(passage, n, passage.text) for n, passage in enumerate(stream.passages, 1)}
    written = GenerationOutcome()
    with ask.step("generate") as step:
        try:
            for one in checker.check(stream.pieces()):
                if one.shown:
                    written.said = True
                    yield from ask.answer.quote(one.shown, sources, one.before)
        except LlmUnavailableError as error:
            written.trouble = error.trouble
        written.declined = stream.declined
        written.enough = checker.tally.enough
        step.notes = {**stream.notes, "trouble": written.trouble, "declined": written.declined}
    with ask.step("ground") as step:
        step.notes = {**checker.notes(), "threshold": threshold}
    return written
