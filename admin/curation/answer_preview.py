"""An answer in an editor's own words, before it is kept: who would get it, and how it would look."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi

Json = dict[str, Any]
DIFFERS = {
    "number": "it names another number",
    "term": "it is about another term",
    "denial": "one says no and the other does not",
    "opposite": "a word of it excludes a word of yours",
    "wanted": "it wants to know something else",
    "narrower": "it is asked for fewer",
    "broader": "it is asked for more",
}


def draw(api: AdminApi, site: str, item: Json, questions: list[str]) -> None:
    """The answer as visitors would see it, and how likely each question would get it."""
    body = {"phrasings": item["phrasings"], "text": item["text"], "questions": questions, "site": site}
    found = api.post("answers", "try", body=body)
    st.caption("As visitors would see it")
    with st.container(border=True):
        if found["html"]:
            st.html(found["html"])
        else:
            st.caption("Nothing yet.")
    if found["questions"]:
        st.caption(
            "Who would get it: ✓ from 86 % likely the same question. ≈ from 92 % likely to serve who asks: "
            "shown as the answer to a similar question, where the pages have no sure one. That is told of "
            "all the ways to ask and of the answer, so say the fact itself, and not only where it stands."
        )
    for one in found["questions"]:
        st.markdown(_told(one))


def _told(one: Json) -> str:
    """`✓ 93 % · how much is a permit`, `≈` where it is only similar, or why not."""
    sign = "✓" if one["matched"] else "≈" if one["similar"] else "✕"
    differs = one["differs"]
    why = f" ({wording.literal(DIFFERS.get(differs) or differs)})" if differs else ""
    return f"{sign} **{one['likelihood']:.0%}** · {wording.literal(one['question'])}{why}"
