"""Conversations: the latest, newest first, or those looked for; each opens on its own page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.conversations.search import ANSWERERS, OUTCOMES, RATINGS, chosen, for_api

PAGE = "conversations/conversations.py"
PAGE_ROWS = 25
COLUMNS = (11, 4, 3, 3, 3, 3)  # widths, in proportion
QUESTION_CHARS = 60
FORMATS = {"csv": "CSV, for spreadsheets", "jsonl": "JSON lines", "parquet": "Parquet"}


def show(api: AdminApi) -> None:
    """One page of the list; the address says which, and what is looked for."""
    st.title("Conversations")
    wanted = chosen(st.query_params)
    before = st.query_params.get("before")
    page = api.get("conversations", limit=PAGE_ROWS, before=before, **for_api(wanted))
    if page["conversations"] or wanted:
        _search(api.get("conversations", "choices"), wanted)
    if page["conversations"]:
        _rows(page["conversations"])
    else:
        st.info(_nothing(before, wanted))
    older = {**wanted, "before": page["next"]}
    links = {"Newest": wanted if before else None, "Older": older if page["next"] else None}
    widgets.turn_pages(PAGE, links)
    if page["conversations"]:
        _export(api, wanted)


def _nothing(before: str | None, wanted: Mapping[str, str]) -> str:
    if wanted:
        return "Nothing older." if before else "No conversation is like that."
    return "Nothing older." if before else "No one has asked anything yet. Questions appear here at once."


def _search(choices: dict[str, Any], wanted: Mapping[str, str]) -> None:
    with st.expander("Find", icon=":material/search:", expanded=bool(wanted)), st.form("find"):
        found = _words(wanted) | _when_and_where(choices, wanted) | _what(choices, wanted)
        if st.form_submit_button("Find", type="primary"):
            widgets.go_to(found)
    if wanted:
        st.page_link(PAGE, label="Show all", icon=":material/close:")


def _words(wanted: Mapping[str, str]) -> dict[str, str]:
    words, page = st.columns(2)
    return {
        "text": words.text_input("Words in the question or the answer", value=wanted.get("text", "")),
        "url": page.text_input(
            "Cites the page, or a page of the section", value=wanted.get("url", ""), placeholder="https://…"
        ),
    }


def _when_and_where(choices: dict[str, Any], wanted: Mapping[str, str]) -> dict[str, str]:
    first, last, site = st.columns(3)
    days = widgets.pick_days(first, last, wanted)
    return days | {"site": widgets.pick_any(site, "Site", choices["sites"], wanted.get("site"))}


def _what(choices: dict[str, Any], wanted: Mapping[str, str]) -> dict[str, str]:
    topic, outcome, rating, answerer = st.columns(4)
    outcomes = widgets.pick_any(outcome, "Outcome", OUTCOMES, wanted.get("outcome"))
    ratings = widgets.pick_any(rating, "Visitor's rating", RATINGS, wanted.get("rating"))
    by = widgets.pick_any(answerer, "Answered by", choices["answerers"], wanted.get("answerer"), ANSWERERS)
    topics = widgets.pick_any(topic, "Topic", choices["topics"], wanted.get("topic"))
    return {"topic": topics, "outcome": outcomes, "rating": ratings, "answerer": by}


def _rows(conversations: list[dict[str, Any]]) -> None:
    heads = ("First question", "Last message", "Questions", "Answered by", "Refused", "Rated")
    for cell, head in zip(st.columns(COLUMNS), heads, strict=True):
        cell.caption(head)
    for conversation in conversations:
        _row(conversation)


def _row(conversation: dict[str, Any]) -> None:
    question, last_at, count, answerer, refused, rated = st.columns(COLUMNS, vertical_alignment="center")
    question.page_link(
        "conversations/conversation.py",
        label=wording.literal(wording.shortened(conversation["first_question"] or "", QUESTION_CHARS)),
        query_params={"id": conversation["id"]},
    )
    last_at.write(wording.moment(conversation["last_at"], st.context.timezone))
    count.write(str(conversation["messages"] // 2))
    by = conversation["answerer"] or ""
    answerer.write(wording.literal(ANSWERERS.get(by, by)))
    if conversation["refused"]:
        refused.badge(f"{conversation['refused']} refused", color="orange", icon=":material/block:")
    with rated.container(horizontal=True):
        if conversation["helpful"]:
            st.badge(str(conversation["helpful"]), color="green", icon=":material/thumb_up:")
        if conversation["unhelpful"]:
            st.badge(str(conversation["unhelpful"]), color="red", icon=":material/thumb_down:")


def _export(api: AdminApi, wanted: Mapping[str, str]) -> None:
    st.caption("Export every question and answer of the conversations found")
    with st.container(horizontal=True):
        for form, name in FORMATS.items():
            file = partial(api.file, "conversations", "export", format=form, **for_api(wanted))
            widgets.download(name, file, f"conversations.{form}")


show(session.api())
