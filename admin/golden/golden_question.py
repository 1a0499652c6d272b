"""One golden question: what became of it, and the form to change it; or the form for a new one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.golden import states

EMPTY = {"question": "", "pages": [], "answers": [], "refuse": False, "topic": None, "from_trace": None}
EMPTY |= {"known_gap": "", "source": ""}


def show(api: AdminApi) -> None:
    """The question that `?id=` names, or a new one of the site that `?site=` names."""
    golden_id = st.query_params.get("id", "")
    st.title("Golden question" if golden_id else "New golden question")
    golden = api.get("golden", golden_id) if golden_id else None
    site = golden["site"] if golden else st.query_params.get("site", "main")
    back, query = ":material/arrow_back:", {"site": site}
    st.page_link("golden/golden.py", label="All golden questions", icon=back, query_params=query)
    if golden:
        _overview(golden)
        _history(api.get("golden", golden_id, "history")["history"])
    if session.may("editor"):
        st.header("What is right" if golden else f"Of the site {wording.literal(site)}")
        _edit(api, golden, site)
        if golden:
            _removal(api, golden)
    elif not golden:
        st.info("An editor can write golden questions.")


def _overview(golden: dict[str, Any]) -> None:
    if st.session_state.pop("golden-kept", None) == golden["id"]:
        st.success("Kept.", icon=":material/check:")
    with st.container(border=True):
        st.text(golden["question"])
        st.markdown(f"**{wording.literal(states.told(golden))}**")
        for line in known(golden):
            st.markdown(line)
    if golden["source"] == "visitors":
        st.caption("Sampled from what visitors asked.")
    widgets.link_trace(golden["from_trace"], "The trace it was made of", ":material/route:")


def known(golden: dict[str, Any]) -> list[str]:
    """What is known of the right answer, a line of Markdown each."""
    if golden["refuse"]:
        return ["It must not be answered: the site does not say."]
    lines = []
    if golden["pages"]:
        links = ", ".join(wording.link(url, url) for url in golden["pages"])
        lines.append(f"Has to cite {'one of ' if len(golden['pages']) > 1 else ''}{links}")
    if golden["answers"]:
        words = " or ".join(f"“{wording.literal(one)}”" for one in golden["answers"])
        lines.append(f"Has to say {words}")
    return lines or ["Any answer will do, as long as there is one."]


def _history(history: list[dict[str, Any]]) -> None:
    """The last answer, then all runs, newest first."""
    st.header("History")
    if not history:
        st.info("It has not been asked yet. Ask all golden questions on their page.")
        return
    last = history[0]
    with st.container(border=True):
        st.caption("The last answer")
        st.text(last["answer"])
        for url in last["cited"]:
            st.markdown(wording.link(url, url))
    signs = states.strip(history)
    st.markdown(f"Oldest to newest: {signs}")
    st.dataframe(
        pd.DataFrame(_runs_table(history, st.context.timezone)),
        hide_index=True,
        column_config={"Answer": st.column_config.TextColumn(width="large")},
        alt=f"Every run, newest first. From oldest to newest it was {signs}",
    )


def _runs_table(history: list[dict[str, Any]], zone: str | None) -> dict[str, list[str]]:
    """As columns with headings."""
    return {
        "When": [wording.moment(row["at"], zone) for row in history],
        "Outcome": [states.outcome(row["failure"]) for row in history],
        "Answer": [row["answer"] for row in history],
        "Cited": [", ".join(row["cited"]) for row in history],
        "Why it was asked": [states.occasion(row["occasion"]) for row in history],
        "By": [row["by"] for row in history],
        "Strategy": [row["strategy"] for row in history],
        "Snapshot": [row["snapshot"] for row in history],
    }


def _edit(api: AdminApi, golden: dict[str, Any] | None, site: str) -> None:
    """Filled in with the question, or empty for a new one of a site."""
    given = _form(golden or EMPTY | {"site": site})
    if given is None:
        return
    with session.told():
        kept = api.put("golden", golden["id"], body=given) if golden else api.post("golden", body=given)
        st.session_state["golden-kept"] = kept["id"]
        widgets.go_to({"id": kept["id"]})


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
        known_gap = st.text_input(
            "Known gap: why it is not answered rightly yet",
            was["known_gap"],
            max_chars=500,
            help="With a reason it is asked like the others, and holds back no snapshot and no draft.",
        )
        if not st.form_submit_button("Keep", type="primary"):
            return None
    return {
        "question": question.strip(),
        "pages": wording.lines(pages),
        "answers": wording.lines(answers),
        "refuse": refuse,
        "topic": topic.strip() or None,
        "site": was["site"],
        "from_trace": was["from_trace"],
        "known_gap": known_gap.strip(),
        "source": was["source"],
    }


def _removal(api: AdminApi, golden: dict[str, Any]) -> None:
    """Asks once more before it is removed."""
    with st.popover("Remove", icon=":material/delete:"):
        st.write("It will not be asked any more. The runs it was in keep what became of it.")
        if st.button("Remove this golden question"):
            with session.told():
                api.delete("golden", golden["id"])
                st.switch_page("golden/golden.py", query_params={"site": golden["site"]})


show(session.api())
