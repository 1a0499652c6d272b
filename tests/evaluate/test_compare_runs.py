from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from server.errors import BadInputError
from server.evaluate.compare_runs import PassageMove, QuestionChange, compare_runs
from server.evaluate.questions import EvalQuestion
from server.evaluate.runs import Run
from tests.evaluate.kept_runs import PAGES, PLACES, QUESTIONS, small_run
from tests.evaluate.small_asker import SmallAsker


@dataclass
class Renamed(SmallAsker):
    """The small asker under another snapshot's name, its chunks numbered backwards."""

    snapshot: str = "small-2"

    def __post_init__(self) -> None:
        self.pages = dict(reversed([*self.pages.items()]))


def renamed(run: Run, strategy: str) -> Run:
    """The run as if its first strategy had this name."""
    first, *rest = run.evaluation.strategies
    strategies = (replace(first, strategy=strategy), *rest)
    return replace(run, evaluation=replace(run.evaluation, strategies=strategies))


def change_of(run_a: Run, run_b: Run, id_: str) -> QuestionChange:
    [change] = [change for change in compare_runs(run_a, run_b).changes if change.id == id_]
    return change


BEST = small_run("a", ["best"])
WORST = renamed(small_run("b", ["worst"], lodge="0.2.0", settings={"fusion_alpha": 0.5}), "best")


def test_the_same_run_twice_has_no_change_and_cannot_be_told_apart() -> None:
    same = compare_runs(BEST, replace(BEST, name="b"))
    assert (same.shared, same.only_a, same.only_b, same.changes) == (10, 0, 0, ())
    assert same.differences == {}
    assert {one.verdict for one in same.comparisons["best"]} == {"cannot tell"}


def test_the_runs_are_compared_by_paired_bootstrap_and_named_in_it() -> None:
    [mrr] = [one for one in compare_runs(BEST, WORST).comparisons["best"] if one.metric == "mrr"]
    assert (mrr.a, mrr.b, mrr.verdict) == ("a", "b", "worse")
    assert mrr.delta.value == pytest.approx(sum(1 / rank - 1 for rank in (8,) * 8) / 8)


def test_a_changed_question_shows_both_answers_and_every_passages_move() -> None:
    change = change_of(BEST, WORST, "library")
    assert change.direction == "worse"
    assert (change.a.verdict, change.b.verdict) == ("right", "wrongly_refused")
    assert (change.a.gold_rank, change.b.gold_rank) == (1, 8)
    assert change.a.answer == "library opens at 1"
    assert {(move.rank_a, move.rank_b) for move in change.passages} >= {(1, 8)}
    gold = [move for move in change.passages if move.gold]
    assert gold == [PassageMove("https://u.example/library", "https://u.example/library",
                                "library opens at 1", True, 1, 8)]  # fmt: skip


def test_what_became_worse_comes_first_then_what_became_better() -> None:
    directions = [change.direction for change in compare_runs(BEST, WORST).changes]
    assert directions == ["worse"] * 8 + ["better"]
    assert change_of(BEST, WORST, "pool-party").direction == "better"
    assert change_of(WORST, BEST, "library").direction == "better"


def test_passages_of_two_snapshots_are_known_by_their_page_and_text_not_their_number() -> None:
    other = small_run("b", ["best"], asker=Renamed(PAGES))
    comparison = compare_runs(BEST, other)
    assert comparison.differences["snapshot"] == ("small-1", "small-2")
    moved = small_run("b", ["worst"], asker=Renamed(PAGES))
    change = change_of(BEST, renamed(moved, "best"), "gym")
    assert len(change.passages) == len(PLACES)
    assert all(move.rank_a and move.rank_b for move in change.passages)


def test_a_passage_that_one_run_did_not_keep_has_no_rank_there() -> None:
    fewer = {url: text for url, text in PAGES.items() if "gym" not in url}
    change = change_of(BEST, small_run("b", ["best"], asker=SmallAsker(fewer)), "gym")
    [gone] = [move for move in change.passages if move.url.endswith("gym")]
    assert (gone.rank_a, gone.rank_b) == (1, None)


def test_what_the_runs_were_made_with_is_told_where_it_differs() -> None:
    assert compare_runs(BEST, WORST).differences == {
        "lodge": ("0.1.0", "0.2.0"),
        "setting fusion_alpha": (0.3, 0.5),
    }
    assert "setting new" in compare_runs(BEST, small_run("b", ["best"], settings={"new": 1})).differences


def test_only_shared_questions_are_compared_and_an_edited_gold_is_another_question() -> None:
    edited = replace(QUESTIONS[0], answers=("one",))
    new = EvalQuestion("new", "when does gym start", ("3",), ("https://u.example/gym",), answerable=True)
    other = small_run("b", ["best"], questions=(edited, *QUESTIONS[1:], new))
    comparison = compare_runs(BEST, other)
    assert (comparison.shared, comparison.only_a, comparison.only_b) == (9, 1, 2)
    assert comparison.changes == ()


def test_runs_without_a_common_question_or_strategy_are_bad_input() -> None:
    strangers = [EvalQuestion("x", "museum?", answerable=True)]
    with pytest.raises(BadInputError, match="no question in common"):
        compare_runs(BEST, small_run("b", ["best"], questions=strangers))
    with pytest.raises(BadInputError, match="no strategy in common: a has best, and b has worst"):
        compare_runs(BEST, small_run("b", ["worst"]))


def test_the_json_has_everything_and_no_tuple_of_nameless_things() -> None:
    document = json.loads(json.dumps(compare_runs(BEST, WORST).as_json(), allow_nan=False))
    assert document.keys() == {
        "a", "b", "questions", "differences", "metrics", "comparisons", "changes",
    }  # fmt: skip
    assert document["metrics"]["best"]["a"]["mrr"]["value"] == 1.0
    assert document["questions"] == {"shared": 10, "only_a": 0, "only_b": 0}
    assert document["differences"]["lodge"] == {"a": "0.1.0", "b": "0.2.0"}
    assert document["comparisons"]["best"][0].keys() == {
        "a", "b", "metric", "delta", "low", "high", "verdict",
    }  # fmt: skip
    assert document["changes"][0].keys() >= {"strategy", "id", "question", "direction", "a", "b", "passages"}
