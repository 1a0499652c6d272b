from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from lxml import etree

from server.evaluate.figures import Latency, StrategyResult, result_of
from server.evaluate.outcomes import Judgement
from server.evaluate.page.page import Plot, by_depth, calibration, latency, plots_of, risk
from server.evaluate.questions import EvalQuestion
from server.evaluate.significance import Interval
from tests.evaluate.kept_runs import QUESTIONS, small_run
from tests.evaluate.test_risk_coverage import outcome

NAMESPACE = {"svg": "http://www.w3.org/2000/svg"}
BEST, WORST = small_run().evaluation.strategies


def result(*pairs: tuple[Judgement, float | None], strategy: str = "best") -> StrategyResult:
    return result_of(strategy, [outcome(verdict, evidence) for verdict, evidence in pairs])


def cell(plot: Plot, row: str) -> str:
    """The first figure of a row."""
    [figure] = [figures[1] for figures in plot.table.rows if figures[0] == row]
    return figure


def test_a_run_with_gold_and_evidence_has_every_plot() -> None:
    titles = [plot.title for plot in plots_of([BEST, WORST])]
    assert titles == ["Recall by k", "Latency by step", "Risk by coverage", "Calibration of evidence"]


def test_every_plot_has_its_numbers_and_names_every_strategy_that_is_in_it() -> None:
    for plot in plots_of([BEST, WORST]):
        assert plot.table.rows
        assert all(len(row) == len(plot.table.headers) for row in plot.table.rows)
        assert plot.summary.endswith(".")
        assert ">best<" in plot.svg


def test_recall_by_k_with_its_intervals() -> None:
    plot = by_depth([BEST, WORST])
    assert plot is not None
    assert plot.table.headers == ("metric", "best", "worst")
    assert plot.table.rows[0] == ("recall@1", "1.000 (1.000–1.000)", "0.000 (0.000–0.000)")
    assert "best begins highest, at 1.000." in plot.summary


def test_without_gold_pages_the_answers_string_takes_their_place() -> None:
    questions = [replace(question, gold_urls=()) for question in QUESTIONS]
    [best] = small_run(strategies=["best"], questions=questions).evaluation.strategies
    plot = by_depth([best])
    assert plot is not None
    assert [row[0] for row in plot.table.rows] == ["answer@1", "answer@3", "answer@5", "answer@10"]


def test_latency_of_steps_that_not_every_strategy_has() -> None:
    a = StrategyResult("a", {}, {"retrieve": Latency(5, 9), "total": Latency(6, 12)}, ())
    b = StrategyResult(
        "b", {}, {"retrieve": Latency(0, 0), "rerank": Latency(30, 70), "total": Latency(40, 80)}, ()
    )
    plot = latency([a, b])
    assert plot is not None
    assert plot.table.rows == (
        ("retrieve", "5.0 / 9.0", "0.0 / 0.0"),
        ("rerank", "–", "30.0 / 70.0"),
        ("total", "6.0 / 12.0", "40.0 / 80.0"),
    )
    assert ">0.1<" in plot.svg
    assert plot.summary.endswith("b takes longest.")


def test_risk_by_coverage_is_told_as_far_as_it_was_reached() -> None:
    plot = risk([result(("right", 0.9), ("wrong", 0.6), ("wrongly_refused", 0.1), ("rightly_refused", 0.2))])
    assert plot is not None
    assert plot.table.headers == ("coverage", "best")
    assert cell(plot, "20%") == "0.000"
    assert cell(plot, "50%") == "0.500"
    assert cell(plot, "60%") == "–"
    assert "best 0.500 at 50%." in plot.summary


def test_calibration_tells_the_expected_error() -> None:
    plot = calibration([result(("right", 0.8), ("wrong", 0.8)), result(("right", 1.0), strategy="sure")])
    assert plot is not None
    assert plot.table.rows[0][:4] == ("best", "0.8–0.9", "2", "0.800")
    assert "error: best 0.300, sure 0.000." in plot.summary


def test_what_cannot_be_drawn_is_left_out() -> None:
    nothing = result_of("none", [outcome("unjudged", None)])
    assert plots_of([nothing]) == ()
    unknown = small_run(strategies=["best"], questions=[EvalQuestion("1", "pool")]).evaluation.strategies
    assert [plot.title for plot in plots_of(unknown)] == ["Latency by step"]


def test_many_strategies_can_still_be_told_apart() -> None:
    many = [replace(BEST, strategy=f"s{number}") for number in range(12)]
    plot = by_depth(many)
    assert plot is not None
    assert all(f">s{number}<" in plot.svg for number in range(12))
    lines = re.findall(r'aria-roledescription="line mark"[^>]*|<path [^>]*stroke-dasharray[^>]*', plot.svg)
    looks = {tuple(re.findall(r'(?:stroke|stroke-dasharray)="([^"]+)"', line)) for line in lines}
    assert len(looks) == len(many)


@pytest.mark.parametrize("metric", ["recall@1", "recall@50"])
def test_the_table_says_what_the_metrics_say(metric: str) -> None:
    plot = by_depth([WORST])
    assert plot is not None
    interval: Interval = WORST.metrics[metric]
    assert cell(plot, metric).startswith(f"{interval.value:.3f} (")


def test_an_interval_beside_its_value_is_drawn_as_far_as_it_goes() -> None:
    """A percentile interval need not hold the figure it belongs to."""
    odd = replace(BEST, metrics={**BEST.metrics, "recall@1": Interval(0.5, 0.6, 0.7)})
    plot = by_depth([odd])
    assert plot is not None
    assert plot.table.rows[0] == ("recall@1", "0.500 (0.600–0.700)")


def test_colours_are_the_pages_and_none_is_fixed() -> None:
    for plot in plots_of([BEST, WORST]):
        colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', plot.svg)) - {"none", "transparent"}
        assert {"currentColor", "var(--muted)", "var(--series-0)"} <= colours
        assert all(re.fullmatch(r"currentColor|var\(--(muted|series-[0-7])\)", one) for one in colours)


def test_a_name_that_looks_like_markup_or_maths_is_text_in_every_plot() -> None:
    name = "<b>$x_1$</b> & co"
    for plot in plots_of([replace(BEST, strategy=name)]):
        root: Any = etree.fromstring(plot.svg)
        assert name in ["".join(text.itertext()) for text in root.iterfind(".//svg:text", NAMESPACE)]
        assert "<b>" not in plot.svg


def test_a_plot_fits_where_it_is_put_and_brings_no_style_and_no_id() -> None:
    for plot in plots_of([BEST, WORST]):
        root = etree.fromstring(plot.svg)
        assert root.get("viewBox")
        assert root.find(".//svg:style", NAMESPACE) is None
        assert root.find(".//svg:script", NAMESPACE) is None
        assert not [element for element in root.iter() if element.get("id")]


def test_only_the_page_says_what_a_plot_shows() -> None:
    """A reader who does not see it hears the sentence and the table, not every mark."""
    for plot in plots_of([BEST, WORST]):
        assert "aria-label" not in plot.svg


def test_the_same_results_are_the_same_text() -> None:
    assert plots_of([BEST, WORST]) == plots_of([BEST, WORST])
