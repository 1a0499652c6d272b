"""What `lodge eval` has kept: the runs, and two of them side by side as the bench compares them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.evaluations import metrics

COLOURS = ("#d98c5f", "#1f4e5f")  # before, after: told apart by lightness too
IN_THE_LIST = ("recall@5", "mrr", "answer_contains", "answered", "rightly_refused")  # figures
FIGURE_PX = 300
NONE_YET = (
    "No run is kept yet. A developer makes one with `lodge eval --questions FILE`; the golden questions can "
    "be such a file (`lodge golden export`)."
)
INTERVALS = (
    "A figure lies within its interval with 95 % confidence; that of a difference is by a paired bootstrap "
    "over the shared questions. “Cannot tell”: the difference may be chance."
)


def draw(api: AdminApi) -> None:
    """The table of runs, and the comparison of the two that are chosen."""
    runs = api.get("evaluations")["evaluations"]
    if not runs:
        st.info(NONE_YET)
        return
    _table(runs)
    if len(runs) > 1:
        _side_by_side(api, runs)


def rows(runs: list[dict[str, Any]], zone: str | None) -> list[dict[str, Any]]:
    """A row for each strategy of each run."""
    return [
        {
            "Run": run["name"],
            "When": wording.moment(run["created_at"], zone),
            "Questions": f"{run['questions_file']} ({run['questions']})",
            "Strategy": strategy,
            **{name: run["metrics"][strategy].get(name) for name in IN_THE_LIST},
            "Snapshot": run["snapshot"],
        }
        for run in runs
        for strategy in run["strategies"]
    ]


def partner(runs: list[dict[str, Any]]) -> int:
    """Which run the newest is best compared with: the last of the same questions, else the one before."""
    newest = runs[0]["questions_file"]
    return next((n for n, run in enumerate(runs) if n and run["questions_file"] == newest), 1)


def _table(runs: list[dict[str, Any]]) -> None:
    st.dataframe(
        pd.DataFrame(rows(runs, st.context.timezone)),
        hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(name, help=metrics.says(name), format="%.3f")
            for name in IN_THE_LIST
        },
        alt="One row for each strategy of each run of lodge eval, newest first, with its main figures",
    )
    st.caption(" · ".join(f"{name}: {metrics.says(name).lower()}" for name in IN_THE_LIST))


def _side_by_side(api: AdminApi, runs: list[dict[str, Any]]) -> None:
    st.header("Two runs side by side")
    names = [run["name"] for run in runs]
    before, after = (_named(names, side) for side in ("before", "after"))
    with st.form("compare"):
        left, right, go = st.columns((3, 3, 1), vertical_alignment="bottom")
        one = left.selectbox("Before", names, index=names.index(before) if before else partner(runs))
        other = right.selectbox("After", names, index=names.index(after) if after else 0)
        if go.form_submit_button("Compare", type="primary", width="stretch"):
            widgets.go_to({"of": "sets", "before": one, "after": other})
    if before and after:
        with session.told():
            _compared(api.get("evaluations", "compare", before=before, after=after))


def _named(names: list[str], side: str) -> str | None:
    name = st.query_params.get(side)
    return name if name in names else None


def _compared(found: dict[str, Any]) -> None:
    of = found["questions"]
    pair = f"**{wording.literal(found['a'])}** → **{wording.literal(found['b'])}**"
    st.markdown(
        f"{pair}: {of['shared']} questions in both, {of['only_a']} only before, {of['only_b']} only after"
    )
    st.caption(INTERVALS)
    for strategy in found["comparisons"]:
        _strategy(found, strategy)
    if found["differences"]:
        st.markdown("**What the runs were made with, where it differs**")
        frame = [
            {"Part": name, "Before": str(of["a"]), "After": str(of["b"])}
            for name, of in found["differences"].items()
        ]
        st.dataframe(pd.DataFrame(frame), hide_index=True, alt="What the two runs were made with")


def _strategy(found: dict[str, Any], strategy: str) -> None:
    st.markdown(f"#### Strategy {wording.literal(strategy)}")
    st.dataframe(
        pd.DataFrame(metrics.table(found, strategy)),
        hide_index=True,
        column_config={"Figure": st.column_config.TextColumn(width=FIGURE_PX)},
        alt=f"Figures of both runs for {strategy}, with the difference and the verdict on it",
    )
    _chart(found, strategy)
    flipped = metrics.flipped(found["changes"], strategy)
    st.markdown(f"**Questions that flipped: {len(flipped)}**")
    if flipped:
        st.dataframe(
            pd.DataFrame(metrics.flips_table(flipped)),
            hide_index=True,
            column_config={"Question": st.column_config.TextColumn(width=FIGURE_PX)},
            alt="One row for each question that was right in one run and not in the other",
        )


def _chart(found: dict[str, Any], strategy: str) -> None:
    of_a, of_b = (found["metrics"][strategy][side] for side in ("a", "b"))
    shown = [name for name in metrics.MAIN if name in of_a and name in of_b]
    values = [(of_a[name]["value"], of_b[name]["value"]) for name in shown]
    frame = pd.DataFrame({"Figure": shown, "before": [a for a, _ in values], "after": [b for _, b in values]})
    figures = zip(shown, values, strict=True)
    told = "; ".join(f"{name} {a:.3f} before, {b:.3f} after" for name, (a, b) in figures)
    st.bar_chart(
        frame, x="Figure", y=["before", "after"], x_label="", y_label="Share", horizontal=True,
        stack=False, sort=False, color=list(COLOURS), alt=f"{strategy}: {told}",
    )  # fmt: skip
