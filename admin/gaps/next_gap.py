"""The way on to the next missing answer, so that nobody has to look for it in the list."""

from __future__ import annotations

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi
from admin.coverage import asked

DAYS = 90  # as the list has it
QUESTION_CHARS = 60


def link(api: AdminApi, now: int) -> None:
    """A link to what is asked most of what is still to do, but for the one that is `now` open."""
    found = api.get("gaps", limit=2, **asked.chosen({}, DAYS))["gaps"]
    left = [gap for gap in found if gap["id"] != now]
    if not left:
        st.page_link("gaps/gaps.py", label="Nothing is left to do", icon=":material/done_all:")
        return
    question = wording.shortened(left[0]["question"], QUESTION_CHARS)
    st.page_link(
        "gaps/gap.py",
        label=wording.literal(f"The next missing answer: {question}"),
        icon=":material/arrow_forward:",
        query_params={"id": str(left[0]["id"])},
    )
