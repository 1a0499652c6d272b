from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from server.errors import BadInputError
from server.inference.encoders import CLASSIFIERS_FILE as READ_FILE
from server.inference.encoders import SnapshotClassifier
from server.ingest.topics import train as learning
from server.ingest.topics.labels import Label, LabelRules, label_pages
from server.ingest.topics.train import CLASSIFIERS_FILE, Learning, ask_pages, learn, load_questions
from server.models.usual import UsualQuestion
from server.settings import PROJECT
from tests.ingest.topics.learning import (
    DIMS,
    GENERAL,
    SECTIONS,
    a_chunk,
    a_site,
    embed,
    excerpts_of,
    vector_of,
)

LEARNING = Learning(embed, general_questions=GENERAL, rules=LabelRules(2, 2, 2))
EXCERPTS = excerpts_of(a_site())
LABELS = label_pages({e.chunk.url: 3 for e in EXCERPTS}, (), LEARNING.rules)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the made-up site's classifiers."""
    folder = tmp_path_factory.mktemp("learnt")
    learn(folder, EXCERPTS, LABELS, LEARNING)
    return folder


@pytest.fixture(scope="module")
def classifier(folder: Path) -> SnapshotClassifier:
    return SnapshotClassifier(folder, DIMS)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_question_is_given_its_sections_topic(classifier: SnapshotClassifier, section: str) -> None:
    topics = classifier.topics(vector_of(f"where are the {section}"))
    assert set(topics) == set(SECTIONS)
    assert max(topics, key=lambda topic: topics[topic]) == section
    assert sum(topics.values()) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("part", ["north", "south"])
def test_a_question_is_given_its_subtopic_within_the_topic(classifier: SnapshotClassifier, part: str) -> None:
    subtopics = classifier.subtopics(vector_of(f"library {part}"))
    assert set(subtopics) == {"library"}
    assert subtopics["library"][part] > 0.5
    assert sum(subtopics["library"].values()) == pytest.approx(1.0, abs=1e-5)


def test_the_gate_tells_the_sites_questions_from_others(classifier: SnapshotClassifier) -> None:
    inside, outside = (classifier.in_scope(vector_of(text)) for text in ("library desk", "weather today"))
    assert inside is not None
    assert outside is not None
    assert inside > 0.8
    assert outside < 0.2


def test_the_file_has_the_figures_of_each_level(folder: Path) -> None:
    table = json.loads((folder / CLASSIFIERS_FILE).read_text(encoding="utf-8"))
    assert {"accuracy", "macro_f1", "calibration_error", "temperature"} <= set(table["topics"]["figures"])
    assert table["scope"]["figures"]["general_questions"] == len(GENERAL)
    assert READ_FILE == CLASSIFIERS_FILE


def test_the_same_pages_give_the_same_files(folder: Path, tmp_path: Path) -> None:
    learn(tmp_path, EXCERPTS, LABELS, LEARNING)
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_with_one_topic_there_is_nothing_to_tell_apart(tmp_path: Path) -> None:
    figures = learn(tmp_path, EXCERPTS[:15], {e.chunk.url: Label("library") for e in EXCERPTS[:15]}, LEARNING)
    assert set(figures) == {"scope"}
    classifier = SnapshotClassifier(tmp_path, DIMS)
    assert (classifier.topics(vector_of("library")), classifier.subtopics(vector_of("library"))) == ({}, {})
    assert classifier.in_scope(vector_of("library")) is not None


def test_without_general_questions_there_is_no_gate(tmp_path: Path) -> None:
    learn(tmp_path, EXCERPTS, {}, Learning(embed))
    assert SnapshotClassifier(tmp_path, DIMS).in_scope(vector_of("library")) is None


def test_what_any_university_is_asked_is_told_from_general_questions(tmp_path: Path) -> None:
    usual = [UsualQuestion((f"where is north campus, {i}", f"north {i}"), f"asks {i}") for i in range(10)]
    learn(tmp_path, EXCERPTS, {}, replace(LEARNING, usual_questions=tuple(usual)))
    classifier = SnapshotClassifier(tmp_path, DIMS)
    known, other = (classifier.usual(vector_of(one)) for one in ("north", "weather"))
    assert known is not None
    assert other is not None
    assert known > 0.8
    assert other < 0.2
    nearest = classifier.nearest_usual(vector_of("north 3"))
    assert nearest is not None
    assert (nearest.says, nearest.asks) == ("north 3", "asks 3")
    assert nearest.closeness == pytest.approx(1.0, abs=1e-3)


def test_usual_questions_are_found_in_their_language_and_the_gate_learns_the_english_ones(
    tmp_path: Path,
) -> None:
    english = [UsualQuestion((f"where is north campus, {i}", f"north {i}"), f"asks {i}") for i in range(10)]
    spanish = UsualQuestion(("weather 77",), "asks 77", "es")
    learn(tmp_path, EXCERPTS, {}, replace(LEARNING, usual_questions=(*english, spanish)))
    classifier = SnapshotClassifier(tmp_path, DIMS)
    asked = vector_of("weather 77")
    found = {language: classifier.nearest_usual(asked, language) for language in ("en", "es")}
    assert {language: one.asks == "asks 77" for language, one in found.items() if one} == {
        "en": False,
        "es": True,
    }
    assert (classifier.usual(asked) or 0) < 0.2


def test_without_such_questions_none_is_usual(classifier: SnapshotClassifier) -> None:
    assert classifier.usual(vector_of("north")) is None
    assert classifier.nearest_usual(vector_of("north")) is None


def test_a_site_of_one_page_has_a_gate(tmp_path: Path) -> None:
    chunks = [a_chunk("library", 0, ordinal) for ordinal in range(5)]
    learn(tmp_path, excerpts_of(chunks), {}, LEARNING)
    inside = SnapshotClassifier(tmp_path, DIMS).in_scope(vector_of("the library page"))
    assert inside is not None
    assert inside > 0.5


def test_where_headings_are_few_sentences_are_asked_too() -> None:
    asked = ask_pages(EXCERPTS, embed)
    assert any(text.startswith("The library") for text in asked.texts)
    assert asked.vectors.shape == (len(asked.texts), DIMS)
    assert len(set(asked.texts)) == len(asked.texts)
    assert set(asked.pages) <= {e.chunk.url for e in EXCERPTS}


def test_questions_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MOST_QUESTIONS", 40)
    assert len(ask_pages(EXCERPTS, embed).texts) <= 40


def test_the_general_questions_that_ship_are_many_and_different() -> None:
    questions = load_questions(PROJECT / "corpus" / "general_questions.txt")
    assert len({question.casefold() for question in questions}) == len(questions) >= 400
    assert sum("¿" in question for question in questions) >= 15


@pytest.mark.parametrize("content", [None, b"\n \n", b"\xff\xfe"])
def test_general_questions_that_cannot_be_read_are_bad_input(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "questions.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInputError, match="questions"):
        load_questions(path)


def test_vectors_are_those_of_the_embedder() -> None:
    assert np.linalg.norm(ask_pages(EXCERPTS, embed).vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
