"""The trace of one answer: what each step saw, where each passage fell, and what other settings would say."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import mend_links as mending
from admin import session, widgets
from admin.client import AdminApi
from admin.traces import passages, should_have, what_if, written
from admin.traces.heard import heard, rewritten

BAR_COLOUR = "#1f4e5f"


def show(api: AdminApi) -> None:
    """The trace that the field names; `?id=` in the address fills it in."""
    st.title("Trace")
    trace_id = st.text_input("Trace id", st.query_params.get("id", "")).strip()
    if not trace_id:
        st.info("Open an answer in Conversations and follow its link, or paste a trace id.")
        return
    trace = api.get("traces", trace_id)
    _question(trace)
    st.header("Passages, and where each fell")
    passages.draw(api.get("traces", trace_id, "passages")["tables"])
    should_have.draw(api, trace)
    what_if.draw(api, trace)
    written.draw(trace["steps"])
    _timings(trace["steps"])
    _versions(trace)
    _steps(trace["steps"])


def _question(trace: dict[str, Any]) -> None:
    st.header("Question and answer")
    with st.container(border=True):
        st.caption("Question as typed")
        st.text(trace["question"])
        rewrite = rewritten(trace)
        if rewrite:
            st.caption("Searched for as")
            st.text(rewrite)
        for line in heard(trace["steps"]):
            st.caption(wording.literal(line))
        if trace["answer"]:
            st.caption("Answer")
            st.text(trace["answer"]["answer"])
            if trace["answer"]["refused"]:
                st.badge("Refused", color="orange", icon=":material/block:")
    widgets.link_conversation(trace["conversation_id"], "The whole conversation", ":material/forum:")
    mending.draw(trace["trace_id"])


def _timings(steps: list[dict[str, Any]]) -> None:
    st.header("Time of each step")
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
        times, x="step", y="ms", x_label="", y_label="Milliseconds", horizontal=True, sort=False,
        color=BAR_COLOUR, alt=told,
    )  # fmt: skip


def _versions(trace: dict[str, Any]) -> None:
    versions = {"strategy": trace["strategy"], "snapshot": trace["snapshot"], **trace["versions"]}
    st.caption(" · ".join(wording.literal(f"{name} {value}") for name, value in versions.items()))
    if trace.get("settings"):
        with st.expander("Settings of the flow"):
            st.json(trace["settings"])


def _steps(steps: list[dict[str, Any]]) -> None:
    st.header("What each step noted")
    for step in steps:
        ranked = f", passages: {len(step['ranking'])}" if step["ranking"] else ""
        with st.expander(wording.literal(f"{step['step']}: {step['ms']:.1f} ms{ranked}")):
            if step["notes"]:
                st.json(step["notes"])
            else:
                st.caption("Nothing beyond its ranking." if step["ranking"] else "Nothing.")


show(session.api())
