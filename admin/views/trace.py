"""The trace of one answer: what each step saw, and where each passage stood at every step."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import passages, session, wording
from admin.client import AdminApi

BAR_COLOUR = "#1f4e5f"
FIGURE_PX = 110  # the width of a column of ranks or scores


def show(api: AdminApi) -> None:
    """The trace that the field names; `?id=` in the address fills it in."""
    st.title("Trace")
    trace_id = st.text_input("Trace id", st.query_params.get("id", "")).strip()
    if not trace_id:
        st.info("Open an answer in Conversations and follow its link, or paste a trace id.")
        return
    trace = api.trace(trace_id)
    _question(trace)
    _timings(trace["steps"])
    _passages(trace)
    _steps(trace["steps"])


def _question(trace: dict[str, Any]) -> None:
    st.subheader("Question and answer")
    with st.container(border=True):
        st.caption("Question as typed")
        st.text(trace["question"])
        rewrite = rewritten(trace)
        if rewrite:
            st.caption("Searched for as")
            st.text(rewrite)
        if trace["answer"]:
            st.caption("Answer")
            st.text(trace["answer"]["answer"])
            if trace["answer"]["refused"]:
                st.badge("Refused", color="orange", icon=":material/block:")
    st.page_link(
        "views/conversation.py",
        label="The whole conversation",
        icon=":material/forum:",
        query_params={"id": trace["conversation_id"]},
    )
    versions = {"strategy": trace["strategy"], "snapshot": trace["snapshot"], **trace["versions"]}
    st.caption(" · ".join(wording.literal(f"{name} {value}") for name, value in versions.items()))


def rewritten(trace: dict[str, Any]) -> str | None:
    """What the rewrite step made of the question; None when there was none or it changed nothing."""
    for step in trace["steps"]:
        question = step["notes"].get("question")
        if step["step"] == "rewrite" and isinstance(question, str) and question != trace["question"]:
            return question
    return None


def _timings(steps: list[dict[str, Any]]) -> None:
    st.subheader("Time of each step")
    if not steps:
        st.info("No step left its time.")
        return
    times = pd.DataFrame({"step": [step["step"] for step in steps], "ms": [step["ms"] for step in steps]})
    slowest = max(steps, key=lambda step: float(step["ms"]))
    told = (
        f"{times['ms'].sum():.0f} ms in all; the longest was {slowest['step']} with {slowest['ms']:.0f} ms."
    )
    st.caption(wording.literal(told))
    st.bar_chart(
        times,
        x="step",
        y="ms",
        x_label="",
        y_label="Milliseconds",
        horizontal=True,
        sort=False,
        color=BAR_COLOUR,
        alt=told,
    )


def _passages(trace: dict[str, Any]) -> None:
    st.subheader("Passages, and where each stood")
    rows = passages.passage_rows(trace)
    if not rows:
        st.info("No step ranked any passage.")
        return
    steps = passages.ranking_steps(trace)
    st.caption(
        "Best of the last step first. An empty cell: that step did not bring the passage, or dropped it."
    )
    st.dataframe(
        pd.DataFrame(passages.table(rows, steps)),
        hide_index=True,
        column_config=_column_config(steps),
        placeholder="",
        alt="One row for each passage, with its rank and score at every step",
    )


def _column_config(steps: tuple[str, ...]) -> dict[str, Any]:
    config: dict[str, Any] = {
        "Page": st.column_config.TextColumn(width="medium", pinned=True),
        "Text": st.column_config.TextColumn(width="large"),
        "Address": st.column_config.LinkColumn(width="medium"),
    }
    for name in passages.short_names(steps).values():
        config[f"{name} rank"] = st.column_config.NumberColumn(format="%d", width=FIGURE_PX)
        config[f"{name} score"] = st.column_config.NumberColumn(format="%.3f", width=FIGURE_PX)
    return config


def _steps(steps: list[dict[str, Any]]) -> None:
    st.subheader("What each step noted")
    for step in steps:
        ranked = f", passages: {len(step['ranking'])}" if step["ranking"] else ""
        with st.expander(wording.literal(f"{step['step']}: {step['ms']:.1f} ms{ranked}")):
            if step["notes"]:
                st.json(step["notes"])
            else:
                st.caption("Nothing beyond its ranking." if step["ranking"] else "Nothing.")


show(session.api())
