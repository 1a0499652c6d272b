"""From a trace to a golden question: its right page and the words of a right answer, or its refusal."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi
from admin.mending import right_words

Json = dict[str, Any]


def draw(api: AdminApi, trace: Json, page: str | None = None, text: str = "") -> None:
    """The golden questions that the trace has, and a button for one with this page or its own answer.

    `text` is what the page says, of which a right answer may have to hold some words.
    """
    said, offer = st.container(), st.empty()
    made = api.get("traces", trace["trace_id"], "golden")
    label, right_answer = offered(trace["answer"], page)
    is_new = not any(_is_same(golden, right_answer) for golden in made["golden"] if right_answer)
    if right_answer and is_new and session.may("editor"):
        with offer.container():
            words = _words(trace, page, text) if not right_answer.get("refuse") else ()
            pressed = st.button(label, icon=":material/verified:", type="primary" if page else "secondary")
            st.caption(f"It will ask: {wording.literal(made['question'])}")
        if pressed and not words and not right_answer.get("refuse"):
            st.error(right_words.LACKING)
        elif pressed:
            api.post("traces", trace["trace_id"], "golden", body=right_answer | {"answers": list(words)})
            made = api.get("traces", trace["trace_id"], "golden")
            offer.empty()
    with said:
        for golden in made["golden"]:
            _say_made(golden)


def _words(trace: Json, page: str | None, text: str) -> tuple[str, ...]:
    """Words of which a right answer must hold one; of an answer that is right, one of its own at first."""
    said = text if page else (trace["answer"] or {}).get("answer", "")
    return right_words.ask(said, f"right-{trace['trace_id']}-{page}", chosen=0 if page else 1)


def offered(answer: Json | None, page: str | None) -> tuple[str, Json | None]:
    """The words of the button, and the right answer that it keeps; None where there is nothing to offer."""
    if page:
        return "Make this a golden question", {"page": page}
    if not answer:
        return "", None
    if answer["refused"]:
        return "It is right not to answer: make it a golden question", {"refuse": True}
    pages = list(dict.fromkeys(citation["url"] for citation in answer["citations"]))
    return "The answer is right: make it a golden question", {"pages": pages} if pages else None


def _is_same(golden: Json, right_answer: Json) -> bool:
    if right_answer.get("refuse"):
        return bool(golden["refuse"])
    wanted = right_answer.get("pages") or [right_answer["page"]]
    return set(wanted) <= set(golden["pages"])


def _say_made(golden: Json) -> None:
    right = "it must not be answered" if golden["refuse"] else f"right page: {' or '.join(golden['pages'])}"
    st.success(f"This is a golden question; {wording.literal(right)}", icon=":material/verified:")
    st.page_link(
        "golden/golden_question.py",
        label=f"Golden question: {wording.literal(wording.shortened(golden['question'], 90))}",
        query_params={"id": golden["id"]},
    )
