"""What visitors wrote, masked as it is written into the records, whatever it went through before."""

from __future__ import annotations

from dataclasses import replace

from server.masking import Masker, in_every_text
from server.models import Exchange, Feedback, Trace, TraceStep

# The steps that note a question in their own words; the others note what the site's pages say.
_OWN_WORDS = ("triage", "contextualize", "rewrite")


def masked_exchange(exchange: Exchange, masker: Masker) -> Exchange:
    """The same exchange; where the answer and the site's pages repeat what is masked, that is masked too."""
    history = masker.masked_turns(exchange.question.history)
    question = replace(exchange.question, text=masker.masked(exchange.question.text), history=history)
    trace = _masked_trace(exchange.trace, masker)
    answer = replace(exchange.answer, answer=masker.echoed(exchange.answer.answer))
    return replace(exchange, question=question, answer=answer, trace=trace)


def masked_feedback(feedback: Feedback, masker: Masker) -> Feedback:
    """The same with its comment masked."""
    return replace(feedback, comment=masker.masked(feedback.comment))


def _masked_trace(trace: Trace, masker: Masker) -> Trace:
    asked = dict(trace.asked)
    if "history" in asked:
        asked["history"] = [list(turn) for turn in masker.masked_turns(map(tuple, asked["history"]))]
    question = masker.masked(trace.question)
    noted = tuple(_masked_step(step, masker) for step in trace.steps)
    return replace(trace, question=question, asked=asked, steps=noted)


def _masked_step(step: TraceStep, masker: Masker) -> TraceStep:
    change = masker.masked if step.step in _OWN_WORDS else masker.echoed
    return replace(step, notes=in_every_text(change, step.notes)) if step.notes else step
