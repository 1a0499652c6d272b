"""Judging over the small college, by a scripted server in the judge's place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.errors import BadInputError, LlmUnavailableError
from server.evaluate.questions import read_questions
from server.settings import Settings
from server.wiring.judging import (
    JudgePlan,
    criteria_of,
    golden_lines,
    read_scored,
    run_head_to_head,
    run_judge,
    run_sheet,
    scored_report,
    write_file,
)
from server.wiring.measuring import runs_of
from tests.evaluate.kept_runs import small_run
from tests.llm.scripted import Line, Script, says, serving, status
from tests.wiring.question_files import write_questions


def by_rule(rule: Callable[[str], str]) -> Script:
    """Answers each request by what its user message says."""

    def script(line: Line) -> None:
        says(rule(line.server.chats[-1].body["messages"][-1]["content"]))(line)

    return script


def fair(user: str) -> str:
    """Right is what holds a dollar."""
    return "5" if "$" in user.split("<answer>")[1].split("</answer>", maxsplit=1)[0] else "1"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Twenty answers, every other one right."""
    rows = [
        {
            "id": f"l{i}",
            "question": "How much is it?",
            "answer": "It is $145." if i % 2 else "It is closed.",
            "reference": "$145",
            "labels": {"correctness": 5 if i % 2 else 0},
        }
        for i in range(20)
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def ignore(message: str) -> None:
    """Not what is tested."""


def judged(settings: Settings, questions: Path, plan: JudgePlan) -> dict[str, Any]:
    return run_judge(
        settings,
        questions,
        None,
        plan,
        strategy="keyword",
        warn=ignore,
        note=ignore,
        on_progress=lambda done, total: None,
    )


def test_answers_are_judged_beside_the_audit(small_home: Settings, labels: Path, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl")
    plan = JudgePlan(labels, ("correctness",), repeats=1)
    with serving(by_rule(fair)) as server:
        settings = replace(small_home, judge_url=server.url, judge_model="judge", judge_key="secret-word")
        report = judged(settings, questions, plan)
    assert (report["judge"], report["repeats"]) == ("judge", 1)
    [figure] = report["figures"]
    assert figure["criterion"] == "correctness"
    assert figure["audit"]["kappa"] == 1.0
    assert 0 < figure["n"] <= report["answers"]
    assert all(one.headers["authorization"] == "Bearer secret-word" for one in server.chats)
    assert "secret-word" not in json.dumps(report)


def test_a_source_stands_below_its_page_and_section(
    small_home: Settings, labels: Path, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    rows = [
        row | {"sources": "It is $145.", "labels": {"faithfulness": float("$" in row["answer"])}}
        for row in rows
    ]
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    questions = write_questions(tmp_path / "q.jsonl")
    with serving(by_rule(lambda user: "YES" if fair(user) == "5" else "NO")) as server:
        settings = replace(small_home, judge_url=server.url)
        judged(settings, questions, JudgePlan(labels, ("faithfulness",), repeats=1))
    asked = [one.body["messages"][-1]["content"] for one in server.chats[len(rows) :]]
    assert asked
    assert all(re.search(r"<sources>[^\n]+\n", text) for text in asked)
    assert any("<sources>Tuition and fees" in text for text in asked)


def test_a_judge_that_fails_its_audit_is_asked_nothing_more(
    small_home: Settings, labels: Path, tmp_path: Path
) -> None:
    questions = write_questions(tmp_path / "q.jsonl")
    with serving(says("5")) as server, pytest.raises(BadInputError, match="fails its audit"):
        judged(replace(small_home, llm_url=server.url), questions, JudgePlan(labels, ("correctness",), 1))
    assert len(server.chats) == 20


def test_a_judge_must_be_there(small_home: Settings, labels: Path, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl")
    plan = JudgePlan(labels, ("correctness",), 1)
    with pytest.raises(BadInputError, match="no judge"):
        judged(small_home, questions, plan)
    with serving(status(404)) as server, pytest.raises(LlmUnavailableError):
        judged(replace(small_home, judge_url=server.url), questions, plan)


def test_two_kept_runs_head_to_head(small_home: Settings, labels: Path, tmp_path: Path) -> None:
    def rule(user: str) -> str:
        return fair(user) if "<answer>" in user else "0"

    settings = replace(small_home, home=tmp_path)
    for name, strategy in (("one", "best"), ("two", "best"), ("silent", "worst")):
        runs_of(settings).save(replace(small_run(strategies=[strategy]), name=name))
    with serving(by_rule(rule)) as server:
        report = run_head_to_head(
            replace(settings, judge_url=server.url),
            "one",
            "two",
            JudgePlan(labels, repeats=1),
            on_progress=lambda done, total: None,
        )
    assert (report["a"], report["b"], report["win_rate"]["value"]) == ("one", "two", 0.5)
    assert report["neither"]["value"] == 1
    assert report["audit"][0]["passed"]
    with pytest.raises(BadInputError, match="no pair"):
        run_head_to_head(settings, "one", "silent", JudgePlan(labels), on_progress=lambda done, total: None)


def test_criteria_are_named() -> None:
    assert criteria_of(" relevancy,correctness ") == ("correctness", "relevancy")
    for wrong in ("", "truth", "correctness,truth"):
        with pytest.raises(BadInputError, match="correctness, faithfulness, relevancy"):
            criteria_of(wrong)


def test_a_sheet_goes_out_and_comes_back(small_home: Settings, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl")
    text, count = run_sheet(small_home, questions, None, 3, strategy="keyword", warn=ignore, note=ignore)
    assert count == 3
    sheet = tmp_path / "sheet.csv"
    filled = text.replace(",sentence,,", ",sentence,100,").replace(",citation,,", ",citation,25,")
    sheet.write_text(filled, encoding="utf-8")
    scored = read_scored(sheet)
    [whole] = [row for row in scored_report(scored) if row["topic"] == "all"]
    assert (whole["n"], whole["value"]) == (3, 100.0)
    golden = tmp_path / "golden.jsonl"
    write_file(golden, golden_lines(scored))
    found = read_questions(golden, lambda line, why: None)
    assert [one.id for one in found] == [one.id for one in scored]
    assert all(one.gold_urls and not one.answers for one in found)
    with pytest.raises(BadInputError, match=r"none\.csv"):
        read_scored(tmp_path / "none.csv")
