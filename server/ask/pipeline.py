"""The pipeline: the way of one question, from a visitor's line to a recorded answer.

`Asker.ask` answers a line and `_answer_question` one question in it; together they name every step of
`trace.STEPS`, in its order. The command line, the server, the evaluation and a replay all drive them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial

from server.academic_terms import terms_asked, timeless
from server.ask.boost import boost, boost_cited, boost_pages, boosted_pages
from server.ask.caching_embedder import CachingEmbedder
from server.ask.classify import classify
from server.ask.context import AskContext, AskOptions, Models
from server.ask.contextualize import ContextualizedQuestion, contextualize, points_back, without_refused
from server.ask.conversation.asked_time import asked_time
from server.ask.conversation.challenge import verify_answer
from server.ask.conversation.own_name import without_own_name
from server.ask.conversation.turns import reply, turns_of
from server.ask.curated import CuratedMatch, SiteConfig
from server.ask.curated_answer import match_curated, say_curated, say_similar
from server.ask.deadlines import deadlines_listed
from server.ask.decompose import split_question
from server.ask.expand import EXPANDING, ExpandedQuestion, expand
from server.ask.freshness import freshness
from server.ask.front_door import is_general, nearer_first
from server.ask.generate import answer_from_memory, generate_answer, quote_answer
from server.ask.hours import hours_told
from server.ask.narrow import narrow
from server.ask.normalize import HeardLine, heard_before, normalize, written_out
from server.ask.ports import AnswerGenerator, CrossEncoder, Lease, LineRouter, Record
from server.ask.read import read
from server.ask.refuse import (
    LineOutcome,
    PartOutcome,
    RetrievalResult,
    closest_pages,
    closing_lines,
    contacts_for,
    is_refusal,
    reason_of,
    summed_up,
)
from server.ask.retrieve import retrieve_in_context
from server.ask.rewrite import rewrite
from server.ask.route import cuts_of, route
from server.ask.rules import FilteredIndex
from server.ask.scope import detect_scope
from server.ask.strategy.modes import plan_of
from server.ask.strategy.presets import config_for, settings_of
from server.ask.term_dates import term_dates
from server.ask.trace import AnswerBuilder, TraceLog, asked_of
from server.ask.triage import US_HELP_LINES, Triage, help_text, triage, unsafe
from server.ask.usual import spelled_out, usual_in_english
from server.models import Answer, Event, Exchange, Final, Freshness, Question, Status, Trace
from server.models.answers import OF_NO_QUESTION

# Under load no vectors are compared, and a cross-encoder reads no passage.
LOAD_SHED = "keyword"
# Why a question stays open that may be answered in other words.
OPEN = frozenset({"no_evidence", "off_topic"})


class Asker:
    """Answers questions from the current snapshot. Synchronous and thread-safe.

    It answers by `options`; `site_config` is what it knows from the people who look after the sites.
    """

    def __init__(
        self,
        lease: Lease,
        models: Models,
        options: AskOptions,
        record: Record | None = None,
        site_config: SiteConfig | None = None,
    ) -> None:
        self._lease = lease
        self._models = models
        self.options = options
        self.site_config = site_config or SiteConfig()
        self._record = record

    def ask(self, question: Question) -> Iterator[Event]:
        """The events of one question, a `Final` last, which is yielded only once it has been recorded.

        Raises before the first event: `BadInputError` for an empty or too long question or an unknown
        strategy, `NotReadyError` without a snapshot. After it: `StorageError` when it cannot be recorded.
        """
        options, trace, asked_at = self.options, TraceLog(), datetime.now(UTC)
        strategy = LOAD_SHED if question.load_shed else question.strategy or options.strategy
        config = config_for(strategy, options.default_config, self._models.steps)
        models = replace(self._models, embedder=CachingEmbedder(self._models.embedder))
        if question.load_shed:
            models = replace(models, writer=None, condense=None, search_llm=None)
        plan = plan_of(options.mode, has_llm=models.writer is not None)
        with trace.step("normalize") as step:
            heard, said = (
                written_out(normalize(question.text, options.max_question_chars)),
                heard_before(question),
            )
            step.notes = {"heard": heard.text} if heard.replaced else {}
        with trace.step("triage") as step:
            line = triage(heard.text, said.history, models.embedder, models.distress)
            step.notes = line.notes
        with self._lease() as snapshot:
            day = self.day(question.site)
            ruling = self.site_config.ruling(question.site, snapshot, day)
            index = FilteredIndex(snapshot, ruling.hidden) if ruling.pages else snapshot
            ask = AskContext(
                said,
                config,
                plan,
                index,
                models,
                self.site_config,
                options,
                trace,
                AnswerBuilder(),
                day,
                ruling,
                line.language,
            )
            outcome = yield from _answer_line(heard, line, ask)
            with ask.step("freshness"):
                asked = terms_asked(outcome.question, day)
                read, changed = trace.passages.values(), self.site_config.changed
                sources = freshness(ask.answer.citations, read, day, changed, asked)
            answer = _whole_answer(ask, outcome, sources)
            finished = Trace(
                question.trace_id,
                question.text,
                config.name,
                index.name,
                options.versions,
                trace.steps,
                trace.passages,
                asked_of(question),
                settings_of(config, options, day) | {"rules": ruling.book.number},
            )
        if self._record:
            at = asked_at.isoformat(timespec="milliseconds")
            self._record(Exchange(question, answer, finished, at))
        yield Final(answer, finished)

    def questions_in(self, line: str) -> tuple[str, ...]:
        """What a line is taken apart into."""
        return questions_in(line, self._models.router)

    def day(self, site: str) -> date:
        """Today, where a site is."""
        return self.options.terms.day(self.site_config.timezone(site))

    @property
    def writes(self) -> bool:
        """Whether a language model writes its answers."""
        return self._models.writer is not None

    @property
    def writer_rests(self) -> bool | None:
        """Whether that model is left in peace after failures; None: there is none."""
        writer = self._models.writer
        return writer.resting if writer is not None else None

    def otherwise(
        self,
        options: AskOptions,
        *,
        writes: bool = True,
        model: str | None = None,
        site_config: SiteConfig | None = None,
        verifier: CrossEncoder | None = None,
    ) -> Asker:
        """The same pipeline by other settings or another site configuration, over the same models.

        It records nothing, and nothing is loaded for it. `writes` False: no language model writes the answer;
        `model`: another one of the same server does. `verifier`: in the place of the own one.
        """
        writer = self._models.writer if writes else None
        if writer is not None and model:
            writer = writer.named(model)
            options = replace(options, versions={**options.versions, **writer.versions})
        models = replace(self._models, writer=writer, verifier=verifier or self._models.verifier)
        return Asker(self._lease, models, options, None, site_config or self.site_config)

    def over(self, lease: Lease, writer: AnswerGenerator | None = None) -> Asker:
        """The same pipeline over other snapshots, by the same models and settings; it records nothing.

        With a `writer`, that one writes its answers.
        """
        models = replace(self._models, writer=writer) if writer is not None else self._models
        return Asker(lease, models, self.options, None, self.site_config)

    def close(self) -> None:
        """Cancel what is under way at the language model; no further question can be asked of it."""
        if self._models.writer:
            self._models.writer.close()


def _answer_line(heard: HeardLine, line: Triage, ask: AskContext) -> Generator[Event, None, LineOutcome]:
    """One line of a visitor: help lines, small talk, a challenge of the last answer, or questions."""
    models, text = ask.models, heard.text
    if line.crisis:
        help_lines = (ask.site.help_lines if ask.site else ()) or US_HELP_LINES
        # In the language it was heard in, whether or not the site offers that.
        texts = ask.site_config.catalogue.spoken(line.crisis.language, ask.site_name)
        yield from ask.answer.say(help_text(line.crisis.level, texts, help_lines))
        ask.answer.new_line()
    if line.small_talk:
        yield from ask.answer.say(reply(line.small_talk, ask.texts))
        return LineOutcome("courtesy")
    if line.is_challenge:
        return (yield from _challenge(ask))
    if models.router and line.has_questions:
        with ask.step("route") as step:
            ask = replace(ask, routing=route(text, models.router, step))
    with ask.step("decompose") as step:
        cuts = cuts_of(ask.routing) if ask.routing else None
        parts = split_question(text, cuts=cuts) if line.has_questions else None
        asked = parts.asked if parts else ()
        step.notes = {"parts": len(asked)} | ({"shared": parts.subjects} if parts and parts.subjects else {})
    outcomes: list[PartOutcome] = []
    for i, part in enumerate(asked):
        ask.answer.head(f"“{heard.as_typed(part)}”" if len(asked) > 1 else "")
        # A part that shares what the line is about has it in its words, and needs no other part of it.
        shares = bool(parts and parts.subject(i))
        earlier = (
            [] if shares else [one.part.asked for one in outcomes if not one.reason or points_back(part)]
        )
        whole = parts.whole(i) if parts else part
        question = _contextualized(part, whole, earlier, ask)
        english = _in_english(question, ask) if ask.heard == "es" else []
        own = replace(ask, routing=models.router.route(whole)) if models.router and len(asked) > 1 else ask
        outcome = yield from _answer_question(question, own.if_sure() if english else own)
        for other in english:
            if outcome.reason not in OPEN:
                break
            again = yield from _answer_question(other, own)
            outcome = outcome if again.reason else again
        outcomes.append(outcome)
        ask.answer.new_line()
    ask.answer.head("")
    with ask.step("refuse"):
        left = [heard.as_typed(part) for part in parts.left] if parts else []
        open_ = left or any(one.reason for one in outcomes)
        typed = [replace(one.part, asked=heard.as_typed(one.part.asked)) for one in outcomes]
        cited = ask.answer.citations
        quoted = [replace(one, part=part).beside(cited) for one, part in zip(outcomes, typed, strict=True)]
        helped, shown = bool(line.crisis), ask.answer.text
        lines = closing_lines(quoted, left, ask.texts, helped=helped, shown=shown) if open_ else ()
    for closing in lines:
        yield from ask.answer.say(closing)
    with ask.step("narrow") as step:
        narrowing = narrow(outcomes, ask, step) if not (left or line.crisis) else None
    return replace(summed_up(outcomes, is_helped=bool(line.crisis)), narrow=narrowing)


def _in_english(question: ContextualizedQuestion, ask: AskContext) -> list[ContextualizedQuestion]:
    """What a Spanish question asks: as the usual question that it is, and word for word."""
    texts = (usual_in_english(question.question, ask), question.in_english(ask.index.text))
    return [question.put_as(text) for text in dict.fromkeys(texts) if text]


def questions_in(line: str, router: LineRouter | None) -> tuple[str, ...]:
    """What a line is taken apart into, by the router or, without one, by rules."""
    return split_question(line, cuts=cuts_of(router.route(line)) if router else None).asked


def _contextualized(part: str, whole: str, earlier: Sequence[str], ask: AskContext) -> ContextualizedQuestion:
    """A part of a line, `whole` with what it leaves out, after the conversation and the `earlier` parts."""
    with ask.step("contextualize") as step:
        refused = partial(is_refusal, languages=ask.site_config.catalogue.every(ask.site_name))
        told = without_refused(part, ask.question.history, refused)
        before = [*told, *(("user", text) for text in earlier)] if ask.plan.rewrites else ()
        condense = ask.models.condense if ask.plan.rewrites else None
        question = contextualize(whole, before, ask.index.text, ask.models.embedder, condense)
        step.notes = question.notes
    return replace(question, asked=part)


def _answer_question(part: ContextualizedQuestion, ask: AskContext) -> Generator[Event, None, PartOutcome]:
    """One question that stands alone: from the pages or from an editor, or the reason why not."""
    index, models, options, book = ask.index, ask.models, ask.options, ask.ruling.book
    with ask.step("moderate") as step:
        matter = unsafe(part.asked)
        step.notes = {"matter": matter} if matter else {}
    if matter:
        return PartOutcome(part, reason="unsafe")
    if models.writer and not ask.plan.retrieves:
        return (yield from answer_from_memory(models.writer, part, ask))
    yield Status("retrieve")
    with ask.step("curated") as step:
        match = match_curated(part, ask)
        step.notes = match.notes if match else {}
    if match and match.is_same:
        return (yield from say_curated(match, part, ask))
    if match and not ask.shows_unsure:
        match = None

    with ask.step("rewrite") as step:
        own = without_own_name(part.question, ask.site_name, index.snapshot.hosts, ask.is_word)
        part, ask = part.put_as(own.text), replace(ask.on_hosts(own.hosts), own_name=own)
        text, said, notes = rewrite(part.question, book.wordings, index.text, ask.is_word, ask.finds)
        meant = asked_time(part.question, ask.day, index.snapshot.calendar)
        step.notes = {**notes, **own.notes} | ({"time": meant.notes} if meant else {})
        ask = replace(ask, asked_time=meant, said=said)
    with ask.step("usual") as step:
        spelled = spelled_out(text, ask)
        text, step.notes = spelled.text, spelled.notes
    with ask.step("classify") as step:
        sought = timeless(text, ask.day)
        vector = models.embedder.embed_question(sought) if ask.config.strategy.needs_vector else None
        about = classify(vector, index.classifier, options.soft_filter)
        step.notes = about.notes if vector is not None else {}
    expanded = ExpandedQuestion()
    if EXPANDING.intersection(ask.config.strategy.steps):
        with ask.step("expand") as step:
            expanded = expand(sought, ask, step)
    with ask.step("retrieve") as step:
        candidates, nearest = retrieve_in_context(sought, vector, part, ask, about.scope, step, expanded)
    with ask.step("scope") as step:
        scope = detect_scope(text, part, about, nearest, candidates, ask)
        step.notes = scope.notes
    with ask.step("boost") as step:
        candidates = boost(text, candidates, index.snapshot.terms, ask.day, options, book.labels, step)
        if spelled.own or is_general(text, index.text):
            candidates = nearer_first(candidates, step)
        if ask.answer.citations:
            candidates = boost_cited(candidates, ask.answer.citations, step)
        boosted = boosted_pages(text, about.allowed, book.favours, index.text.stems)
        if boosted:
            candidates = boost_pages(text, vector, candidates, boosted, index, ask.trace, step)
    found = RetrievalResult(
        text, tuple(candidates), about.allowed, scope.verdict, boosted, scope.another, own=spelled.own
    )
    if match and not scope.passes:
        return (yield from say_similar(match, part, found, ask))
    if not scope.passes:
        return PartOutcome(part, reason=reason_of(scope.verdict), found=found)
    return (yield from _answer_from(found, match, part, ask))


def _answer_from(
    found: RetrievalResult, similar: CuratedMatch | None, part: ContextualizedQuestion, ask: AskContext
) -> Generator[Event, None, PartOutcome]:
    """An answer from what was found, read and put in order as the strategy has it, or the reason why not.

    Where it is not sure, an editor's answer to a `similar` question is shown instead.
    """
    writer = ask.models.writer
    with ask.step("hours") as step:
        step.notes = (hours := hours_told(found.question, part.question, found, ask)).notes
    if hours.answer:
        return (yield from hours.answer.outcome(part, found, ask))
    with ask.step("calendar") as step:
        dates, listed = term_dates(part.question, found, ask), None
        step.notes = dates.notes if dates else {}
    if not dates:
        with ask.step("deadlines") as step:
            listed = deadlines_listed(part.question, found, ask)
            step.notes = listed.notes if listed else {}
    if told := dates or listed:
        return (yield from told.outcome(part, found, ask))
    draft = yield from read(found, hours, ask)
    found, extracted = draft.found, draft.answer
    if similar and not draft.is_sure:
        return (yield from say_similar(similar, part, found, ask))
    if not extracted.sentences or extracted.evidence < ask.options.least_confidence:
        hinted = replace(found, hints=extracted.hints)
        return PartOutcome(part, reason="no_evidence", found=hinted, confidence=extracted.evidence)
    if hours.before and draft.is_sure:
        yield from hours.before.say(ask.answer, ask.texts, ask.day, beside=extracted.text)
    elif writer and not hours.in_doubt:
        return (yield from generate_answer(writer, part, found, draft.best, extracted, ask))
    return (yield from quote_answer(part, found, extracted, ask))


def _challenge(ask: AskContext) -> Generator[Event, None, LineOutcome]:
    """ "Are you sure?": the last answer, held against its pages as they are now."""
    last = turns_of(ask.question.history)[-1].answer
    with ask.step("challenge") as step:
        doubted = "" if is_refusal(last, ask.site_config.catalogue.every(ask.site_name)) else last
        checked = verify_answer(doubted, ask.question.cited, ask.index.keyword, ask.index.snapshot)
        step.notes = {"verdict": checked.verdict, "missing": list(checked.missing)}
    yield from ask.answer.say(checked.lead(ask.texts))
    for citation in checked.citations:
        yield from ask.answer.quote(f"{citation.quote} [{citation.n}]", {citation.n: citation})
    return LineOutcome("courtesy" if checked.verdict == "unknown" else "extractive")


def _whole_answer(ask: AskContext, outcome: LineOutcome, sources: Freshness) -> Answer:
    """What was said, with its sources, how new they are, and where to turn when it was a refusal."""
    question, refused = ask.question, outcome.reason is not None
    load_shed = question.load_shed and outcome.answerer == "extractive"
    is_own = not ask.answer.citations and (refused or outcome.answerer in OF_NO_QUESTION)
    return Answer(
        answer=ask.answer.text,
        refused=refused,
        refusal_reason=outcome.reason,
        answerer=outcome.answerer,
        degraded=outcome.degraded or ("busy" if load_shed else None),
        citations=ask.answer.citations,
        closest_pages=closest_pages(outcome.found) if refused else (),
        strategy=ask.config.name,
        snapshot=ask.index.name,
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        trace_id=question.trace_id,
        timings_ms=ask.trace.timings_ms(),
        notices=ask.site_config.notices(question.site, datetime.now(UTC)),
        contacts=contacts_for(ask.site, outcome.refused_topics) if refused else (),
        as_of=sources.as_of,
        cautions=sources.cautions,
        lang=ask.texts.lang if is_own else None,
        confidence=None if outcome.confidence is None else round(outcome.confidence, 4),
        tier=outcome.tier,
        quote_reason=outcome.quote_reason,
        narrow=outcome.narrow,
    )
