"""The book of curated answers over a real store, with the shipped models and by words alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from scripts.data_files import read_rows
from server.ask.curated import CuratedBook, weigh_questions
from server.ask.paraphraser import LIKELY, MOST_READ, SIMILAR, Paraphraser
from server.errors import ModelError, StorageError
from server.inference.encoders import Embedder
from server.models.curation import CuratedAnswer, Notice
from server.settings import PROJECT, Settings
from server.wiring.flow import build_paraphraser, build_verifier
from server.workbench.records import Records, open_records
from tests.clock import Clock

TODAY = date(2026, 9, 1)
TUITION = CuratedAnswer(
    "undergraduate-tuition",
    "main",
    ("How much is undergraduate tuition?", "undergrad tuition cost"),
    "A year of undergraduate tuition is $9,240.",
    (("Tuition", "https://example.edu/tuition"),),
)
DORMS = CuratedAnswer("ac", "main", ("Which dorms have air conditioning?",), "Spruce does.", topic="life")


class FailingStore:
    """A store that works until told otherwise, and counts how often it is asked."""

    def __init__(self, store: Records) -> None:
        self.store = store
        self.fails = False
        self.asked = 0

    def curated(self, site: str | None = None) -> tuple[CuratedAnswer, ...]:
        return self.store.curation.curated(site)

    def notices(self, site: str | None = None) -> tuple[Notice, ...]:
        return self.store.curation.notices(site)

    def curation_version(self) -> str:
        self.asked += 1
        if self.fails:
            raise StorageError("The disk is full.")
        return self.store.curation.curation_version()


class Listed:
    """One answer that never changes."""

    def __init__(self, answer: CuratedAnswer) -> None:
        self.answer = answer

    def curated(self, site: str | None = None) -> tuple[CuratedAnswer, ...]:
        return (self.answer,)

    def notices(self, site: str | None = None) -> tuple[Notice, ...]:
        return ()

    def curation_version(self) -> str:
        return "always"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Records]:
    opened = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=["reading", "words"])
def paraphraser(request: pytest.FixtureRequest, embedder: Embedder) -> Paraphraser:
    return (
        build_paraphraser(Settings(), embedder, build_verifier(Settings()))
        if request.param == "reading"
        else Paraphraser(embedder)
    )


@pytest.fixture
def book(store: Records, paraphraser: Paraphraser) -> CuratedBook:
    store.curation.put_curated(TUITION)
    store.curation.put_curated(DORMS)
    return CuratedBook(store.curation, paraphraser, look_every_s=0.0)


def answer_of(
    book: CuratedBook, text: str, site: str = "main", topics: list[str] | None = None
) -> str | None:
    """The answer that is given as one."""
    match = book.match(text, None, site, topics, TODAY)
    return match.answer.id if match and match.is_same else None


def test_a_question_in_other_words_gets_the_editors_answer(book: CuratedBook, embedder: Embedder) -> None:
    text = "what does undergrad tuition cost"
    match = book.match(text, embedder.embed_question(text), "main", None, TODAY)
    assert match is not None
    assert match.answer == TUITION
    assert match.phrasing == "undergrad tuition cost"
    assert LIKELY <= match.similarity <= 1


@pytest.mark.parametrize("phrasing", TUITION.phrasings)
def test_an_editors_own_words_always_match(book: CuratedBook, phrasing: str) -> None:
    assert answer_of(book, phrasing.upper()) == TUITION.id


@pytest.mark.parametrize(
    "text",
    [
        "How much is graduate tuition?",
        "How much was undergraduate tuition in 2021?",
        "Is undergraduate tuition not refundable?",
        "Which dorms do not have air conditioning?",
        "which dorms have a kitchen",
        "tuition",
        "how are you",
        "",
    ],
)
def test_a_question_that_differs_in_what_matters_gets_none(book: CuratedBook, text: str) -> None:
    assert answer_of(book, text) is None


def test_a_similar_question_is_told_from_the_same(book: CuratedBook) -> None:
    match = book.match("what is undergraduate tuition going to cost me altogether", None, "main", None, TODAY)
    assert match is not None
    assert (match.answer.id, match.is_same, match.notes["similar"]) == (TUITION.id, False, True)
    assert SIMILAR <= match.similarity < LIKELY
    assert book.match("where do I park", None, "main", None, TODAY) is None


def test_a_slip_is_put_right_by_the_phrasings(book: CuratedBook) -> None:
    assert answer_of(book, "undergradute tution cost") == TUITION.id


def test_an_answer_is_its_sites_alone(book: CuratedBook) -> None:
    assert answer_of(book, TUITION.phrasings[0], site="library") is None


def test_an_answer_with_a_topic_needs_it_among_those_that_the_question_sounds_like(book: CuratedBook) -> None:
    text = "which dorms have AC"
    assert answer_of(book, text, topics=["support", "life"]) == "ac"
    assert answer_of(book, text, topics=["support"]) is None
    assert answer_of(book, text, topics=[]) == "ac"
    assert answer_of(book, TUITION.phrasings[0], topics=["support"]) == TUITION.id


def test_an_answer_holds_from_its_first_day_to_its_last(book: CuratedBook, store: Records) -> None:
    store.curation.put_curated(replace(TUITION, valid_from="2026-09-01", valid_until="2026-09-02"))
    text = TUITION.phrasings[0]
    days = [TODAY + timedelta(days=offset) for offset in (-1, 0, 1, 2)]
    held = [book.match(text, None, "main", None, day) is not None for day in days]
    assert held == [False, True, True, False]


def test_a_change_by_another_process_is_seen(book: CuratedBook, store: Records, tmp_path: Path) -> None:
    assert answer_of(book, "When is the pool open?") is None
    other = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    other.curation.put_curated(
        CuratedAnswer("pool", "main", ("pool hours", "When is the pool open?"), "At noon.")
    )
    assert answer_of(book, "When is the pool open?") == "pool"
    other.curation.remove_curated("pool")
    assert answer_of(book, "When is the pool open?") is None
    other.close()


def test_the_store_is_asked_only_now_and_then_and_may_fail(store: Records, embedder: Embedder) -> None:
    source, clock = FailingStore(store), Clock()
    book = CuratedBook(source, Paraphraser(embedder), look_every_s=2.0, clock=clock)
    source.fails = True
    assert answer_of(book, TUITION.phrasings[0]) is None
    source.fails = False
    store.curation.put_curated(TUITION)
    assert answer_of(book, TUITION.phrasings[0]) is None
    clock.now = 2.0
    assert answer_of(book, TUITION.phrasings[0]) == TUITION.id
    source.fails, clock.now = True, 4.0
    assert answer_of(book, TUITION.phrasings[0]) == TUITION.id
    assert source.asked == 3


def test_without_the_models_folder_words_alone_tell(
    store: Records, embedder: Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store.curation.put_curated(TUITION)
    elsewhere = replace(Settings(), models_dir=tmp_path)
    with caplog.at_level("WARNING"):
        book = CuratedBook(store.curation, build_paraphraser(elsewhere, embedder, None))
    assert "paraphraser_missing" in caplog.text
    assert answer_of(book, "what does undergrad tuition cost") == TUITION.id
    (tmp_path / "broken").mkdir()
    with pytest.raises(ModelError, match="incomplete"):
        build_paraphraser(replace(elsewhere, paraphraser="broken"), embedder, None)


def test_other_words_for_it_are_known_by_reading_alone(store: Records, embedder: Embedder) -> None:
    text = ("Can I pay my tuition with a credit card, and is there a fee?", "Paying tuition by card")
    card = CuratedAnswer("card", "main", text, "Yes, online; the card processor adds a fee of 2.75 percent.")
    store.curation.put_curated(card)
    asked = "I want pay the study fee with card Visa by internet, it is possible? how much more?"
    found = {}
    for by, one in (
        ("words", Paraphraser(embedder)),
        ("reading", build_paraphraser(Settings(), embedder, build_verifier(Settings()))),
    ):
        match = CuratedBook(store.curation, one).match(asked, None, "main", None, TODAY)
        found[by] = match.answer.id if match else None
    assert found == {"words": None, "reading": "card"}


def test_many_may_ask_at_once(book: CuratedBook, store: Records) -> None:
    found: list[str | None] = []

    def ask() -> None:
        found.extend(answer_of(book, TUITION.phrasings[0]) for _ in range(5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
        store.curation.put_curated(replace(DORMS, text=thread.name))
    for thread in threads:
        thread.join()
    assert found == [TUITION.id] * 20


def test_notices_are_their_sites_until_they_are_over(book: CuratedBook, store: Records) -> None:
    closed = Notice("snow", "main", "Campus is closed.", "2999-02-01T18:00:00+00:00")
    store.curation.put_notice(closed)
    store.curation.put_notice(replace(closed, id="elsewhere", site="library"))
    end = datetime(2999, 2, 1, 18, tzinfo=UTC)
    assert book.notices("main", end - timedelta(seconds=1)) == (closed,)
    assert book.notices("main", end) == ()


def test_no_committed_near_miss_of_another_term_number_level_or_sign_matches(
    paraphraser: Paraphraser,
) -> None:
    kinds = {"term", "year", "number", "negation", "level", "general"}
    for row in read_rows(PROJECT / "corpus/curated_pairs.jsonl"):
        answer = CuratedAnswer("x", "main", tuple(row["phrasings"]), row["answer"])
        book = CuratedBook(Listed(answer), paraphraser)
        for near in row["near"]:
            if near["differs"] in kinds:
                assert answer_of(book, near["question"]) is None, near


def test_a_question_that_is_tried_is_told_what_a_visitor_is_shown(paraphraser: Paraphraser) -> None:
    more = {row["id"]: row["more"] for row in read_rows(PROJECT / "corpus/asked_alike_more.jsonl")}
    rows = [row for row in read_rows(PROJECT / "corpus/asked_alike.jsonl") if row["part"] == "blind"]
    for row in rows[:2]:
        ways = (*row["phrasings"], *more[row["id"]])
        assert len(ways) > MOST_READ  # what is not read says nothing against what is
        book = CuratedBook(Listed(CuratedAnswer("x", "main", ways, row["answer"])), paraphraser)
        tried = weigh_questions(row["same"], ways, paraphraser, TODAY, row["answer"])
        for question, one in zip(row["same"], tried, strict=True):
            match = book.match(question, None, "main", None, TODAY)
            shown = (match is not None and match.is_same, match is not None and not match.is_same)
            assert (one.matched, one.similar) == shown, question


def test_the_committed_pairs_are_of_both_kinds_and_told_once() -> None:
    rows = read_rows(PROJECT / "corpus/curated_pairs.jsonl")
    same = [question for row in rows for question in row["same"]]
    near = [near["question"] for row in rows for near in row["near"]]
    assert len({row["id"] for row in rows}) == len(rows)
    assert min(len(same), len(near)) >= 60
    for row in rows:
        asked = [*row["phrasings"], *row["same"], *(one["question"] for one in row["near"])]
        assert len(set(asked)) == len(asked)
