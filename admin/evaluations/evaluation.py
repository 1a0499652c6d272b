"""Evaluation: runs of golden questions, and of question sets, two of them side by side."""

from __future__ import annotations

import streamlit as st

from admin import session
from admin.client import AdminApi
from admin.evaluations import golden_runs, question_sets

KINDS = {"golden": "Golden questions", "sets": "Question sets (lodge eval)"}


def show(api: AdminApi) -> None:
    """The kind of runs that is chosen; `?of=` says which at first."""
    st.title("Evaluation")
    st.caption("Whether the answers have become better or worse, and which ones.")
    names = list(KINDS)
    now = st.query_params.get("of")
    chosen = st.radio(
        "Runs of",
        names,
        index=names.index(now) if now in names else 0,
        format_func=KINDS.__getitem__,
        horizontal=True,
    )
    if chosen == "golden":
        golden_runs.draw(api)
    else:
        question_sets.draw(api)


show(session.api())
