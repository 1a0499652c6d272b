from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

from server.evaluate.questions import EvalQuestion
from server.llm.prompts import COMPACT, NO_ANSWER, Scene
from server.training.examples import WriterExample
from server.training.writer_data import examples_of, is_aside, write_chats
from tests.training.pages import CARDS, ELSEWHERE, HOURS, URL, finds, words

SCENE = Scene("Brackwater College", date(2026, 11, 23))
PAID = EvalQuestion(
    "q-1", "What do others pay for a card?", ("$20 a year",), (URL + "#cards",), answerable=True
)


def test_the_sentence_with_the_answer_is_learnt_and_its_page_has_no_rival() -> None:
    [example] = examples_of([PAID], "site", finds(HOURS, ELSEWHERE, CARDS))
    assert example.answer == "Others pay $20 a year."
    assert example.passages == (ELSEWHERE, CARDS)
    assert example.gold == 1


def test_a_question_whose_answer_the_search_does_not_bring_is_left_out() -> None:
    assert list(examples_of([PAID], "site", finds(HOURS, ELSEWHERE))) == []


def test_an_unanswerable_one_has_what_looks_like_it() -> None:
    asked = EvalQuestion("q-2", "What does a locker cost?", answerable=False)
    [example] = examples_of([asked], "site", finds(CARDS, HOURS))
    assert (example.gold, example.answer, example.passages) == (None, "", (CARDS, HOURS))


def test_no_page_is_both_learnt_from_and_kept_aside(tmp_path: Path) -> None:
    pages = [replace(CARDS, url=f"{URL}/{n}") for n in range(60)]
    examples = [
        WriterExample(f"{n}-{k}", "site", f"Question {k}?", (page,), 0, "Others pay $20 a year.")
        for n, page in enumerate(pages)
        for k in range(2)
    ]
    files = write_chats(examples, tmp_path, SCENE, 1000, words, COMPACT, seed=1)
    assert files.learnt + files.aside == len(examples)
    assert files.aside == sum(map(is_aside, examples)) > 0
    read = {part: rows(tmp_path / f"{part}.jsonl") for part in ("train", "aside")}
    of_page = {part: {row["id"].split("-")[0] for row in lines} for part, lines in read.items()}
    assert not of_page["train"] & of_page["aside"]
    assert read["train"][0]["target"] == "Others pay $20 a year. [1]"


def test_the_order_is_the_seeds(tmp_path: Path) -> None:
    examples = [WriterExample(str(n), "site", f"Q{n}?", (HOURS,), None, "") for n in range(40)]
    for folder in ("a", "b"):
        write_chats(examples, tmp_path / folder, SCENE, 1000, words, COMPACT, seed=1)
    first, second = ((tmp_path / folder / "train.jsonl").read_text() for folder in ("a", "b"))
    assert first == second
    ids = [row["id"] for row in rows(tmp_path / "a" / "train.jsonl")]
    assert ids != sorted(ids, key=int)
    assert {row["target"] for row in rows(tmp_path / "a" / "train.jsonl")} == {NO_ANSWER}


def test_what_has_no_room_is_counted(tmp_path: Path) -> None:
    example = WriterExample("e", "site", "Q?", (HOURS,), 0, "At nine on weekdays.")
    assert write_chats([example], tmp_path, SCENE, 1, words, COMPACT, seed=1).left_out == 1


def rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
