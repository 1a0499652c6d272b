"""Plots that everyone can read: each has words for those who do not see it, and its numbers in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd
import streamlit as st

# Told apart by darkness too.
FEW_DAYS = 10
COLOURS = ("#1f4e5f", "#e8a33d", "#8c6bb1")


def table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    """Rows as a data frame of these keys, under their names for people."""
    return pd.DataFrame({name: [row[key] for row in rows] for key, name in columns.items()})


def bars(title: str, told: str, data: pd.DataFrame, *, flat: bool = False) -> None:
    """A bar for each row, whose first column names it; the other columns stand on one another in it.

    `flat`: the bars lie, and the columns are beside one another.
    """
    _headed(title, told)
    shown = named(data)
    st.bar_chart(shown, **_axes(title, told, shown), horizontal=flat, stack=not flat, sort=False)
    _numbers(title, data)


def lines(title: str, told: str, data: pd.DataFrame) -> None:
    """A line for each column but the first; of one row bars, for a line takes two points."""
    _headed(title, told)
    if len(data) > 1:
        st.line_chart(data, **_axes(title, told, data))
    else:
        shown = named(data)
        st.bar_chart(shown, **_axes(title, told, shown), stack=False)
    _numbers(title, data)


def named(data: pd.DataFrame) -> pd.DataFrame:
    """Few days are named: on an axis of time one day is a bar as wide as the plot, with hours under it."""
    first = data.columns[0]
    if not 0 < len(data) <= FEW_DAYS or not isinstance(data[first].iloc[0], date):
        return data
    return data.assign(**{first: [f"{day.day} {day:%b}" for day in data[first]]})


def _axes(title: str, told: str, data: pd.DataFrame) -> dict[str, Any]:
    first, *others = data.columns
    look = {"color": list(COLOURS[: len(others)]), "alt": f"{title}. {told}"}
    return {"x": first, "y": others, "x_label": "", "y_label": "", **look}


def _headed(title: str, told: str) -> None:
    st.header(title)
    st.caption(told)


def _numbers(title: str, data: pd.DataFrame) -> None:
    with st.expander(f"{title}: the numbers"):
        st.dataframe(data, hide_index=True, alt=f"The numbers of the plot “{title}”")
