"""A question's way, in one place: guard → receive → look up → answer → check → record.

`receive.py` says what a line is, `lookup.py` finds the passages for each question in it, `reply.py` says what
there is to say. The command line, the server, the evaluation and a replay all drive this one generator.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from server.academic_terms import terms_asked
from server.ask.answer_builder import Speech
from server.ask.conversation.crisis import US_HELP_LINES
from server.ask.conversation.modes import plan_of
from server.ask.freshness import freshness
from server.ask.lookup import Remembering
from server.ask.normalize import guard
from server.ask.occasion import Occasion
from server.ask.options import AskOptions, Models, Office, Recorder, Snapshots
from server.ask.presets import way_of
from server.ask.recorded import asked_of, settings_of
from server.ask.refuse import closest_pages, contacts_for
from server.ask.reply import Replier, Reply
from server.ask.rules import Sieved
from server.ask.trace import TraceLog
from server.ask.triage import Receiver, Reception
from server.models import Answer, Event, Exchange, Final, Question

__all__ = ["AskOptions", "Asker", "Models", "Office", "Recorder"]


# What a question costs least by: no vector is compared and no passage read by a cross-encoder.
HURRIED = "keyword"


class Asker:
    """Answers questions from the current snapshot. Synchronous and thread-safe."""

    def __init__(
        self,
        snapshots: Snapshots,
        models: Models,
        options: AskOptions,
        recorder: Recorder | None = None,
        office: Office | None = None,
    ) -> None:
        self._snapshots = snapshots
        self._models = models
        self._options = options
        self._recorder = recorder
        self._office = office or Office()

    def ask(self, question: Question) -> Iterator[Event]:
        """The events of one question, a `Final` last, which is yielded only once it has been recorded.

        Raises before the first event: `BadInputError` for an empty or too long question or an unknown
        strategy, `NotReadyError` without a snapshot. After it: `StorageError` when it cannot be recorded.
        """
        options, log = self._options, TraceLog()
        strategy = HURRIED if question.hurried else question.strategy or options.strategy
        way = way_of(strategy, options.usual, self._models.steps)
        models = replace(self._models, embedder=Remembering(self._models.embedder))
        if question.hurried:
            models = replace(models, writer=None, condenser=None)
        plan = plan_of(options.mode, has_llm=models.writer is not None)
        asked_at = datetime.now(UTC)
        with log.step("guard"):
            text = guard(question.text, options.max_question_chars)
        with self._snapshots.lease() as leased:
            ruling = self._office.ruling(question.site, leased, options.terms.day())
            index = Sieved(leased, ruling.hidden) if ruling.hides else leased
            on = Occasion(question, way, plan, index, models, self._office, options, log, Speech(), ruling)
            reply = yield from Replier(on).reply(_receive(text, on))
            answer = _answer(on, reply)
            trace = log.finish(
                trace_id=question.trace_id,
                question=question.text,
                strategy=way.name,
                snapshot=index.name,
                versions=options.versions,
                asked=asked_of(question),
                settings=settings_of(way, options) | {"rules": ruling.book.number},
            )
        if self._recorder:
            self._recorder.record(
                Exchange(question, answer, trace, asked_at.isoformat(timespec="milliseconds"))
            )
        yield Final(answer, trace)

    @property
    def options(self) -> AskOptions:
        """The settings it answers by."""
        return self._options

    @property
    def writes(self) -> bool:
        """Whether a language model writes its answers."""
        return self._models.writer is not None

    @property
    def writer_rests(self) -> bool | None:
        """Whether that model is left in peace after failures; None: there is none."""
        writer = self._models.writer
        return writer.resting if writer is not None else None

    @property
    def office(self) -> Office:
        """What it knows from the people who look after the sites."""
        return self._office

    def otherwise(
        self,
        options: AskOptions,
        *,
        writes: bool = True,
        model: str | None = None,
        office: Office | None = None,
    ) -> Asker:
        """The same flow by other settings, or as if another office spoke, over the same models.

        It records nothing, and nothing is loaded for it. `writes` False: no language model writes the answer;
        `model`: another one of the same server does.
        """
        writer = self._models.writer if writes else None
        if writer is not None and model:
            writer = writer.named(model)
            options = replace(options, versions={**options.versions, **writer.versions})
        models = replace(self._models, writer=writer)
        return Asker(self._snapshots, models, options, None, office or self._office)

    def over(self, snapshots: Snapshots) -> Asker:
        """The same flow over other snapshots, by the same models and settings; it records nothing."""
        return Asker(snapshots, self._models, self._options, None, self._office)

    def close(self) -> None:
        """Cancel what is under way at the language model; no further question can be asked of it."""
        if self._models.writer:
            self._models.writer.close()


def _receive(text: str, on: Occasion) -> Reception:
    """What the line is: distress, small talk, a doubt, or questions."""
    receiver = Receiver(
        on.models.embedder,
        on.site_name,
        (on.site.help_lines if on.site else ()) or US_HELP_LINES,
        on.models.likeness,
        on.models.condenser,
        rewrites=on.plan.rewrites,
    )
    with on.log.step("receive") as step:
        reception = receiver.receive(text, on.question.history, on.index.keyword)
        step.notes = reception.notes
    return reception


def _answer(on: Occasion, reply: Reply) -> Answer:
    """What was said, with its sources, how new they are, and where to turn when it was a refusal."""
    question, refused = on.question, reply.reason is not None
    citations = on.speech.citations
    asked = terms_asked(reply.question, on.day)
    fresh = freshness(citations, on.log.passages.values(), on.day, on.office.changes, asked)
    return Answer(
        answer=on.speech.text,
        refused=refused,
        refusal_reason=reply.reason,
        answerer=reply.answerer,
        degraded=reply.degraded or ("busy" if question.hurried and reply.answerer == "extractive" else None),
        citations=citations,
        closest_pages=closest_pages(reply.candidates) if refused else (),
        strategy=on.way.name,
        snapshot=on.index.name,
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        trace_id=question.trace_id,
        timings_ms=on.log.timings_ms(),
        notices=on.office.notices(question.site, datetime.now(UTC)),
        contacts=contacts_for(on.site, _topics_of(reply)) if refused else (),
        as_of=fresh.as_of,
        cautions=fresh.cautions,
    )


def _topics_of(reply: Reply) -> tuple[str, ...]:
    """What a refused question is about; what is none of the site's business is about none of its topics."""
    return reply.about.allowed if reply.reason == "no_evidence" else ()
