"""The passages of an answer, drawn: a table for each question of the line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin.traces import passages

# Six steps beside a page and its fate on a small screen. Rows as high as this break what is too wide.
PAGE_PX, FATE_PX, STEP_PX, ROW_PX = 220, 130, 78, 66
HEAD_PX, MOST_ROWS = 38, 9
LEGEND = (
    f"From left to right through the steps, each with rank and score. {passages.UP} moved up, "
    f"{passages.DOWN} moved down, {passages.FELL} fell here, {passages.CITED} cited. Empty: not there yet."
)


def draw(tables: Sequence[dict[str, Any]]) -> None:
    """The tables, the question above each where there are several."""
    if not any(found["rows"] for found in tables):
        st.info("No step ranked any passage.")
        return
    st.caption(LEGEND)
    for found in tables:
        if len(tables) > 1:
            st.markdown(f"**{wording.literal(found['question'])}**")
        _draw_one(found)


def _draw_one(found: dict[str, Any]) -> None:
    frame = pd.DataFrame(passages.table(found))
    steps = [passages.heading(step) for step in found["steps"]]
    styled = frame.style.map(passages.colour, subset=["What became of it", *steps])
    height = HEAD_PX + ROW_PX * min(len(frame), MOST_ROWS)
    config: dict[str, Any] = {
        "Page": st.column_config.TextColumn(width=PAGE_PX, pinned=True),
        "What became of it": st.column_config.TextColumn(width=FATE_PX),
        "Text": st.column_config.TextColumn(width="large"),
        "Address": st.column_config.LinkColumn(width="medium"),
        **{step: st.column_config.TextColumn(width=STEP_PX) for step in steps},
    }
    alt = "One row for each passage: what became of it, and its rank and score at every step"
    st.dataframe(styled, hide_index=True, column_config=config, height=height, row_height=ROW_PX, alt=alt)
