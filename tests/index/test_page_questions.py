"""Sample questions of pages as a second index, over the small college."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.index.page_questions import QuestionIndex, SampleQuestion, question_of
from server.inference.encoders import Embedder
from server.wiring.opened import OpenedSnapshot
from tests.small_site import SITE

ASKED = SampleQuestion("who feeds the college cat", f"{SITE}/parking/#cats")
ELSEWHERE = SampleQuestion("who feeds the college dog", "https://www.example.edu/gone")


@pytest.fixture(scope="module")
def snapshot(snapshot_folder: Path, embedder: Embedder) -> Iterator[OpenedSnapshot]:
    more = (ASKED, ELSEWHERE)
    opened = OpenedSnapshot(snapshot_folder, threads=1, embed=embedder.embed_questions, more=lambda: more)
    yield opened
    opened.close()


def found(snapshot: OpenedSnapshot, embedder: Embedder, text: str) -> list[tuple[str, str]]:
    hits = snapshot.questions.search(embedder.embed_question(text), 3)
    passages = snapshot.snapshot.passages([hit.chunk_id for hit in hits])
    return [(passages[hit.chunk_id].url, passages[hit.chunk_id].heading) for hit in hits]


def test_a_heading_asks_for_its_own_section(snapshot: OpenedSnapshot, embedder: Embedder) -> None:
    [first, *_] = found(snapshot, embedder, "library opening hours")
    assert first == (f"{SITE}/library", "Opening hours")


def test_any_other_question_asks_for_all_of_its_page(snapshot: OpenedSnapshot, embedder: Embedder) -> None:
    first, second, _ = found(snapshot, embedder, "who gives the cat of the college its food")
    assert {first, second} == {(f"{SITE}/parking", "Permits"), (f"{SITE}/parking", "Visitors")}


def test_the_score_is_the_cosine_to_the_nearest_question(
    snapshot: OpenedSnapshot, embedder: Embedder
) -> None:
    vector = embedder.embed_question(ASKED.text)
    best = snapshot.questions.search(vector, 2)
    assert [hit.score for hit in best] == pytest.approx([1.0, 1.0], abs=0.02)
    ids = [best[0].chunk_id, best[1].chunk_id]
    assert {hit.chunk_id for hit in snapshot.questions.scores(vector, ids)} == set(ids)


def test_without_an_embedder_nothing_is_like_anything(snapshot: OpenedSnapshot, embedder: Embedder) -> None:
    index = QuestionIndex(snapshot.snapshot, None, lambda: (ASKED,))
    assert [hit.score for hit in index.search(embedder.embed_question(ASKED.text), 2)] == [-1.0, -1.0]


@pytest.mark.parametrize(
    ("title", "heading", "text"),
    [
        ("Dining", "Meal plans", "Dining Meal plans"),
        ("Dining", "Halls › Commons", "Dining Commons"),
        ("Dining", "May I bring a guest?", "May I bring a guest?"),
        ("Dining", "", "Dining"),
    ],
)
def test_a_section_is_asked_for_by_title_and_last_heading(title: str, heading: str, text: str) -> None:
    assert question_of(title, heading) == text
