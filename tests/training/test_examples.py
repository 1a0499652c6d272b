from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.llm.prompts import COMPACT, NO_ANSWER, Scene, pack
from server.training.examples import WriterExample, as_chat, read_examples, write_examples
from tests.training.pages import CARDS, ELSEWHERE, HOURS, words

SCENE = Scene("Brackwater College", date(2026, 11, 23))
EXAMPLE = WriterExample("e-1", "test", "When?", (HOURS, CARDS, ELSEWHERE), 1, "A card is free.")


def test_the_target_cites_the_number_its_passage_has_in_the_prompt() -> None:
    chat = as_chat(EXAMPLE, SCENE, 1000, words)
    assert chat is not None
    assert chat.target == "A card is free. [3]"  # second best last
    place = chat.messages[1].content.index('<passage n="3">')
    assert "Cards" in chat.messages[1].content[place:]


def test_the_prompt_is_the_one_that_is_sent() -> None:
    chat = as_chat(EXAMPLE, SCENE, 1000, words)
    packed = pack("When?", EXAMPLE.passages, SCENE, 1000, words, style=COMPACT)
    assert chat is not None
    assert chat.messages == packed.messages


def test_an_example_whose_gold_has_no_room_is_none() -> None:
    assert as_chat(EXAMPLE, SCENE, words_of_the_frame() + 20, words) is None


def words_of_the_frame() -> int:
    return pack("When?", (), SCENE, 0, words, style=COMPACT).tokens


def test_what_the_passages_do_not_say_is_the_prompts_own_words() -> None:
    chat = as_chat(WriterExample("e", "test", "Who?", (HOURS,), None, ""), SCENE, 1000, words)
    assert chat is not None
    assert chat.target == NO_ANSWER


def test_written_and_read_again(tmp_path: Path) -> None:
    assert write_examples([EXAMPLE], tmp_path / "e.jsonl") == 1
    [read] = read_examples(tmp_path / "e.jsonl")
    assert (read.question, read.gold, read.answer) == ("When?", 1, "A card is free.")
    assert [one.text for one in read.passages] == [one.text for one in EXAMPLE.passages]


def test_a_gold_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_examples([WriterExample("e", "test", "When?", (HOURS,), 4, "At nine.")], tmp_path / "e.jsonl")
    with pytest.raises(BadInputError, match="line 1"):
        list(read_examples(tmp_path / "e.jsonl"))
