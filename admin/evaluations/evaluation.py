"""Evaluation: runs of golden questions, and of question sets, two of them side by side."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.evaluations import question_sets
from admin.golden import flips, states

COLOURS = ("#1f4e5f", "#d98c5f")  # right, wrong: told apart by lightness too
KINDS = {"golden": "Golden questions", "sets": "Question sets (lodge eval)"}


def show(api: AdminApi) -> None:
    """The kind of runs that is chosen; `?of=` says which at first."""
    st.title("Evaluation")
    st.caption("Whether the answers have become better or worse, and which ones.")
    now = st.query_params.get("of")
    place = list(KINDS).index(now) if now in KINDS else 0
    chosen = st.radio("Runs of", KINDS, place, format_func=KINDS.__getitem__, horizontal=True)
    if chosen == "golden":
        _golden_runs(api)
    else:
        question_sets.draw(api)


def _golden_runs(api: AdminApi) -> None:
    """All of one site: a chart, a table, and two of them side by side."""
    runs = api.get("golden", "runs")["runs"]
    if not runs:
        st.info("Golden questions have not been asked yet. Their page has a button for it.")
        st.page_link("golden/golden.py", label="Golden questions", icon=":material/verified:")
        return
    sites = list(dict.fromkeys(run["site"] for run in runs))
    if len(sites) > 1:
        runs = api.get("golden", "runs", site=st.selectbox("Site", sites))["runs"]
    _chart(runs)
    _table(runs)
    if len(runs) > 1:
        _side_by_side(api, runs)


def _summary(run: dict[str, Any], zone: str | None) -> str:
    """`Run 7 · 3 Mar 2026, 10:00 · 12 right, 2 wrong`."""
    when = wording.moment(run["at"], zone)
    return f"Run {run['number']} · {when} · {run['passed']} right, {run['failed']} wrong"


def _chart(runs: list[dict[str, Any]]) -> None:
    oldest_first = runs[::-1]
    frame = pd.DataFrame(
        {
            "Run": [str(run["number"]) for run in oldest_first],
            "right": [run["passed"] for run in oldest_first],
            "wrong": [run["failed"] for run in oldest_first],
        }
    )
    first, last = (
        f"{run['passed']} right and {run['failed']} wrong in run {run['number']}"
        for run in (oldest_first[0], oldest_first[-1])
    )
    told = f"Right and wrong answers in each of {len(runs)} runs, oldest first: {first}; {last}."
    st.bar_chart(
        frame, x="Run", y=["right", "wrong"], y_label="Questions", sort=False,
        color=list(COLOURS), height=240, alt=told,
    )  # fmt: skip


def _table(runs: list[dict[str, Any]]) -> None:
    zone = st.context.timezone
    columns = {
        "Run": [run["number"] for run in runs],
        "When": [wording.moment(run["at"], zone) for run in runs],
        f"{states.PASSED} right": [run["passed"] for run in runs],
        f"{states.FAILED} wrong": [run["failed"] for run in runs],
        "Known gaps": [run["known_gaps"] for run in runs],
        "Why": [states.occasion(run["occasion"]) for run in runs],
        "By": [run["by"] for run in runs],
        "Strategy": [run["strategy"] for run in runs],
        "Snapshot": [run["snapshot"] for run in runs],
    }
    alt = "One row for each run of golden questions, newest first"
    st.dataframe(pd.DataFrame(columns), hide_index=True, alt=alt)


def _side_by_side(api: AdminApi, runs: list[dict[str, Any]]) -> None:
    st.header("Two runs side by side")
    zone = st.context.timezone
    by_number = {run["number"]: _summary(run, zone) for run in runs}
    left, right = st.columns(2)
    before = widgets.pick(left, "Before", by_number, runs[1]["number"])
    after = widgets.pick(right, "After", by_number, None)
    if before == after:
        st.info("Choose two different runs.")
        return
    found = api.get("golden", "runs", "compare", before=before, after=after)
    flips.draw(found)
    for name in ("snapshot", "strategy"):
        was, now = (wording.literal(found[side][name]) for side in ("before", "after"))
        if was != now:
            st.caption(f"Another {name}: {was} → {now}")


show(session.api())
