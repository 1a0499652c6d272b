"""Generation: a language model writes the answer, and it is shown where it is no worse than the quoted one.

Its sentences are held against the passages as they come, and wait until together they have what the quoted
answer answers with (grounding/quoted_standard.py); from then on each is shown once it has passed. Where that
does not happen, the quoted answer is shown, so that nobody reads what is then taken back.

What the model is like, and where, is none of the flow's business: it is an `AnswerGenerator`.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.grounding.evidence import without_planted
from server.ask.ports import AnswerGenerator, GenerationStream, PromptContext
from server.ask.quoting.answer import ExtractiveAnswer
from server.ask.quoting.day_passed import day_passed
from server.ask.quoting.deadline_over import deadline_over
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.trace import citation_of
from server.errors import LlmUnavailableError
from server.messages.catalogue import fill
from server.models import Candidate, Event
from server.sentences import without_marks

if TYPE_CHECKING:
    from server.ask.grounding.ground import Checked, GroundingTally
    from server.ask.grounding.quoted_standard import QuotedStandard

# Where quoting only seems to answer, each sentence of a written answer must be supported so well.
STRONGLY = 0.8

# Why the quoted answer is shown although a language model is there and has not failed: the quoted one is a
# table or a list; one fact is asked, and only what has to be put together is written; one is asked, and
# quoting is not sure that the page says it; the model wrote that it finds no answer; its sentences say
# nothing, or nothing to the question; they did not pass the check; they lack what the quoted answer has; they
# are not supported well enough where quoting is not sure; they took too long.
QuoteReason = Literal[
    "shape", "fact", "unsure", "declined", "says_nothing", "withheld", "lacking", "less_sure", "late"
]


class _LateError(Exception):
    """No written answer is good enough yet, and the visitor has waited long enough."""


@dataclass(slots=True)
class GenerationOutcome:
    """What became of a model's answer.

    `shown`: it is the answer, and the visitor has seen at least some of it; else `reason` says why not;
    `trouble`: why it broke off.
    """

    shown: bool = False
    reason: QuoteReason | None = None
    trouble: str | None = None


def generate_answer(  # noqa: PLR0913, PLR0917  (a question, what was found for it, and what stands in)
    writer: AnswerGenerator,
    part: ContextualizedQuestion,
    found: RetrievalResult,
    best: Sequence[Candidate],
    extracted: ExtractiveAnswer,
    ask: AskContext,
) -> Generator[Event, None, PartOutcome]:
    """The language model's answer; where that is no better, or breaks off before it is, the quoted one."""
    seems = extracted.evidence < ask.options.refusal_threshold
    unasked = _unasked(extracted, ask, seems=seems)
    if unasked:
        with ask.step("generate") as step:
            step.notes = _told(extracted, GenerationOutcome(reason=unasked))
        return (yield from quote_answer(part, found, extracted, ask, quote_reason=unasked))
    passages = [without_planted(candidate.passage) for candidate in best]
    history = ask.question.history if ask.plan.history_in_prompt else ()
    stream = writer.begin(found.question, passages, history, ask.prompt_context(found.question))
    written = yield from _generate(stream, found.question, extracted, ask, seems=seems)
    if not written.shown:
        return (
            yield from quote_answer(part, found, extracted, ask, written.trouble, quote_reason=written.reason)
        )
    return PartOutcome(
        part, "llm", degraded=written.trouble, found=found, seems=seems, confidence=extracted.evidence
    )


def _unasked(extracted: ExtractiveAnswer, ask: AskContext, *, seems: bool) -> QuoteReason | None:
    """Why the model is not asked; None: it is.

    A fact of a page that only seems to answer is shown in the page's words: nobody knows that it is what was
    asked for, and the check knows only that the page says it.
    """
    is_fact = ask.routing is not None and ask.routing.way != "write"
    if seems:
        return "unsure" if is_fact else None
    if extracted.has_shape:
        return "shape"
    return "fact" if is_fact and ask.options.writes == "composed" else None


def quote_answer(  # noqa: PLR0913, PLR0917  (a question, what was found for it, and why it is quoted)
    part: ContextualizedQuestion,
    found: RetrievalResult,
    extracted: ExtractiveAnswer,
    ask: AskContext,
    degraded: str | None = None,
    quote_reason: str | None = None,
) -> Generator[Event, None, PartOutcome]:
    """The extractive answer; where it is not sure enough, the passages that seem to hold it.

    What was quoted for an earlier question of the line is not said again.
    """
    seems = extracted.evidence < ask.options.refusal_threshold
    extracted = extracted.unsaid(ask.answer)
    if seems:
        yield from _show_nearest(extracted, ask)
    else:
        yield from _say_quoted(part.question, extracted, ask)
    return PartOutcome(
        part,
        "extractive",
        degraded=degraded,
        quote_reason=quote_reason,
        found=found,
        seems=seems,
        confidence=extracted.evidence,
    )


def _show_nearest(extracted: ExtractiveAnswer, ask: AskContext) -> Iterator[Event]:
    """The passages that seem to hold the answer, if there are any that are not shown yet."""
    if not (shown := extracted.nearest):
        return
    yield from ask.tell_language(shown)
    several = len({citation.url for citation in shown}) > 1
    yield from ask.answer.say(ask.texts.seem if several else ask.texts.seems)
    yield from extracted.show_nearest(ask.answer, ask.texts)


def _say_quoted(question: str, extracted: ExtractiveAnswer, ask: AskContext) -> Iterator[Event]:
    """The quoted sentences, and before them that a day which they name is over, with the next one after."""
    yield from ask.tell_language(extracted.citations)
    over = deadline_over(question, extracted.citations, ask.index.snapshot, ask.day)
    passed = None if over else day_passed(question, extracted.citations, ask.day)
    if over:
        yield from ask.answer.say(over.sentence(ask.texts))
        ask.answer.new_line()
    elif passed:
        yield from ask.answer.say(fill(ask.texts.day_passed, date=ask.texts.date(passed)))
        ask.answer.new_line()
    yield from extracted.say(ask.answer, ask.texts)
    if over:
        yield from over.say_next(ask.answer)


def answer_from_memory(
    writer: AnswerGenerator, part: ContextualizedQuestion, ask: AskContext
) -> Generator[Event, None, PartOutcome]:
    """Closed book, for evaluation: the model answers from memory, and nothing is checked."""
    with ask.step("generate"):
        text = writer.from_memory(part.question, PromptContext(ask.site_name, ask.day))
    yield from ask.answer.say(text)
    return PartOutcome(part, "llm") if text else PartOutcome(part, reason="no_evidence")


def _generate(
    stream: GenerationStream, question: str, extracted: ExtractiveAnswer, ask: AskContext, *, seems: bool
) -> Generator[Event, None, GenerationOutcome]:
    """Says the sentences that pass, each with its passages as sources, once they meet the quoted standard.

    A source's quote is the whole passage: any of it may be what a sentence rests on.
    """
    # The many patterns of the check are loaded by those who have a model.
    from server.ask.grounding.check_sentence import Evidence  # noqa: PLC0415
    from server.ask.grounding.ground import Checker  # noqa: PLC0415
    from server.ask.grounding.quoted_standard import QuotedStandard as Standard  # noqa: PLC0415

    threshold = ask.options.support_threshold
    grounds = Evidence(ask.index.text, ask.models.cross_encoder, site_name=ask.site_name, threshold=threshold)
    checker = Checker(stream.passages, grounds, question, lambda: stream.cut_off, extracted.text)
    standard = Standard(extracted.place, grounds)
    sources = {n: citation_of(passage, n, passage.text) for n, passage in enumerate(stream.passages, 1)}
    written = GenerationOutcome()
    waiting: list[Checked] = []
    with ask.step("generate") as step:
        try:
            for one in checker.check(_until_late(stream, written, ask.options.decide_s)):
                # Two questions of a line may get one sentence: it is said once.
                if one.shown and not ask.answer.has_quoted(without_marks(one.shown)):
                    waiting.append(one)
                if not written.shown and not _is_enough(waiting, standard, seems=seems):
                    continue
                written.shown = True
                for next_ in waiting:
                    yield from ask.answer.quote(next_.shown, sources, next_.before)
                waiting.clear()
        except LlmUnavailableError as error:
            written.trouble = error.trouble
        except _LateError:
            written.reason = "late"
        if not (written.shown or written.trouble or written.reason):
            written.reason = _why_not(stream, checker.tally, waiting, standard)
        step.notes = {**stream.notes, "declined": stream.declined, **_told(extracted, written)}
    with ask.step("ground") as step:
        step.notes = {**checker.notes(), "threshold": threshold}
    return written


def _until_late(stream: GenerationStream, written: GenerationOutcome, decide_s: float) -> Iterator[str]:
    """The pieces as they come; a `_LateError` where nothing is shown after so many seconds."""
    latest = time.monotonic() + decide_s
    with closing(stream.pieces()) as pieces:
        for piece in pieces:
            if not written.shown and time.monotonic() > latest:
                raise _LateError
            yield piece


def _is_enough(waiting: Sequence[Checked], standard: QuotedStandard, *, seems: bool) -> bool:
    """Whether what has passed so far is no worse than the quoted answer."""
    if not any(one.outcome == "passed" for one in waiting):
        return False
    strong = not seems or all((one.verdict.support or 0.0) >= STRONGLY for one in waiting)
    return strong and standard.met_by([one.shown for one in waiting])


def _why_not(
    stream: GenerationStream, tally: GroundingTally, waiting: Sequence[Checked], standard: QuotedStandard
) -> QuoteReason:
    """Why a model's whole answer is not shown."""
    if stream.declined:
        return "declined"
    if not waiting:
        return "says_nothing" if (tally.empty or tally.passed) and not tally.withheld else "withheld"
    return "less_sure" if standard.met_by([one.shown for one in waiting]) else "lacking"


def _told(extracted: ExtractiveAnswer, written: GenerationOutcome) -> dict[str, object]:
    """Which of the two is shown and why, with the quoted one, for the trace."""
    return {
        "trouble": written.trouble,
        "shown": "llm" if written.shown else "extractive",
        "quote_reason": written.reason,
        "quoted_answer": extracted.text,
        "quoted_confidence": round(extracted.evidence, 4),
        "quoted_key": extracted.place.key,
    }
