from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.llm.prompts import COMPACT, FULL, Scene, answer_prompt, best_at_the_ends, pack, passage_text
from server.models import Passage
from server.sentences import sentences

SCENE = Scene("Larkmoor University", date(2025, 3, 3))
QUESTION = "When is the library open?"


def passage(n: int, words: int = 40) -> Passage:
    text = " ".join(f"Sentence {i} of passage {n} has words." for i in range(max(1, words // 7)))
    return Passage(n, f"https://www.larkmoor.example/{n}", f"Page {n}", "", text)


def words_in(text: str) -> int:
    return len(text.split())


SHELL = sum(words_in(message.content) for message in answer_prompt(QUESTION, (), SCENE))


def cost(one: Passage) -> int:
    return words_in(passage_text(10, one))


def ids(passages: tuple[Passage, ...]) -> list[int]:
    return [one.chunk_id for one in passages]


@pytest.mark.parametrize(
    ("best_first", "shown"),
    [([], []), ([1], [1]), ([1, 2], [1, 2]), ([1, 2, 3], [1, 3, 2]), ([1, 2, 3, 4, 5], [1, 3, 5, 4, 2])],
)
def test_the_best_stand_at_the_ends(best_first: list[int], shown: list[int]) -> None:
    assert ids(best_at_the_ends([passage(n) for n in best_first])) == shown


def test_all_are_taken_where_there_is_room_and_numbered_as_they_stand() -> None:
    packed = pack(QUESTION, [passage(n) for n in range(1, 6)], SCENE, 10_000, words_in)
    assert ids(packed.passages) == [1, 3, 5, 4, 2]
    assert packed.dropped == 0
    user = packed.messages[1].content
    assert all(passage_text(n, one) in user for n, one in enumerate(packed.passages, start=1))


def test_the_worst_are_left_out_first() -> None:
    given = [passage(n) for n in range(1, 6)]
    room = SHELL + sum(cost(one) for one in given[:3])
    packed = pack(QUESTION, given, SCENE, room, words_in)
    assert (ids(packed.passages), packed.dropped, packed.tokens) == ([1, 3, 2], 2, room)


def test_one_that_is_too_long_leaves_its_room_to_worse_ones() -> None:
    given = [passage(1), passage(2, words=900), passage(3)]
    packed = pack(QUESTION, given, SCENE, SHELL + 2 * cost(given[0]), words_in)
    assert ids(packed.passages) == [1, 3]


def test_the_best_alone_is_cut_at_a_sentence_when_it_is_too_long() -> None:
    long = passage(1, words=900)
    packed = pack(QUESTION, [long, passage(2)], SCENE, SHELL + 60, words_in)
    [kept] = packed.passages
    ends = [end for _, end in sentences(long.text)]
    assert kept.text == long.text[: len(kept.text)]
    assert len(kept.text) in ends
    one_more = ends[ends.index(len(kept.text)) + 1]
    assert words_in(long.text[:one_more]) - words_in(kept.text) > SHELL + 60 - packed.tokens >= 0


def test_where_not_even_a_sentence_fits_the_next_one_is_tried() -> None:
    endless = Passage(1, "https://www.larkmoor.example/1", "", "", "word " * 900)
    packed = pack(QUESTION, [endless, passage(2)], SCENE, SHELL + cost(passage(2)), words_in)
    assert ids(packed.passages) == [2]


@pytest.mark.parametrize("room", [-5, 0, SHELL, SHELL + 3])
def test_without_room_there_are_no_passages(room: int) -> None:
    packed = pack(QUESTION, [passage(1)], SCENE, room, words_in)
    assert (packed.passages, packed.dropped) == ((), 1)


@given(st.lists(st.integers(7, 200), max_size=8), st.integers(0, 1500))
def test_what_is_packed_fits_and_is_as_long_as_is_said(lengths: list[int], room: int) -> None:
    given = [passage(n, words) for n, words in enumerate(lengths)]
    packed = pack(QUESTION, given, SCENE, SHELL + room, words_in)
    assert packed.tokens <= SHELL + room
    assert sum(words_in(message.content) for message in packed.messages) == packed.tokens
    assert len(packed.passages) + packed.dropped == len(given)


def test_a_compact_prompt_has_less_than_half_of_the_words_around_its_passages() -> None:
    full, compact = (pack(QUESTION, (), SCENE, 0, words_in, style=style).tokens for style in (FULL, COMPACT))
    assert compact < full / 2


def test_a_compact_passage_has_title_and_heading_in_one_line() -> None:
    hours = Passage(
        1, "https://a.example/x", "Library", "Hours", "It opens at nine.", last_modified="2025-01"
    )
    assert passage_text(2, hours, COMPACT) == (
        '<passage n="2">\nLibrary – Hours\nIt opens at nine.\n</passage>'
    )
