from __future__ import annotations

from pathlib import Path

import pytest

from server.ask.triage import CrisisExamples, CrisisSimilarity, detect_crisis, load_examples
from server.errors import BadInputError
from server.inference.encoders import Embedder
from server.ingest.topics.train import load_general_questions
from server.settings import PROJECT

FILE = PROJECT / "corpus/distress_examples.toml"


@pytest.fixture(scope="module")
def likeness(embedder: Embedder) -> CrisisSimilarity:
    general = load_general_questions(PROJECT / "corpus/general_questions.txt")
    return CrisisSimilarity(load_examples(FILE, general), embedder.embed_questions)


@pytest.mark.parametrize(
    ("text", "matter"),
    [
        ("i just feel like giving up on everything, i'm so alone", "self_harm"),
        ("a man would not let me leave and forced me", "assault"),
    ],
)
def test_what_no_list_has_is_heard_by_what_it_is_like(
    text: str, matter: str, likeness: CrisisSimilarity, embedder: Embedder
) -> None:
    assert detect_crisis(text) is None
    found = likeness.detect_crisis(text, embedder.embed_question(text))
    assert found is not None
    assert found.matter == matter


@pytest.mark.parametrize(
    "text",
    [
        "when does add/drop end?",
        "how much is a parking permit",
        "What is the capital of Spain?",
        "library hours",
    ],
)
def test_everyday_questions_are_not(text: str, likeness: CrisisSimilarity, embedder: Embedder) -> None:
    assert likeness.detect_crisis(text, embedder.embed_question(text)) is None


def test_likeness_falls_with_a_harmless_example(embedder: Embedder) -> None:
    examples = CrisisExamples(
        ("i want to die", "i want to end it"), ("self_harm", "self_harm"), ("library hours",)
    )
    near = CrisisExamples(examples.texts, examples.matters, ("i am dying to see the gym",))
    vector = embedder.embed_question("dying to see the new gym")
    assert CrisisSimilarity(near, embedder.embed_questions).of(vector) < CrisisSimilarity(
        examples, embedder.embed_questions
    ).of(vector)


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    path = tmp_path / "examples.toml"
    with pytest.raises(BadInputError, match="cannot be read"):
        load_examples(path)
    path.write_text("self_harm = [", encoding="utf-8")
    with pytest.raises(BadInputError, match="cannot be read"):
        load_examples(path)
    path.write_text('self_harm = ["x"]\nassault = []', encoding="utf-8")
    with pytest.raises(BadInputError, match="lack lists of texts: assault, danger, medical, harmless"):
        load_examples(path)
