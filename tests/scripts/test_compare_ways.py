"""Strategies of several kept runs are set against the plain one, question by question."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from scripts.research.retrieval.compare_ways import JUDGED, METRICS, PLAIN, rows
from server.errors import BadInputError
from server.evaluate.figures import compare
from server.evaluate.runs import Run
from tests.evaluate.kept_runs import QUESTIONS, small_run


def called(run: Run, **names: str) -> Run:
    """The run with its strategies under other names."""
    results = tuple(
        replace(one, strategy=names.get(one.strategy, one.strategy)) for one in run.evaluation.strategies
    )
    return replace(run, evaluation=replace(run.evaluation, strategies=results))


OURS = called(small_run(), best=PLAIN, worst="semantic")
THEIRS = called(small_run("theirs"), best=PLAIN, worst="preset")


def test_a_row_a_strategy_the_plain_one_once_and_without_a_verdict() -> None:
    table = list(rows([OURS, THEIRS]))
    assert [row[0] for row in table] == [PLAIN, "semantic", "preset"]
    assert {len(row) for row in table} == {2 + len(METRICS) + len(JUDGED)}
    assert table[0][-len(JUDGED) :] == ("", "", "")


def test_figures_and_verdicts_are_those_of_the_evaluation() -> None:
    plain, worst = OURS.evaluation.strategies
    [told] = [row for row in rows([OURS, THEIRS]) if row[0] == "preset"]
    recall = worst.metrics["recall@1"]
    shown = f"{recall.value:.3f} [{recall.low:.3f}, {recall.high:.3f}]"
    assert told[2].replace("[.", "[0.").replace(", .", ", 0.") in (shown, shown[1:])
    found = {one.metric: one for one in compare(plain, worst)}["recall@1"]
    assert told[2 + len(METRICS)].startswith(found.verdict)
    assert found.delta.value < 0
    assert "(−" in told[2 + len(METRICS)]


def test_only_shared_questions_count_and_none_shared_is_an_error() -> None:
    few = called(small_run("few", questions=QUESTIONS[:7]), worst="preset")
    [told] = [row for row in rows([OURS, few]) if row[0] == "preset"]
    assert told[1] == "7"
    other = [replace(one, id=f"{one.id}-other") for one in QUESTIONS]
    with pytest.raises(BadInputError, match="no question in common"):
        list(rows([OURS, small_run("other", questions=other)]))
    with pytest.raises(BadInputError, match=re.escape(PLAIN)):
        list(rows([small_run()]))
