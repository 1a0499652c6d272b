"""Mending one answer: choose how, try it on this question and those like it, publish it. One page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import session, widgets
from admin.client import AdminApi
from admin.mend_links import WAYS
from admin.mending import outcome, ways

Json = dict[str, Any]


def show(api: AdminApi) -> None:
    """The answer of the trace that `?trace=` names; `?way=` says how it is to be mended."""
    st.title("Mend an answer")
    trace_id = st.query_params.get("trace")
    if not trace_id:
        st.info(
            "Open a conversation, a trace, feedback or a missing answer, and choose how to mend it there."
        )
        return
    if not session.may("editor"):
        st.info("Mending takes an editor. You can look at the answer, and tell an editor of it.")
        widgets.link_trace(trace_id, "How this answer came about", ":material/route:")
        return
    trace = api.get("traces", trace_id)
    asked = api.slowly("traces", trace_id, "mending")
    _answer(trace, asked)
    way = _way()
    change = ways.DRAW[way](api, trace, asked)
    outcome.draw(api, trace_id, asked, change)


def _answer(trace: Json, asked: Json) -> None:
    """What was asked and what was said, folded no further than its sources."""
    with st.container(border=True):
        st.caption("Asked")
        st.text(trace["question"])
        if asked["question"] != trace["question"]:
            st.caption("Understood as")
            st.text(asked["question"])
        answer = trace["answer"]
        if answer:
            st.caption("Answered then" if not answer["refused"] else "Not answered then")
            st.text(answer["answer"])
            for citation in answer["citations"]:
                widgets.source(citation)
        with st.container(horizontal=True):
            widgets.link_conversation(trace["conversation_id"], "The conversation", ":material/forum:")
            widgets.link_trace(trace["trace_id"], "How it came about", ":material/route:")


def _way() -> str:
    """One of the four; it stands in the address, so that the page can be opened again."""
    now = st.query_params.get("way", "")
    place = list(WAYS).index(now) if now in WAYS else 0
    way = st.radio("How to mend it", list(WAYS), place, format_func=lambda one: WAYS[one][0], horizontal=True)
    if way != now:
        st.query_params["way"] = way
    return way


show(session.api())
