"""The question sets that scorecards are made of: what can be judged keeps its answer, the rest has none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus.visitors import page_texts
from corpus.visitors.sets import is_kept_aside, read_page_questions
from scripts import scored_sets
from scripts.scored_sets import judgeable, own_questions, visitors_questions
from server.evaluate.questions import EvalQuestion, contains_any, read_questions
from server.ingest.pages_file import read_pages_file

FEES, HOURS = "https://u.example/fees", "https://u.example/hours"
TEXTS = {FEES: "The health fee is $145. Yes, it is due on August 1.", HOURS: "Open 8 a.m. to 5 p.m."}


def kept(*answers: str, gold: list[str] | None = None) -> list[str]:
    """Which of these answers a question keeps."""
    [row] = judgeable([{"id": "1", "answers": list(answers), "gold_urls": gold}], TEXTS)
    return list(row["answers"])


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        (("$145", "145 dollars"), ["$145"]),
        (("august  1",), ["august  1"]),
        (("No; it is $145",), []),
        (("14",), []),
        (("Yes", "yes.", "The"), []),
    ],
)
def test_an_answer_that_the_page_does_not_say_word_for_word_cannot_be_asked_for(
    answers: tuple[str, ...], left: list[str]
) -> None:
    assert kept(*answers, gold=[FEES]) == left


def test_where_no_page_is_named_any_may_say_it() -> None:
    assert kept("8 a.m.", gold=[FEES]) == []
    assert kept("8 a.m.", gold=[FEES, HOURS]) == kept("8 a.m.") == ["8 a.m."]


def test_our_own_are_on_pages_that_nothing_was_learnt_from_and_judged_where_one_says_the_answer() -> None:
    rows, texts = list(own_questions("quennell")), page_texts.own_site("quennell")
    wanted = {one.id: one for one in read_page_questions("quennell") if is_kept_aside(one.url)}
    assert {row["id"] for row in rows} == set(wanted)
    judged = [row for row in rows if row["answers"]]
    assert 100 < len(judged) < sum(row["answerable"] for row in rows) < len(rows)
    for row in judged:
        assert row["answerable"]
        assert any(contains_any(texts[url], row["answers"]) for url in row["gold_urls"] if url in texts)


def test_nothing_is_known_of_a_right_answer_where_the_page_is_not_ours_to_copy() -> None:
    rows = list(visitors_questions("uci"))
    assert {row["answerable"] for row in rows} == {True, False}
    assert not any(row["answers"] for row in rows)


def test_a_site_without_its_data_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_DATA", str(tmp_path / "nowhere"))
    assert scored_sets.main(["cmu-sai", str(tmp_path / "out")]) == 1
    assert scored_sets.main(["elsewhere", str(tmp_path)]) == 2


@pytest.mark.parametrize("name", scored_sets.NAMES)
def test_what_is_written_can_be_scored(name: str, tmp_path: Path) -> None:
    data = Path(os.environ.get("LODGE_DATA", scored_sets.DATA))
    if name not in scored_sets.OWN and not (data / name).is_dir():
        pytest.skip(f"{data / name} is not there")
    scored_sets.write_set(name, data, tmp_path)
    urls = {one.url for one in read_pages_file(tmp_path / scored_sets.PAGES, fail)}
    asked = list[EvalQuestion]()
    for file in scored_sets.question_files(name):
        asked += read_questions(tmp_path / file, fail)
    assert len({one.id for one in asked}) == len(asked) > 100
    assert {url for one in asked for url in one.gold_urls[:1]} <= urls
    assert {path.name for path in tmp_path.iterdir()} == {
        *(scored_sets.PAGES, *scored_sets.question_files(name))
    }


def fail(line: int, why: str) -> None:
    pytest.fail(f"line {line}: {why}")
