"""What flipped from one run of golden questions to another, each question a link to its page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.golden import states


def draw(found: dict[str, Any]) -> None:
    """A sentence, then what broke and what was mended."""
    broke, mended = found["broke"], found["mended"]
    st.markdown(sentence(found))
    _list("Broke", broke, "after")
    _list("Mended", mended, "before")


def sentence(found: dict[str, Any]) -> str:
    """`2 broke, 1 was mended, 12 came out the same.`"""
    mended = len(found["mended"])
    parts = [
        f"{len(found['broke'])} broke",
        f"{mended} {'was' if mended == 1 else 'were'} mended",
        f"{found['same']} came out the same",
    ]
    if found["only_before"]:
        parts.append(f"{found['only_before']} were asked only then")
    if found["only_after"]:
        parts.append(f"{found['only_after']} are new")
    return ", ".join(parts) + "."


def _list(title: str, flips: list[dict[str, Any]], failed_in: str) -> None:
    if not flips:
        return
    st.markdown(f"**{title}**")
    for flip in flips:
        why = flip[failed_in]["failure"]
        said = f"{states.FAILED} {why}" if failed_in == "after" else f"{states.PASSED} before: {why}"
        with st.container(gap=None):
            link(flip["id"], flip["question"])
            st.caption(wording.literal(said))


def link(golden_id: str, question: str | None) -> None:
    """The question as a link to its page; of one that was removed, its id."""
    if question is None:
        st.caption(wording.literal(f"{golden_id} (removed since)"))
        return
    st.page_link(
        "golden/golden_question.py",
        label=f"**{wording.literal(wording.shortened(question, 110))}**",
        query_params={"id": golden_id},
    )
