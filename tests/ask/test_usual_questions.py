"""What any university is asked goes on to its pages, though it is near none of them, and is spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from server.ask.ports import CrossEncoder
from server.inference.encoders import Embedder
from server.models import Reading
from server.models.usual import NearestUsual
from server.settings import Settings
from server.wiring.flow import build_reranker
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow
from tests.index import small_index


class Nowhere:
    """A classifier to which no question is near the site, and every one as `usual` as it is told."""

    def __init__(
        self, usual: float | None, nearest: NearestUsual | None = None, spanish: NearestUsual | None = None
    ) -> None:
        self.told, self.nearest, self.spanish = usual, nearest, spanish

    def topics(self, vector: object) -> dict[str, float]:
        return {}

    def subtopics(self, vector: object) -> dict[str, dict[str, float]]:
        return {}

    def in_scope(self, vector: object) -> float | None:
        return 0.0001

    def usual(self, vector: object) -> float | None:
        return self.told

    def nearest_usual(self, vector: object, language: str = "en") -> NearestUsual | None:
        return self.spanish if language == "es" else self.nearest


@pytest.fixture
def college(tmp_path: Path, embedder: Embedder) -> Iterator[OpenedSnapshot]:
    """A college of two pages."""
    texts = [
        "School colors: cardinal and gray. The teams wear them at home.",
        "The gym opens at six every morning, and the pool at seven.",
    ]
    folder = small_index.build(tmp_path / "college", texts, embedder.embed_passages(texts))
    with closing(OpenedSnapshot(folder, threads=1)) as snapshot:
        yield snapshot


@pytest.mark.parametrize(
    ("usual", "strategy", "verdict"),
    [
        (0.95, "hybrid+rerank", "doubtful"),
        (0.5, "hybrid+rerank", "off_topic"),
        (None, "hybrid+rerank", "off_topic"),  # of a snapshot that does not know
        (0.95, "hybrid", "off_topic"),  # nothing reads the pages
    ],
)
def test_the_pages_decide_where_they_are_read(
    college: OpenedSnapshot, embedder: Embedder, usual: float | None, strategy: str, verdict: str
) -> None:
    college.classifier = Nowhere(usual)  # type: ignore[assignment]
    final = Flow(college, embedder, build_reranker(Settings())).final("school colors", strategy)
    [notes] = [step.notes for step in final.trace.steps if step.step == "scope"]
    assert notes["verdict"] == verdict
    assert final.answer.refused == (verdict != "doubtful")


COLORS = "What are the school colors of the teams?"


@pytest.mark.parametrize(
    ("asked", "closeness", "asks", "is_spelled"),
    [
        ("school colors", 0.95, COLORS, True),
        ("please tell me the school colors.", 0.85, COLORS, True),
        ("school colors of 1987", 0.95, COLORS, False),  # it has a word of its own
        ("school colors", 0.7, COLORS, False),
        ("school colors", 0.95, "", False),
    ],
)
def test_it_is_read_with_what_it_asks_where_it_has_no_word_of_its_own(  # noqa: PLR0917
    college: OpenedSnapshot, embedder: Embedder, asked: str, closeness: float, asks: str, is_spelled: bool
) -> None:
    nearest = NearestUsual("school colors", asks, closeness)
    college.classifier = Nowhere(0.95, nearest)  # type: ignore[assignment]
    reader = Overhearing(build_reranker(Settings()))
    final = Flow(college, embedder, reader).final(asked, "hybrid+rerank")
    [notes] = [step.notes for step in final.trace.steps if step.step == "usual"]
    assert notes.get("asks", "") == (asks if is_spelled else "")
    assert reader.heard[0] == (f"{asked.rstrip('.')}? {asks}" if is_spelled else asked)


@pytest.mark.parametrize(
    ("asked", "closeness", "is_usual"),
    [
        ("¿cuáles son los colores?", 0.9, True),
        ("¿cuáles son los colores en 1987?", 0.9, False),
        ("¿cuáles son los colores?", 0.7, False),
    ],
)
def test_what_is_usual_in_spanish_is_asked_in_english_as_it_is_spelled_out(
    college: OpenedSnapshot, embedder: Embedder, asked: str, closeness: float, *, is_usual: bool
) -> None:
    spanish = NearestUsual("cuáles son los colores", COLORS, closeness)
    college.classifier = Nowhere(0.95, None, spanish)  # type: ignore[assignment]
    reader = Overhearing(build_reranker(Settings()))
    Flow(college, embedder, reader).final(asked, "hybrid+rerank")
    assert (COLORS in reader.heard) == is_usual


class Overhearing:
    """A cross-encoder that keeps what it was asked."""

    def __init__(self, reader: CrossEncoder | None) -> None:
        assert reader is not None
        self.reader = reader
        self.heard: list[str] = []

    @property
    def weights(self) -> Mapping[str, float]:
        return self.reader.weights

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.heard.append(question)
        return self.reader.read(question, passages)


@pytest.mark.parametrize(
    ("spelled_out", "own", "taken"),
    [(-9.0, 9.0, [True]), (-0.5, 9.0, [True]), (-9.0, -9.0, [False]), (9.0, 9.0, [])],
)
def test_where_it_finds_nothing_the_visitors_own_words_may(
    college: OpenedSnapshot, embedder: Embedder, spelled_out: float, own: float, taken: list[bool]
) -> None:
    college.classifier = Nowhere(0.95, NearestUsual("school colors", COLORS, 0.95))  # type: ignore[assignment]
    final = Flow(college, embedder, Deciding(spelled_out, own)).final("school colors", "hybrid+rerank")
    notes = [step.notes for step in final.trace.steps if step.step == "extract.own"]
    assert [one["taken"] for one in notes] == taken
    assert ("gray" in final.answer.answer) == (max(spelled_out, own) > 0)


class Deciding:
    """A cross-encoder that finds what is spelled out and what is not as likely as it is told, in log-odds."""

    weights: Mapping[str, float] = {}

    def __init__(self, spelled_out: float, own: float) -> None:
        self.spelled_out, self.own = spelled_out, own

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        sure = self.spelled_out if COLORS in question else self.own
        return [Reading(sure, 0, len(text), sure) for _, text in passages]
