"""The passages of an answer as columns for a person: a row a passage, followed from left to right.

Rank and score stand in one cell a step. A sign before them says what the step did to the passage, and the
colour says the same: ▲ it moved up, ▼ it moved down, ✕ here it fell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording

JsonObject = Mapping[str, Any]

UP, DOWN, FELL, CITED = "▲", "▼", "✕", "✓"
# Light enough over a white page and over a dark one for the text on them to stay readable.
COLOURS = {
    UP: "background-color: rgba(46, 125, 50, 0.22)",
    DOWN: "background-color: rgba(239, 108, 0, 0.20)",
    FELL: "background-color: rgba(128, 128, 128, 0.30)",
    CITED: "background-color: rgba(21, 101, 192, 0.22)",
}
_SEARCHES = ("retrieve.semantic", "retrieve.keyword", "retrieve.late_interaction")
_HEADINGS = {
    "extract": "read",
    "generate": "prompt",
    "retrieve.semantic": "by meaning",
    "retrieve.keyword": "by words",
    "retrieve": "both",
    "retrieve.late_interaction": "word by word",
    "boost": "put first",
    "rerank": "compared",
}
# What a step does, where its heading is hovered over.
_HELP = {
    "retrieve.semantic": "Rank and likeness in the search by meaning",
    "retrieve.keyword": "Rank and score in the search for the question's words",
    "retrieve": "One ranking of what the searches found, each weighed by its share",
    "retrieve.late_interaction": "Each word of the question against each of the passage, by meaning",
    "retrieve.excluded": "What editors leave out",
    "boost": "The term, kind of page and audience that are meant come forward, and what editors put first",
    "rerank": "A model reads question and passage together, and says how likely it answers",
    "extract": "The passages that were read for the answer, and how sure it is of each",
    "generate": "Those that the language model was given",
}
_ENDS = {
    "scope": "not the site's business",
    "threshold": "not sure enough",
    "cited": "read, not quoted",
    "extract": "not read for the answer",
    "generate": "no room in the prompt",
    "retrieve.excluded": "left out by editors",
}

# Six steps beside a page and its fate on a small screen. Rows as high as this break what is too wide.
PAGE_PX, FATE_PX, STEP_PX, ROW_PX = 220, 130, 78, 66
HEAD_PX, MOST_ROWS = 38, 9
LEGEND = (
    f"From left to right through the steps, each with rank and score. {UP} moved up, "
    f"{DOWN} moved down, {FELL} fell here, {CITED} cited. Empty: not there yet."
)


def heading(step: str) -> str:
    """A step's word for a person: `retrieve.keyword` → `by words`."""
    return _HEADINGS.get(step, step.rpartition(".")[2])


def table(found: JsonObject) -> dict[str, list[str]]:
    """A table of the admin API as columns with headings; an empty cell is empty text."""
    rows, steps = found["rows"], found["steps"]
    columns: dict[str, list[str]] = {
        "Page": [_named(row) for row in rows],
        "What became of it": [fate(row) for row in rows],
    }
    for step in steps:
        columns[heading(step)] = [_cell(row, step, steps) for row in rows]
    columns["Text"] = [row["text"] for row in rows]
    columns["Address"] = [row["url"] for row in rows]
    return columns


def fate(row: JsonObject) -> str:
    """`✓ cited [1]`, or the step at which it fell."""
    if row["cited_as"]:
        return f"{CITED} cited " + ", ".join(f"[{n}]" for n in row["cited_as"])
    step = row["fell_at"]
    return f"{FELL} {_ENDS.get(step) or f'fell at {heading(step)}'}"


def colour(cell: object) -> str:
    """The style of a cell, by the sign it begins with."""
    return COLOURS.get(str(cell)[:1], "")


def _named(row: JsonObject) -> str:
    return f"{row['title']} · {row['heading']}" if row["heading"] else str(row["title"])


def _cell(row: JsonObject, step: str, steps: Sequence[str]) -> str:
    """`▲ 1 · 0.790`; the sign of the step at which it fell; or nothing."""
    own = row["standings"].get(step)
    if own is None:
        return FELL if step == row["fell_at"] else ""
    told = f"{own['rank']}" if own["score"] is None else f"{own['rank']} · {own['score']:.3f}"
    return f"{_sign(row, step, steps)}{told}"


def _sign(row: JsonObject, step: str, steps: Sequence[str]) -> str:
    """Whether the step moved it; the two searches go side by side and move nothing."""
    before = [
        row["standings"][name]["rank"] for name in steps[: steps.index(step)] if name in row["standings"]
    ]
    if step in _SEARCHES or not before or step == "retrieve":
        return ""
    rank = row["standings"][step]["rank"]
    return f"{UP} " if rank < before[-1] else f"{DOWN} " if rank > before[-1] else ""


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
    frame = pd.DataFrame(table(found))
    steps = [heading(step) for step in found["steps"]]
    styled = frame.style.map(colour, subset=["What became of it", *steps])
    height = HEAD_PX + ROW_PX * min(len(frame), MOST_ROWS)
    config: dict[str, Any] = {
        "Page": st.column_config.TextColumn(width=PAGE_PX, pinned=True),
        "What became of it": st.column_config.TextColumn(width=FATE_PX),
        "Text": st.column_config.TextColumn(width="large"),
        "Address": st.column_config.LinkColumn(width="medium"),
        **{
            heading(step): st.column_config.TextColumn(width=STEP_PX, help=_HELP.get(step))
            for step in found["steps"]
        },
    }
    alt = "One row for each passage: what became of it, and its rank and score at every step"
    st.dataframe(styled, hide_index=True, column_config=config, height=height, row_height=ROW_PX, alt=alt)
