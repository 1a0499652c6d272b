"""What became of one golden question in every run: its signs in a row, and a table."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin.golden import states


def draw(history: list[dict[str, Any]]) -> None:
    """The last answer, then all runs, newest first."""
    st.subheader("History")
    if not history:
        st.info("It has not been asked yet. Ask all golden questions on their page.")
        return
    last = history[0]
    with st.container(border=True):
        st.caption("The last answer")
        st.text(last["answer"])
        for url in last["cited"]:
            st.markdown(wording.link(url, url))
    signs = states.strip(history)
    st.markdown(f"Oldest to newest: {signs}")
    st.dataframe(
        pd.DataFrame(table(history, st.context.timezone)),
        hide_index=True,
        column_config={"Answer": st.column_config.TextColumn(width="large")},
        alt=f"Every run, newest first. From oldest to newest it was {signs}",
    )


def table(history: list[dict[str, Any]], zone: str | None) -> dict[str, list[str]]:
    """As columns with headings."""
    return {
        "When": [wording.moment(row["at"], zone) for row in history],
        "Outcome": [states.outcome(row["failure"]) for row in history],
        "Answer": [row["answer"] for row in history],
        "Cited": [", ".join(row["cited"]) for row in history],
        "Why it was asked": [states.occasion(row["occasion"]) for row in history],
        "By": [row["by"] for row in history],
        "Strategy": [row["strategy"] for row in history],
        "Snapshot": [row["snapshot"] for row in history],
    }
