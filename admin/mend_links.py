"""The four ways to mend an answer, as links from wherever an answer stands."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from admin import session

PAGE = "mending/mend.py"
# What stands in the address → its words, its icon.
WAYS: Mapping[str, tuple[str, str]] = {
    "answer": ("Write an answer", ":material/edit_note:"),
    "passage": ("This passage is right", ":material/check_circle:"),
    "leave-out": ("Leave a page out", ":material/block:"),
    "words": ("Wrong words", ":material/translate:"),
}


def one(trace_id: str | None, label: str, **about: str) -> None:
    """A single link, to the first way; nothing without a trace, and for those who may not mend."""
    if trace_id and session.may("editor"):
        query = {"trace": trace_id, "way": next(iter(WAYS)), **about}
        st.page_link(PAGE, label=label, icon=":material/edit_note:", query_params=query)


def draw(trace_id: str | None, **about: str) -> None:
    """A link for each way; nothing without a trace, and for those who may not mend. `about`: a gap, say."""
    if not trace_id or not session.may("editor"):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Mend it:", width="content")
        for way, (label, icon) in WAYS.items():
            query = {"trace": trace_id, "way": way, **about}
            st.page_link(PAGE, label=label, icon=icon, query_params=query)
