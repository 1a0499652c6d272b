"""Plots that everyone can read: each has words for those who do not see it, and its numbers in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

# Told apart by darkness too.
COLOURS = ("#1f4e5f", "#e8a33d", "#8c6bb1")


def table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Rows as a data frame of these keys, under their names for people."""
    return pd.DataFrame({name: [row[key] for row in rows] for key, name in columns.items()})


def bars(title: str, told: str, data: pd.DataFrame, *, flat: bool = False) -> None:
    """A bar for each row, whose first column names it; the other columns stand on one another in it.

    `flat`: the bars lie, and the columns are beside one another.
    """
    _headed(title, told)
    st.bar_chart(data, **_axes(title, told, data), horizontal=flat, stack=not flat, sort=False)
    _numbers(title, data)


def lines(title: str, told: str, data: pd.DataFrame) -> None:
    """A line for each column but the first."""
    _headed(title, told)
    st.line_chart(data, **_axes(title, told, data))
    _numbers(title, data)


def _axes(title: str, told: str, data: pd.DataFrame) -> dict[str, Any]:
    first, *others = data.columns
    look = {"color": list(COLOURS[: len(others)]), "alt": f"{title}. {told}"}
    return {"x": first, "y": others, "x_label": "", "y_label": "", **look}


def _headed(title: str, told: str) -> None:
    st.subheader(title)
    st.caption(told)


def _numbers(title: str, data: pd.DataFrame) -> None:
    with st.expander(f"{title}: the numbers"):
        st.dataframe(data, hide_index=True, alt=f"The numbers of the plot “{title}”")
