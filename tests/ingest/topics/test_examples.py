from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from server.ingest.topics.examples import ChunkSample, a_sentence, draw, evenly, made_questions
from server.models import Chunk
from tests.ingest.topics.learning import DIMS, a_chunk


def chunk_of(title: str, *headings: str, text: str = "Some words.") -> Chunk:
    return Chunk("https://example.edu/a", 0, title, (title, *headings), text)


def test_a_heading_that_is_a_question_is_taken_as_it_is() -> None:
    assert made_questions(chunk_of("Visas", "Do I need one?"))[1:] == ["Do I need one?"]


def test_questions_name_the_title_and_the_heading() -> None:
    asked = made_questions(chunk_of("Student Visas | Larkmoor University", "Processing times"))
    assert len(asked) == 2
    assert "Student Visas" in asked[0]
    assert "Larkmoor" not in asked[0]
    assert "Processing times" in asked[1]


def test_a_heading_that_repeats_the_title_or_is_a_paragraph_makes_no_question() -> None:
    assert len(made_questions(chunk_of("Visas"))) == 1
    assert len(made_questions(chunk_of("Visas", "word " * 20))) == 1
    assert made_questions(Chunk("https://example.edu/a", 0, "", (), "Some words.")) == []


def test_many_titles_are_asked_for_in_many_ways_and_always_in_the_same() -> None:
    asked = [made_questions(chunk_of(f"Topic {i}"))[0] for i in range(60)]
    assert asked == [made_questions(chunk_of(f"Topic {i}"))[0] for i in range(60)]
    assert len({text.replace(f"Topic {i}", "…") for i, text in enumerate(asked)}) == 6


def test_a_sentence_is_one_of_usual_length() -> None:
    text = "Short. The library of the college opens at eight in the morning. " + "Word " * 60 + "."
    assert a_sentence(chunk_of("T", text=text)) == [
        "The library of the college opens at eight in the morning."
    ]
    assert a_sentence(chunk_of("T", text="Too short.")) == []


def sample_of(chunks: list[Chunk], most: int, batch: int) -> list[Chunk]:
    sample = ChunkSample(most)
    for start in range(0, len(chunks), batch):
        part = chunks[start : start + batch]
        sample.add(part, np.ones((len(part), DIMS), dtype=np.float32))
    return [excerpt.chunk for excerpt in sample.excerpts()]


CHUNKS = [a_chunk("large", i) for i in range(900)] + [a_chunk("small", i) for i in range(8)]


def test_a_sample_is_bounded_and_keeps_small_parts_whole() -> None:
    found = Counter(chunk.url.split("/")[3] for chunk in sample_of(CHUNKS, 100, 50))
    assert found["small"] == 8
    assert 80 <= found["large"] <= 92


def test_a_sample_does_not_depend_on_the_order_of_the_pages() -> None:
    assert sample_of(CHUNKS, 100, 50) == sample_of(CHUNKS[::-1], 100, 37)


def test_a_small_site_is_taken_whole() -> None:
    assert set(sample_of(CHUNKS, 5000, 100)) == set(CHUNKS)


@pytest.mark.parametrize(("most", "sizes"), [(100, (5, 3)), (6, (3, 3)), (1, (1, 1))])
def test_evenly_takes_as_many_of_each_as_fit(most: int, sizes: tuple[int, int]) -> None:
    groups = {"a": [5, 4, 3, 2, 1], "b": [1, 2, 3]}
    found = evenly(groups, most, lambda n: n)
    assert (len(found["a"]), len(found["b"])) == sizes
    if most == 6:
        assert found["a"] == [1, 2, 3]


def test_evenly_of_nothing_is_nothing() -> None:
    assert evenly({}, 5, draw) == {}
