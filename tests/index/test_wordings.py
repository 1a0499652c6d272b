"""Other wordings of a question, over a college whose pages link to each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.index.build import SnapshotBuilder
from server.index.search import Index
from server.index.text import Synonym
from server.index.wordings import Wordings, as_said
from tests.index.small_index import a_page, manifest, unit_vectors

TEXTS = (
    "Residence halls open on August 20 and have a kitchen.",
    "Permits for cars are sold at the desk; rates are by the year.",
    "The dormitory guide tells of kitchens.",
)
SYNONYMS = (Synonym(("dorm", "residence hall", "dormitory")), Synonym(("zebra", "quagga")))


@pytest.fixture(scope="module")
def wordings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wordings]:
    index = college(tmp_path_factory.mktemp("linked") / "s")
    yield Wordings(index.snapshot, index.text, index.keyword)
    index.close()


def college(folder: Path) -> Index:
    folder.mkdir()
    with SnapshotBuilder(folder, 8, threads=1) as builder:
        builder.add([a_page(i, text) for i, text in enumerate(TEXTS)], unit_vectors(len(TEXTS)))
        builder.set_anchors({"https://example.edu/1": ["Car permits and rates", "News"]})
        pages, chunks = builder.finish()
    (folder / "manifest.json").write_text(json.dumps(manifest(folder, pages=pages, chunks=chunks)))
    return Index(folder, threads=1, synonyms=SYNONYMS)


def test_a_synonym_stands_in_its_words_place(wordings: Wordings) -> None:
    assert wordings.of("When do the dorms open?", 3) == [
        "When do the residence hall open?",
        "When do the dormitory open?",
    ]


def test_a_question_is_put_in_a_texts_own_words(wordings: Wordings) -> None:
    as_in = wordings.as_in("Does my dorm have a kitchen?")
    assert as_in(TEXTS[0]) == "Does my residence hall have a kitchen?"
    assert as_in(TEXTS[2]) == "Does my dormitory have a kitchen?"
    assert as_in("No dorm is open, nor any residence hall.") == "Does my dorm have a kitchen?"
    assert as_in("Nothing of that.") == "Does my dorm have a kitchen?"
    assert wordings.as_in("kitchen?")(TEXTS[0]) == "kitchen?"


def test_no_more_than_asked_for(wordings: Wordings) -> None:
    assert wordings.of("When do the dorms open?", 1) == ["When do the residence hall open?"]


def test_a_synonym_that_the_pages_do_not_have_is_none(wordings: Wordings) -> None:
    assert wordings.of("may I bring a zebra", 3) == []


def test_the_link_that_shares_most_stands_beside_the_question(wordings: Wordings) -> None:
    assert wordings.of("how do I get car permits", 3) == ["how do I get car permits Car permits and rates"]


def test_a_link_that_says_nothing_more_is_no_wording(wordings: Wordings) -> None:
    assert wordings.of("news", 3) == []
    assert wordings.of("kitchen", 3) == []


def test_the_visitors_own_words_come_first(wordings: Wordings) -> None:
    said = {"bunk": "residence hall"}
    assert wordings.of("is the residence hall open", 2, said)[0] == "is the bunk open"
    assert as_said("is the desk open", said) == "is the desk open"


def test_a_question_of_stop_words_has_none(wordings: Wordings) -> None:
    assert wordings.of("what is it", 3) == []
