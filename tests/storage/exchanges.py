"""Made-up exchanges, as the flow would hand them to the records store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from server.models import Answer, Citation, ClosestPage, Exchange, Hit, Passage, Question, Trace, TraceStep
from server.workbench.records import Records

DEADLINE = Passage(
    chunk_id=7,
    url="https://www.larkmoor.example/registrar/deadlines",
    title="Dates and deadlines",
    heading="Spring term",
    text="The last day to add or drop a course is 3 February. After that a W is noted.",
    lang="en",
    last_modified="2026-01-05",
    fetched_at="2026-01-20T08:00:00+00:00",
)
TUITION = Passage(
    chunk_id=11,
    url="https://www.larkmoor.example/bursar/tuition",
    title="Tuition and fees",
    heading="Refunds",
    text="A course dropped by the deadline is refunded in full.",
)
ALUMNI = Passage(
    chunk_id=23,
    url="https://www.larkmoor.example/alumni",
    title="Alumni",
    heading="",
    text="Drop by the alumni house any day of the week.",
)


def exchange(
    number: int = 1,
    *,
    conversation: str = "c1",
    question: str = "When does add/drop end?",
    refused: bool = False,
    asked_at: str | None = None,
    site: str = "main",
    topic: str | None = None,
    **of_answer: Any,
) -> Exchange:
    """The `number`th question; its ids and its time follow from that."""
    asked = Question(question, conversation, f"m{number}", f"t{number}", site)
    at = asked_at or f"2026-03-01T10:{number // 60:02}:{number % 60:02}+00:00"
    trace = _trace(asked)
    if topic is not None:
        trace = replace(
            trace, steps=(TraceStep("classify", 1.0, notes={"allowed": {topic: []}}), *trace.steps)
        )
    return Exchange(asked, replace(_answer(asked, refused), **of_answer), trace, at)


def as_typed(made: Exchange) -> Exchange:
    """The same with nothing corrected in its question, which stands alone."""
    steps = tuple(
        replace(step, notes={"question": made.question.text}) if step.step == "rewrite" else step
        for step in made.trace.steps
    )
    return replace(made, trace=replace(made.trace, steps=steps))


def _answer(question: Question, refused: bool) -> Answer:
    quote = "The last day to add or drop a course is 3 February."
    citation = Citation(1, DEADLINE.url, DEADLINE.title, DEADLINE.heading, quote)
    return Answer(
        answer="I could not find that." if refused else "The last day is 3 February. [1]",
        refused=refused,
        refusal_reason="no_evidence" if refused else None,
        answerer="extractive",
        degraded=None,
        citations=() if refused else (citation,),
        closest_pages=(ClosestPage(TUITION.url, TUITION.title),) if refused else (),
        strategy="hybrid",
        snapshot="2026-03-01",
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        trace_id=question.trace_id,
        timings_ms={"retrieve": 12.0, "answer": 3.0, "total": 16.0},
    )


def _trace(question: Question) -> Trace:
    steps = (
        TraceStep("normalize", 0.1),
        TraceStep("rewrite", 0.2, notes={"question": "When is the add/drop deadline?"}),
        TraceStep("retrieve.semantic", 6.0, (Hit(11, 0.71), Hit(7, 0.70))),
        TraceStep("retrieve.keyword", 5.0, (Hit(7, 9.2), Hit(23, 4.1))),
        TraceStep("retrieve", 1.0, (Hit(7, 0.79), Hit(11, 0.5), Hit(23, 0.1)), {"alpha": 0.3}),
        TraceStep("extract", 3.0, (Hit(7, 0.9),), {"evidence": 0.9}),
    )
    passages = {passage.chunk_id: passage for passage in (DEADLINE, TUITION, ALUMNI)}
    versions = {"embedder": "minilm-l6-int8"}
    return Trace(question.trace_id, question.text, "hybrid", "2026-03-01", versions, steps, passages)


def role_of(store: Records, token: str) -> str | None:
    """The role of a bearer token; None when it opens nothing."""
    holder = store.tokens.holder_of(token)
    return None if holder is None else holder.role
