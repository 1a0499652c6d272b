"""The page that sets runs side by side."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from admin.evaluations import metrics
from admin.evaluations.question_sets import partner
from server.evaluate.runs import RunStore
from tests.admin.conftest import Office
from tests.admin.golden.test_golden_pages import TRANSFER, note, page
from tests.admin.test_console import console, links, press
from tests.evaluate.kept_runs import run_of_two_voices, small_run


def keep_two_runs(home: Path) -> None:
    """In the second the strategy `best` is what was the worst."""
    shelf = RunStore(home / "eval" / "runs")
    one = small_run("monday", ["best", "worst"])
    worse = replace(one.evaluation.strategies[1], strategy="best")
    shelf.save(one)
    shelf.save(replace(one, name="tuesday", evaluation=replace(one.evaluation, strategies=(worse,))))
    os.utime(shelf.folder / "monday", (1, 1))


def test_without_any_run_it_says_how_to_make_one(office: Office) -> None:
    app = console("evaluation")
    assert not app.exception
    assert "have not been asked yet" in page(app)
    app = console("evaluation", of="sets")
    assert "lodge golden export" in page(app)


def test_runs_of_golden_questions_stand_side_by_side(office: Office) -> None:
    office.store.golden.put(TRANSFER)
    note(office, ("transfer", None), ("gone", None))
    note(office, ("transfer", "It is not answered."), ("gone", "It is not answered."))
    app = console("evaluation")
    assert not app.exception
    [table] = app.dataframe
    assert list(table.value["Run"]) == [2, 1]
    assert list(table.value["✕ wrong"]) == [2, 0]
    assert "2 broke, 0 were mended, 0 came out the same." in page(app)
    assert ("**When do \\*transfers\\* apply\\?**", "id=transfer") in links(app)
    assert "gone (removed since)" in page(app)
    [chart] = app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")
    assert "2 right and 0 wrong in run 1; 0 right and 2 wrong in run 2." in str(chart.proto)


def test_question_sets_are_compared_as_the_bench_does(office: Office, tmp_path: Path) -> None:
    keep_two_runs(tmp_path)
    app = console("evaluation", of="sets")
    assert not app.exception
    rows = app.dataframe[0].value
    assert list(rows["Run"]) == ["tuesday", "monday", "monday"]
    press(app, "Compare")
    assert app.query_params["before"] == "monday"
    assert "10 questions in both" in page(app)
    figures = app.dataframe[1].value.set_index("Figure")
    mrr = figures.loc["How high the first right page stands (mrr)"]
    assert (mrr["Before"], mrr["Before, interval"]) == ("1.000", "1.000 to 1.000")
    assert (mrr["Difference"][0], mrr["Verdict"]) == ("-", "✕ worse")
    flipped = app.dataframe[2].value
    assert list(flipped["Flipped"]) == ["✕ broke"] * 8 + ["✓ mended"]
    assert flipped.iloc[0]["Right page at"] == "1 → 8"


def test_a_run_that_is_gone_is_not_compared(office: Office, tmp_path: Path) -> None:
    keep_two_runs(tmp_path)
    app = console("evaluation", of="sets", before="sunday", after="monday")
    assert not app.exception
    assert len(app.dataframe) == 1


def progress(app: AppTest) -> str:
    [bar] = app.get("progress")
    return str(bar.proto.text)


def test_two_answers_are_judged_without_knowing_whose_they_are(office: Office, tmp_path: Path) -> None:
    RunStore(tmp_path / "eval" / "runs").save(run_of_two_voices())
    app = console("blind", one="monday · best", other="monday · worst")
    assert not app.exception
    assert progress(app) == "0 of 8 judged (1 refused by either, 1 the same in both)"
    judged = app.header[0].value
    press(app, "The first is better")
    assert not app.exception
    assert progress(app).startswith("1 of 8 judged")
    assert app.header[0].value != judged
    press(app, "Back to the one before")
    assert app.header[0].value == judged
    assert "You found before: the first." in page(app)
    press(app, "Neither is")
    assert progress(app).startswith("1 of 8 judged")
    [table] = app.dataframe
    assert table.value.iloc[2]["Share"].startswith("100%")


def test_one_strategy_alone_is_nothing_to_compare(office: Office, tmp_path: Path) -> None:
    RunStore(tmp_path / "eval" / "runs").save(small_run("monday", ["best"]))
    app = console("blind")
    assert "takes two strategies" in page(app)


def test_a_run_is_best_compared_with_one_of_the_same_questions() -> None:
    runs = [{"questions_file": name} for name in ("a", "b", "a", "a")]
    assert (partner(runs), partner(runs[:2])) == (2, 1)


def test_every_figure_has_words_and_the_unknown_ones_their_own_name() -> None:
    assert metrics.word("mrr") == "How high the first right page stands (mrr)"
    assert metrics.word("recall@3") == "Right pages found in the top 3 (recall@3)"
    assert metrics.word("wisdom@3") == "wisdom@3"
