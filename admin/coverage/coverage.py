"""Coverage: what is asked against what is written; pages never cited, badly rated, or out of date."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import plots, session, widgets
from admin.client import AdminApi
from admin.coverage import asked

DAYS = 365
MONTHS = 24
PAGE_ROWS = 100
Asked = Mapping[str, str]


def show(api: AdminApi) -> None:
    """The days and site that the address names; without, the last year."""
    st.title("Coverage")
    wanted = asked.chosen(st.query_params, DAYS)
    wanted.pop("topic", None)
    asked.bar(api, wanted, topics=False)
    months = st.number_input(
        "A page is out of date when it has not changed for so many months", 1, 240, MONTHS, width=420
    )
    found = api.get("coverage", months=int(months), **wanted)
    told = (
        f"{found['cited']:,} of the {found['pages']:,} pages of the live snapshot ({found['snapshot']}) "
        f"were cited; {found['never_cited']:,} were not."
    )
    st.caption(wording.literal(told))
    topics, never, bad, stale = st.tabs(["Topics", "Never cited", "Badly rated", "Out of date"])
    with topics:
        _topics(found["topics"])
    with never:
        _never_cited(api, wanted)
    with bad:
        _badly_rated(found["badly_rated"])
    with stale:
        _stale(found["stale"])


def _topics(topics: list[dict[str, Any]]) -> None:
    shares = [row | {"topic": row["topic"] or "none"} for row in topics]
    named = [
        row | {"asked": row["asked_share"] * 100, "written": row["pages_share"] * 100}
        for row in shares
        if row["asked_share"] is not None
    ]
    if not named:
        st.info("No question and no page has a topic yet.")
        return
    most = max(named, key=lambda row: float(row["asked"] - row["written"]))
    told = (
        f"Asked about more than it is written about, most of all: {most['topic']}, with "
        f"{most['asked']:.0f} % of the questions and {most['written']:.0f} % of the pages."
    )
    columns = {"topic": "Topic", "asked": "Questions, %", "written": "Pages, %"}
    plots.bars("Asked against written", wording.literal(told), plots.table(named, columns), flat=True)
    names = {"topic": "Topic", "questions": "Questions", "refused": "Refused", "pages": "Pages"}
    st.dataframe(plots.table(shares, names), hide_index=True, alt="Questions, refusals and pages by topic")


def _never_cited(api: AdminApi, wanted: Asked) -> None:
    text = st.text_input("Words in the title or the address", key="never-cited").strip()
    found = api.get("coverage", "never-cited", text=text, offset=0, limit=PAGE_ROWS, **wanted)
    if not found["count"]:
        st.info("No page is like that." if text else "Every page was cited.")
        return
    shown = f", the first {PAGE_ROWS} of them here" if found["count"] > PAGE_ROWS else ""
    st.caption(
        f"{wording.counted(found['count'], 'page')}{shown}. Nobody asked what is written there, or another "
        "page said it better."
    )
    names = {"title": "Title", "url": "Page", "topic": "Topic", "day": "Changed"}
    _pages(found["pages"], names, "Pages that no answer cites")
    file = partial(api.file, "coverage", "never-cited", "export", text=text, **wanted)
    widgets.download("All of them, CSV for spreadsheets", file, "never-cited.csv")


def _badly_rated(pages: list[dict[str, Any]]) -> None:
    if not pages:
        st.info(
            "No page was cited in answers that two visitors or more, and two of five, did not find helpful."
        )
        return
    st.caption("Pages cited in answers that at least two visitors, and two of five, did not find helpful.")
    rows = [row | {"share": f"{row['unhelpful_share']:.0%}"} for row in pages]
    names = {
        "title": "Title",
        "url": "Page",
        "times": "Cited",
        "rated": "Rated",
        "unhelpful": "Not helpful",
        "share": "Share",
    }
    _pages(rows, names, "Cited pages that are badly rated")


def _stale(pages: list[dict[str, Any]]) -> None:
    if not pages:
        st.info("No cited page is out of date, as far as the pages say when they were changed.")
        return
    st.caption(
        "Pages that answers cite, though they have not changed for long or speak of terms that are over."
    )
    rows = [row | {"why": _why(row)} for row in pages]
    names = {"title": "Title", "url": "Page", "times": "Cited", "why": "Why", "day": "Changed"}
    _pages(rows, names, "Cited pages that are out of date")


def _why(row: dict[str, Any]) -> str:
    return f"nothing newer than {row['term']}" if row["reason"] == "past_terms" else "not changed for long"


def _pages(rows: list[dict[str, Any]], names: Mapping[str, str], alt: str) -> None:
    st.dataframe(
        plots.table(rows, names),
        hide_index=True,
        column_config={"Page": st.column_config.LinkColumn()},
        alt=alt,
    )


show(session.api())
