from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest

from server.ask.context import AskOptions, Models, RerankOptions
from server.ask.pipeline import Asker
from server.errors import BadInputError, NotReadyError, StorageError, TooLargeError
from server.index.manager import SnapshotManager
from server.inference.encoders import Embedder, Vectors
from server.models import Cited, Exchange, Final, Reading, RefusalReasons, Status, Token
from server.models.usual import NearestUsual
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import ENGLISH, OPEN_GATE, SPANISH, Flow, OneSnapshot, question
from tests.index import small_index

QUESTIONS = [
    "How much is tuition for residents of the state?",
    "when does the libary open on weekdays",
    "Where can visitors park?",
    "What does the Ferrier Scholarship pay?",
    "¿Dónde está la biblioteca?",
    "x",
]
# With the threshold at 0 everything found is an answer, and above 1 nothing is.
ANSWER: dict[str, Any] = {"refusal_threshold": 0.0, "gate": OPEN_GATE}
REFUSE: dict[str, Any] = {"refusal_threshold": 1.1, "seems_threshold": 1.1, "gate": OPEN_GATE}


@pytest.fixture
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder)


@pytest.fixture(params=["semantic", "keyword", "hybrid"])
def strategy(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize("text", QUESTIONS)
def test_status_then_tokens_and_citations_then_one_final(flow: Flow, strategy: str, text: str) -> None:
    *events, final = flow.events(text, strategy, **ANSWER)
    assert isinstance(final, Final)
    once = ["retrieve", "answer"]
    steps = [e.step for e in events if isinstance(e, Status)]
    assert steps in (once, once + once if text.startswith("¿") else once)  # asked again in English
    assert not any(isinstance(e, Status) for e in events[len(steps) :])
    assert "".join(e.text for e in events if isinstance(e, Token)) == final.answer.answer
    assert tuple(e.citation for e in events if isinstance(e, Cited)) == final.answer.citations


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_citation_follows_the_first_sentence_that_refers_to_it(flow: Flow, text: str) -> None:
    said = ""
    for event in flow.events(text, **ANSWER):
        if isinstance(event, Token):
            said += event.text
        if isinstance(event, Cited):
            assert said.endswith(f"[{event.citation.n}]")
            assert said.count(f"[{event.citation.n}]") == 1


@pytest.mark.parametrize("text", QUESTIONS[:4])
def test_quotes_stand_literally_in_a_passage_of_the_cited_page(flow: Flow, strategy: str, text: str) -> None:
    final = flow.final(text, strategy, **ANSWER)
    assert final.answer.citations
    for citation in final.answer.citations:
        texts = [p.text for p in final.trace.passages.values() if p.url == citation.url]
        assert any(citation.quote in passage for passage in texts)
    quotes = {citation.n: citation.quote for citation in final.answer.citations}
    for sentence, n in re.findall(r"(.+?) \[(\d)\] ?", final.answer.answer):
        assert sentence in quotes[int(n)]


def test_a_plain_question_is_answered_from_the_right_page(flow: Flow) -> None:
    answer = flow.final(QUESTIONS[0]).answer
    assert not answer.refused
    assert "$9,240 a year" in answer.answer
    assert answer.citations[0].url == "https://www.brackwater.example/tuition"
    assert answer.citations[0].fetched_at == "2026-05-01T10:00:00+00:00"
    assert (answer.answerer, answer.strategy, answer.snapshot) == ("extractive", "hybrid", flow.index.name)
    assert (answer.conversation_id, answer.message_id, answer.trace_id) == ("c1", "m1", "t1")
    assert (answer.refusal_reason, answer.closest_pages, answer.degraded) == (None, (), None)


def test_a_misspelt_word_is_corrected_and_the_trace_says_so(flow: Flow) -> None:
    final = flow.final("When does the libary open on weekdays?")
    assert "8 a.m. to midnight" in final.answer.answer
    [rewrite] = [step for step in final.trace.steps if step.step == "rewrite"]
    corrected = "When does the library open on weekdays?"
    found = rewrite.notes["found"]
    assert rewrite.notes == {"question": corrected, "corrections": {"libary": "library"}, "found": found}
    assert found[corrected] > found["When does the libary open on weekdays?"] > 0


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_refusal_says_so_and_carries_up_to_three_different_closest_pages(
    flow: Flow, strategy: str, text: str
) -> None:
    final = flow.final(text, strategy, **REFUSE)
    answer = final.answer
    texts = SPANISH if "¿" in text else ENGLISH
    assert (answer.refused, answer.answer, answer.citations) == (True, texts.refused_no_evidence, ())
    assert answer.refusal_reason in RefusalReasons
    ranking = next(step.ranking for step in final.trace.steps if step.step == "retrieve")
    urls = dict.fromkeys(final.trace.passages[hit.chunk_id].url for hit in ranking)
    assert [page.url for page in answer.closest_pages] == list(urls)[:3]


def test_a_question_that_the_site_does_not_answer_is_refused(flow: Flow) -> None:
    answer = flow.final("Can I rent a zeppelin with a saxophone?").answer
    assert answer.refused
    assert len({page.url for page in answer.closest_pages}) == 3


def test_every_step_is_traced_and_timed(flow: Flow) -> None:
    final = flow.final(QUESTIONS[0])
    steps = [
        "normalize",
        "triage",
        "decompose",
        "contextualize",
        "moderate",
        "curated",
        "rewrite",
        "usual",
        "classify",
        "retrieve.semantic",
        "retrieve.keyword",
        "retrieve",
        "scope",
        "boost",
        "hours",
        "calendar",
        "deadlines",
        "extract",
        "refuse",
        "narrow",
        "freshness",
    ]
    assert [step.step for step in final.trace.steps] == steps
    timings = final.answer.timings_ms
    assert set(timings) == {*steps, "total"}
    assert all(ms >= 0 for ms in timings.values())
    assert sum(step.ms for step in final.trace.steps if "." not in step.step) <= timings["total"]
    [answered] = [step for step in final.trace.steps if step.step == "extract"]
    assert 0 <= answered.notes["evidence"] <= 1
    assert answered.notes["threshold"] == AskOptions().refusal_threshold
    assert set(final.trace.passages) == {hit.chunk_id for step in final.trace.steps for hit in step.ranking}


class LastWins:
    """A cross-encoder that turns every order round."""

    weights: ClassVar[dict[str, float]] = {}

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        return [Reading(float(i)) for i in range(len(passages))]


@pytest.mark.parametrize("search", ["semantic", "keyword", "hybrid"])
def test_rerank_puts_the_candidates_in_the_models_order(
    opened: OpenedSnapshot, embedder: Embedder, search: str
) -> None:
    flow = Flow(opened, embedder, LastWins())
    final = flow.final(QUESTIONS[0], f"{search}+rerank", rerank=RerankOptions(100, 100, 0.0), **ANSWER)
    steps = {step.step: [hit.chunk_id for hit in step.ranking] for step in final.trace.steps}
    assert steps["rerank"] == steps["boost"][::-1]
    assert final.answer.strategy == f"{search}+rerank"
    events = flow.events(QUESTIONS[0], f"{search}+rerank")
    assert [e.step for e in events if isinstance(e, Status)] == ["retrieve", "rerank", "answer"]


def test_without_a_cross_encoder_no_strategy_reranks(flow: Flow) -> None:
    with pytest.raises(BadInputError, match=r"no strategy 'hybrid\+rerank'.*hybrid\+topics"):
        flow.events(QUESTIONS[0], "hybrid+rerank")


class Housing:
    """A classifier that takes every question to be about housing."""

    def topics(self, vector: Vectors) -> dict[str, float]:
        return {"library": 0.1, "housing": 0.9}

    def subtopics(self, vector: Vectors) -> dict[str, dict[str, float]]:
        return {}

    def in_scope(self, vector: Vectors) -> float | None:
        return 0.8

    def usual(self, vector: Vectors) -> float | None:
        return None

    def nearest_usual(self, vector: Vectors, language: str = "en") -> NearestUsual | None:
        return None


@pytest.fixture
def two_topics(tmp_path: Path, embedder: Embedder) -> Iterator[OpenedSnapshot]:
    """Two pages that both speak of opening hours, each of a topic of its own."""
    texts = ["The library opens at eight every morning.", "The housing office opens at nine every morning."]
    urls = {f"https://example.edu/{i}": (topic, None) for i, topic in enumerate(("library", "housing"))}
    folder = small_index.build(tmp_path / "two", texts, embedder.embed_passages(texts), topics=urls)
    snapshot = OpenedSnapshot(folder, threads=1)
    snapshot.classifier = Housing()  # type: ignore[assignment]
    yield snapshot
    snapshot.close()


@pytest.mark.parametrize("search", ["semantic", "keyword", "hybrid"])
def test_topics_leave_out_what_the_question_is_not_about(
    two_topics: OpenedSnapshot, embedder: Embedder, search: str
) -> None:
    def found(strategy: str) -> list[str]:
        trace = Flow(two_topics, embedder).final("When does the library open?", strategy, **ANSWER).trace
        return sorted(passage.url for passage in trace.passages.values())

    assert found(search) == ["https://example.edu/0", "https://example.edu/1"]
    assert found(f"{search}+topics") == ["https://example.edu/1"]


def test_what_a_question_is_about_is_traced_without_the_filter(
    two_topics: OpenedSnapshot, embedder: Embedder
) -> None:
    trace = Flow(two_topics, embedder).final("When does it open?", "hybrid").trace
    [about] = [step.notes for step in trace.steps if step.step == "classify"]
    assert about["topics"] == {"housing": 0.9, "library": 0.1}
    assert about["in_scope"] == 0.8


def test_a_snapshot_that_learnt_no_topics_is_searched_whole(flow: Flow) -> None:
    plain, filtered = (flow.final(QUESTIONS[0], name, **ANSWER) for name in ("hybrid", "hybrid+topics"))
    assert filtered.answer.answer == plain.answer.answer
    assert filtered.answer.strategy == "hybrid+topics"


def test_the_trace_names_what_answered(flow: Flow) -> None:
    trace = flow.final("  Library \n hours? ", versions={"embedder": "small"}).trace
    assert (trace.trace_id, trace.question, trace.strategy) == ("t1", "  Library \n hours? ", "hybrid")
    assert trace.versions == {"embedder": "small"}
    assert trace.snapshot == flow.index.name


def test_a_question_is_recorded_before_its_final_is_seen(flow: Flow) -> None:
    recorded: list[int] = []
    events = []
    for event in flow.asker().ask(question(QUESTIONS[0])):
        events.append(event)
        recorded.append(len(flow.notebook.exchanges))
    assert recorded == [0] * (len(events) - 1) + [1]
    [exchange] = flow.notebook.exchanges
    assert events[-1] == Final(exchange.answer, exchange.trace)
    assert exchange.question.text == QUESTIONS[0]
    assert exchange.asked_at.endswith("+00:00")


def test_what_cannot_be_recorded_has_no_final(opened: OpenedSnapshot, embedder: Embedder) -> None:
    def full_disk(exchange: Exchange) -> None:
        raise StorageError("The disk is full.")

    seen: list[object] = []
    asker = Asker(OneSnapshot(opened).lease, Models(embedder), AskOptions(), full_disk)
    with pytest.raises(StorageError, match="full"):
        seen.extend(asker.ask(question("library")))
    assert seen
    assert not any(isinstance(event, Final) for event in seen)


@pytest.mark.parametrize(
    ("text", "strategy_name", "error"),
    [
        ("", None, BadInputError),
        ("\x00\x07", None, BadInputError),
        ("x" * 100_000, None, TooLargeError),
        ("library", "magic", BadInputError),
    ],
)
def test_bad_input_is_an_error_before_the_first_event_and_is_not_recorded(
    flow: Flow, text: str, strategy_name: str | None, error: type[Exception]
) -> None:
    with pytest.raises(error):
        next(flow.asker().ask(question(text, strategy_name)))
    assert flow.notebook.exchanges == []


def test_an_unknown_strategy_names_those_there_are(flow: Flow) -> None:
    with pytest.raises(BadInputError, match=r"'magic'\. There are: semantic, keyword, hybrid, any of topics"):
        flow.events("library", "magic")


def test_without_a_snapshot_it_is_not_ready_before_the_first_event(
    tmp_path: Path, embedder: Embedder
) -> None:
    live = SnapshotManager(tmp_path / "current", OpenedSnapshot)
    with pytest.raises(NotReadyError):
        next(Asker(live.lease, Models(embedder), AskOptions()).ask(question("library")))


def test_keyword_does_without_a_model(opened: OpenedSnapshot) -> None:
    class Speechless:
        def embed_question(self, text: str) -> Vectors:
            raise AssertionError("a keyword question was embedded")

        def embed_questions(self, texts: object) -> Vectors:
            raise AssertionError("a keyword question's phrasings were embedded")

        def embed_passages(self, texts: object) -> Vectors:
            raise AssertionError("a keyword question's hypothetical answers were embedded")

        def encode_question(self, text: str) -> tuple[Vectors, Vectors]:
            raise AssertionError("a keyword question's words were embedded")

        def is_word(self, word: str) -> bool:
            return False

    asker = Asker(OneSnapshot(opened).lease, Models(Speechless()), AskOptions(strategy="keyword", **ANSWER))
    *_, final = asker.ask(question("deposit for a room in the residence halls"))
    assert isinstance(final, Final)
    assert "$200" in final.answer.answer
    assert "embed" not in final.answer.timings_ms


def test_an_asker_without_a_recorder_answers_all_the_same(opened: OpenedSnapshot, embedder: Embedder) -> None:
    *_, final = Asker(OneSnapshot(opened).lease, Models(embedder), AskOptions()).ask(
        question("library hours")
    )
    assert isinstance(final, Final)


def test_a_visitor_who_leaves_gives_the_snapshot_back(opened: OpenedSnapshot, embedder: Embedder) -> None:
    snapshots = OneSnapshot(opened)
    events: Iterator[object] = Asker(snapshots.lease, Models(embedder), AskOptions()).ask(
        question("library hours")
    )
    next(events)
    assert snapshots.leases == 1
    events.close()  # type: ignore[attr-defined]  # it is a generator
    assert snapshots.leases == 0


def test_the_snapshot_is_given_back_before_the_final(opened: OpenedSnapshot, embedder: Embedder) -> None:
    snapshots = OneSnapshot(opened)
    leases = [
        snapshots.leases
        for _ in Asker(snapshots.lease, Models(embedder), AskOptions()).ask(question("library"))
    ]
    assert leases == [1] * (len(leases) - 1) + [0]


def test_threads_ask_one_asker_at_once(flow: Flow) -> None:
    asker = flow.asker(**ANSWER)

    def ask(text: str) -> str:
        *_, final = asker.ask(question(text))
        assert isinstance(final, Final)
        return final.answer.answer

    alone = [ask(text) for text in QUESTIONS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, QUESTIONS * 3)) == alone * 3


def test_a_line_is_heard_in_full_words_and_kept_in_the_visitors_own(flow: Flow) -> None:
    """What is quoted of it, too: the second question has no answer there."""
    typed = "Whens the library open? And wheres the zeppelin hangar that i cant find?"
    final = flow.final(typed)
    normalized = next(step for step in final.trace.steps if step.step == "normalize")
    rewritten = [step.notes["question"] for step in final.trace.steps if step.step == "rewrite"]
    assert normalized.notes == {
        "heard": "When is the library open? And where is the zeppelin hangar that i cannot find?"
    }
    assert rewritten[0] == "When is the library open?"
    assert final.trace.question == flow.notebook.exchanges[0].question.text == typed
    assert "cannot" not in final.answer.answer


def test_what_was_said_before_is_heard_in_full_words_too(flow: Flow) -> None:
    def understood(before: str) -> list[object]:
        history = (("user", before), ("assistant", "At 8."))
        *_, final = flow.asker().ask(question("and on sunday", history=history))
        assert isinstance(final, Final)
        return [step.notes for step in final.trace.steps if step.step == "contextualize"]

    assert understood("whens the library open") == understood("when is the library open")
