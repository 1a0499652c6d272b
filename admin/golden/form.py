"""The form of a golden question: to write one, to change one, to remove it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import session, widgets
from admin.client import AdminApi

EMPTY: dict[str, Any] = {
    "question": "",
    "pages": [],
    "answers": [],
    "refuse": False,
    "topic": None,
    "from_trace": None,
}


def draw(api: AdminApi, golden: dict[str, Any] | None, site: str) -> None:
    """Filled in with the question, or empty for a new one of a site."""
    given = _form(golden or {**EMPTY, "site": site})
    if given is None:
        return
    with session.told():
        kept = api.put("golden", golden["id"], body=given) if golden else api.post("golden", body=given)
        st.session_state["golden-kept"] = kept["id"]
        widgets.go_to({"id": kept["id"]})


def lines(text: str) -> list[str]:
    """What stands on each line of a field."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def _form(was: dict[str, Any]) -> dict[str, Any] | None:
    """What was given, as the admin API takes it, or None."""
    with st.form("golden"):
        question = st.text_area("Question", was["question"], height="content")
        pages = st.text_area(
            "Pages that may answer it, one on each line; the answer has to cite one of them",
            "\n".join(was["pages"]),
            placeholder="https://",
        )
        answers = st.text_area(
            "Words of which the answer must hold one, one on each line; empty: any will do",
            "\n".join(was["answers"]),
            placeholder="March 1",
        )
        refuse = st.checkbox("It must not be answered, because the site does not say", was["refuse"])
        topic = st.text_input("Topic", was["topic"] or "")
        if not st.form_submit_button("Keep", type="primary"):
            return None
    return {
        "question": question.strip(),
        "pages": lines(pages),
        "answers": lines(answers),
        "refuse": refuse,
        "topic": topic.strip() or None,
        "site": was["site"],
        "from_trace": was["from_trace"],
    }


def draw_removal(api: AdminApi, golden: dict[str, Any]) -> None:
    """Asks once more before it is removed."""
    with st.popover("Remove", icon=":material/delete:"):
        st.write("It will not be asked any more. The runs it was in keep what became of it.")
        if st.button("Remove this golden question"):
            with session.told():
                api.delete("golden", golden["id"])
                st.switch_page("golden/golden.py", query_params={"site": golden["site"]})
