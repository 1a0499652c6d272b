"""An answer in an editor's own words: how else one might ask, who would get it, and how it would look."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi
from admin.mending.change import Change

Json = dict[str, Any]
SAME = 0.75  # a cosine from which a past question is offered as another way to ask
DIFFERS = {
    "number": "it names another number",
    "term": "it is about another term",
    "denial": "one says no and the other does not",
    "opposite": "a word of it excludes a word of yours",
    "wanted": "it wants to know something else",
    "narrower": "it is asked for fewer",
    "broader": "it is asked for more",
}


def draw(api: AdminApi, trace: Json, asked: Json) -> Change:
    """The form, filled in; beside it what visitors would see, and which questions would get it."""
    form, seen = st.columns(2)
    alike = [one["question"] for one in asked["alike"]]
    near = [one["question"] for one in asked["alike"] if one["cosine"] >= SAME]
    with form:
        phrasings = st.text_area(
            "How one might ask it (one way on each line)",
            "\n".join((asked["question"], *near)),
            height=110,
            help="A full question, and the few words that people type into a box. What says less than the "
            "answer is asked by people who want something else.",
        )
        text = st.text_area("The answer", height=140, help="**bold**, lists and [words](address) are read.")
        title = st.text_input("A page that says more", placeholder="https://")
        topic = st.text_input("Only for questions about this topic (may stay empty)", asked["topic"] or "")
        others = st.text_area(
            "How else might one ask? (tried, not kept)", "\n".join(alike), height=90, key="other-ways"
        )
    item = {
        "phrasings": wording.lines(phrasings),
        "text": text.strip(),
        "links": [{"label": title.strip(), "url": title.strip()}] if title.strip() else [],
        "topic": topic.strip() or None,
        "valid_from": None,
        "valid_until": None,
    }
    with seen:
        preview(api, asked["site"], item, wording.lines(others))
    missing = "" if item["phrasings"] and item["text"] else "Write how one might ask, and the answer."
    return Change("curated", item, missing=missing)


def preview(api: AdminApi, site: str, item: Json, questions: list[str]) -> None:
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
            "Who would get it: ✓ from 86 % likely the same question. From 35 % (≈) it is shown as the answer "
            "to a similar question, where the pages have no sure one."
        )
    for one in found["questions"]:
        st.markdown(_told(one))


def _told(one: Json) -> str:
    """`✓ 93 % · how much is a permit`, `≈` where it is only similar, or why not."""
    sign = "✓" if one["matched"] else "≈" if one["similar"] else "✕"
    differs = one["differs"]
    why = f" ({wording.literal(DIFFERS.get(differs) or differs)})" if differs else ""
    return f"{sign} **{one['likelihood']:.0%}** · {wording.literal(one['question'])}{why}"
