from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError, LlmUnavailableError
from server.evaluate.questions import read_questions
from server.training.asking import PageChunks
from server.training.questions import QuestionReport, WritingOptions, read_journal, write_questions
from tests.training.pages import CARDS, HOURS, PAGE, URL, Scripted, finds, words

REPLY = json.dumps(
    [
        {"question": "When does the library open?", "answer": "nine on weekdays", "chunk": "A"},
        {"question": "What does a card cost others?", "answer": "$20 a year", "chunk": "B"},
        {"question": "What is on this page?", "answer": "nine", "chunk": "A"},
        {"question": "How many books are there?", "answer": "two million", "chunk": "A"},
    ]
)
OTHER = PageChunks(URL + "/other", "Other", (replace(HOURS, url=URL + "/other"),))


def run(file: Path, model: Scripted, pages: list[PageChunks], options: WritingOptions) -> QuestionReport:
    found = finds(HOURS, CARDS, *OTHER.chunks)
    return write_questions(pages, file, options, model, words, found)


def test_the_file_has_the_contracts_format(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    report = run(file, Scripted(REPLY), [PAGE], WritingOptions())
    broken: list[int] = []
    questions = read_questions(file, lambda line, _: broken.append(line))
    assert not broken
    first = questions[0]
    assert (first.question, first.answers, first.gold_urls, first.answerable) == (
        "When does the library open?",
        ("nine on weekdays",),
        (URL,),
        True,
    )
    assert report.questions == 2
    assert report.rephrased == len(questions) - 2 > 0
    assert report.dropped == {"about_the_page": 1, "answer_not_on_page": 1}
    assert len({one.id for one in questions}) == len(questions)


def test_a_run_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"

    class Dies(Scripted):
        def __call__(self, *args: object) -> str:
            if self.asked:
                raise LlmUnavailableError("Down.", "down")
            return super().__call__(*args)  # type: ignore[arg-type]  # (handed on as they are)

    with pytest.raises(LlmUnavailableError):
        run(file, Dies(REPLY), [PAGE, OTHER], WritingOptions())
    assert not file.exists()
    again = Scripted(REPLY)
    report = run(file, again, [PAGE, OTHER], WritingOptions())
    assert len(again.asked) == 1
    assert "Other" in again.asked[0][1].content
    assert report.pages == 2


def test_a_torn_line_of_the_journal_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    run(file, Scripted(REPLY), [PAGE], WritingOptions())
    journal = tmp_path / "q.jsonl.journal"
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole[: len(whole) // 2])
    again = Scripted(REPLY)
    run(file, again, [PAGE], WritingOptions())
    assert not again.asked
    assert journal.read_bytes() == whole


def test_a_changed_page_is_asked_about_anew(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    run(file, Scripted(REPLY), [PAGE], WritingOptions())
    again = Scripted(REPLY)
    run(file, again, [replace(PAGE, chunks=(HOURS,))], WritingOptions())
    assert len(again.asked) == 1


def test_the_budget_ends_it(tmp_path: Path) -> None:
    model = Scripted(REPLY)
    report = run(tmp_path / "q.jsonl", model, [PAGE, OTHER], WritingOptions(budget=1))
    assert (report.pages, report.left, len(model.asked)) == (1, 1, 1)


def test_a_page_without_json_is_said(tmp_path: Path) -> None:
    report = run(tmp_path / "q.jsonl", Scripted("no"), [PAGE], WritingOptions())
    assert report.dropped == {"no_json": 1}
    assert (tmp_path / "q.jsonl").read_text(encoding="utf-8") == ""


def test_a_broken_journal_names_its_line(tmp_path: Path) -> None:
    journal = tmp_path / "q.jsonl.journal"
    journal.write_text('{"url": 1}\n', encoding="utf-8")
    with pytest.raises(BadInputError, match="line 1"):
        list(read_journal(journal))
