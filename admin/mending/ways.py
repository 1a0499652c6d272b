"""The four ways to mend an answer, a form each. What it asks for is filled in from the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi
from admin.curation.parts import key_words
from admin.mending import answer, right_words
from admin.mending.change import Change, distinct
from admin.traces import passages

Json = dict[str, Any]
MOST_PASSAGES, MOST_PAGES, SNIPPET = 10, 10, 160
PASSAGE_HEIGHT = 260


def _passage(api: AdminApi, trace: Json, asked: Json) -> Change:
    """Which passage is right; its page put first, a golden question, or both."""
    row = _choose(api, trace, asked)
    if row is None:
        return Change(missing="Choose the passage that answers the question.")
    with st.container(border=True, height=PASSAGE_HEIGHT):
        st.markdown(wording.link(_named(row), row["url"]))
        st.text(row["text"])
    first = st.checkbox("Put this page first for questions with these words", value=True)
    phrase = st.text_input(
        "Words, in any order",
        key_words(asked["question"]),
        disabled=not first,
        help="A question that has all of these words gets this page first. Fewer words reach more questions.",
    )
    golden = st.checkbox("Keep it as a golden question, to be asked after every change", value=True)
    words = right_words.ask(row["text"], f"right-{row['chunk_id']}") if golden else ()
    item = {"kind": "pin", "page": row["url"], "phrase": phrase.strip() or None, "topic": None, "why": ""}
    missing = ""
    if first and not phrase.strip():
        missing = "Say for questions with which words the page comes first."
    elif golden and not words:
        missing = (
            "Say which words a right answer must have: the page alone would call any answer from it right."
        )
    elif not (first or golden):
        missing = "Choose one of the two, or both."
    return Change("favours" if first else "", item if first else {}, (row["url"],), words, golden, missing)


def _choose(api: AdminApi, trace: Json, asked: Json) -> Json | None:
    """One of the passages that were found, or of those for other words."""
    other = st.text_input("Look for other words", placeholder="as the page might put it").strip()
    if other:
        tables = api.slowly("passages", site=asked["site"], text=other)["tables"]
    else:
        tables = api.get("traces", trace["trace_id"], "passages")["tables"]
    rows = distinct(tables, MOST_PASSAGES)
    if not rows:
        st.info("No passage was found. Look for other words, as the page might put it.")
        return None
    place = st.radio(
        "Which passage is right",
        range(len(rows)),
        index=None,
        format_func=lambda at: wording.literal(_named(rows[at])),
        captions=[_caption(row, with_fate=not other) for row in rows],
    )
    return None if place is None else rows[place]


def _named(row: Json) -> str:
    return f"{row['title']} · {row['heading']}" if row["heading"] else str(row["title"])


def _caption(row: Json, *, with_fate: bool) -> str:
    fate = f"{passages.fate(row)} · " if with_fate else ""
    return wording.literal(fate + wording.shortened(row["text"], SNIPPET))


def _leave_out(api: AdminApi, trace: Json, asked: Json) -> Change:
    """Which page no answer is made from any more, or the section that it is in."""
    cited = [(one["title"], one["url"]) for one in (trace["answer"] or {}).get("citations", ())]
    found = api.get("traces", trace["trace_id"], "passages")["tables"]
    pages = cited + [(row["title"], row["url"]) for row in distinct(found, 50)]
    titles = {url: title for title, url in reversed(pages)}
    urls = list(dict.fromkeys(url for _, url in pages))[:MOST_PAGES]
    if not urls:
        return Change(missing="No page was found for this question, so there is none to leave out.")
    url = st.radio(
        "Which page no answer is made from any more",
        urls,
        format_func=lambda one: wording.literal(titles[one]),
        captions=[wording.literal(one) for one in urls],
    )
    why = st.text_input("Why (for whoever comes after you)", placeholder="It tells of last year.")
    item = {"kind": "pages", "value": url, "why": why.strip()}
    return Change("leave_out", item)


def _wording(api: AdminApi, trace: Json, asked: Json) -> Change:
    """What visitors say, and what the pages write for it."""
    st.caption("The question is searched in the pages' words too, wherever visitors use theirs.")
    said = st.text_input("Visitors say", key_words(asked["question"]))
    means = st.text_input("The pages write", placeholder="residence hall")
    item = {"says": [said.strip()], "means": means.strip(), "why": ""}
    missing = "" if said.strip() and means.strip() else "Say both: the visitors' words and the pages'."
    return Change("wordings", item, missing=missing)


Way = Callable[[AdminApi, Json, Json], Change]
DRAW: Mapping[str, Way] = {
    "answer": answer.draw,
    "passage": _passage,
    "leave-out": _leave_out,
    "words": _wording,
}
