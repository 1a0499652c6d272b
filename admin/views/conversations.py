"""Conversations: the latest, newest first; each opens on its own page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import session, wording
from admin.client import AdminApi

PAGE_ROWS = 25
COLUMNS = (11, 4, 3, 3, 3)  # widths, in proportion
QUESTION_CHARS = 60


def show(api: AdminApi) -> None:
    """One page of the list; `?before=` in the address says which."""
    st.title("Conversations")
    before = st.query_params.get("before")
    page = api.conversations(PAGE_ROWS, before)
    if not page["conversations"]:
        st.info(
            "Nothing older." if before else "No one has asked anything yet. Questions appear here at once."
        )
    else:
        _rows(page["conversations"])
    _turn_pages(before, page["next"])


def _rows(conversations: list[dict[str, Any]]) -> None:
    heads = ("First question", "Last message", "Questions", "Answered by", "Refused")
    for cell, head in zip(st.columns(COLUMNS), heads, strict=True):
        cell.caption(head)
    for conversation in conversations:
        _row(conversation)


def _row(conversation: dict[str, Any]) -> None:
    question, last_at, count, answerer, refused = st.columns(COLUMNS, vertical_alignment="center")
    question.page_link(
        "views/conversation.py",
        label=wording.literal(wording.shortened(conversation["first_question"] or "", QUESTION_CHARS)),
        query_params={"id": conversation["id"]},
    )
    last_at.write(wording.moment(conversation["last_at"], st.context.timezone))
    count.write(str(conversation["messages"] // 2))
    answerer.write(wording.literal(conversation["answerer"] or ""))
    if conversation["refused"]:
        refused.badge(f"{conversation['refused']} refused", color="orange", icon=":material/block:")


def _turn_pages(before: str | None, following: str | None) -> None:
    with st.container(horizontal=True):
        if before:
            st.page_link("views/conversations.py", label="Newest", icon=":material/first_page:")
        if following:
            st.page_link(
                "views/conversations.py",
                label="Older",
                icon=":material/chevron_right:",
                query_params={"before": following},
            )


show(session.api())
