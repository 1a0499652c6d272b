"""One gap: how often and since when, its questions, what came nearest, whom it concerns, what to do."""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import mend_links as mending
from admin import plots, session, widgets
from admin.client import AdminApi
from admin.gaps import gap_words, next_gap


def show(api: AdminApi) -> None:
    """The gap that `?id=` in the address names."""
    st.page_link("gaps/gaps.py", label="All missing answers", icon=":material/arrow_back:")
    st.title("Missing answer")
    gap_id = st.query_params.get("id")
    if not gap_id:
        st.info("Choose a question from the list.")
        return
    gap = api.get("gaps", gap_id)
    st.header(wording.literal(gap["question"]))
    _state(gap)
    _again(gap)
    if gap["state"] in gap_words.CLOSED:
        next_gap.link(api, gap["id"])
    traced = next((one["trace_id"] for one in gap["samples"] if one["trace_id"]), None)
    mending.draw(traced, gap=str(gap["id"]))
    if session.may("editor"):
        _actions(api, gap)
    else:
        st.caption("To mend it, or to mark it, takes an editor.")
    _samples(api, gap)
    st.page_link(
        "conversations/conversations.py",
        label="Look for conversations with the same words",
        icon=":material/search:",
        query_params={"text": gap["question"]},
    )
    _around(gap)
    _trend(gap)


def _state(gap: dict[str, Any]) -> None:
    facts = [
        f"Asked {wording.counted(gap['questions'], 'time')}",
        gap_words.counts(gap["kinds"]),
        f"from {gap['first_day']} to {gap['last_day']}",
        f"site {gap['site']}",
    ]
    st.caption(wording.literal(" · ".join(facts)))
    st.markdown(f"State: **{gap_words.OF_ONE[gap['state']]}**")
    if gap["changed_by"]:
        at = wording.moment(gap["changed_at"], st.context.timezone)
        st.caption(wording.literal(f"By {gap['changed_by']}, {at}"))
    if gap["note"]:
        st.text(gap["note"])
    if gap["state"] == "mended":
        st.info("It is asked again once a newer snapshot is live, when somebody opens the list.")


def _again(gap: dict[str, Any]) -> None:
    answer = gap["again"]
    if not answer:
        return
    at = wording.moment(gap["again_at"], st.context.timezone)
    with st.container(border=True):
        st.markdown("**Asked again: " + ("still not answered**" if answer["refused"] else "answered now**"))
        st.caption(wording.literal(f"{at}, over the snapshot {answer['snapshot']}"))
        st.text(answer["answer"])
        for citation in answer.get("citations", ()):
            widgets.source(citation)


def _actions(api: AdminApi, gap: dict[str, Any]) -> None:
    with st.container(border=True):
        note = st.text_input(
            "Note", value="", placeholder="What was done, or why it is ignored", max_chars=2000
        )
        with st.container(horizontal=True):
            _ask_again(api, gap)
            if gap["state"] != "mended" and st.button("Mark as mended", icon=":material/build:"):
                _change(api, gap, "mended", note)
            why = "Takes a note that says why"
            if gap["state"] != "ignored" and st.button("Ignore", icon=":material/visibility_off:", help=why):
                _change(api, gap, "ignored", note)
            if gap["state"] in gap_words.CLOSED and st.button("Open again", icon=":material/undo:"):
                _change(api, gap, "reopened", note)


def _ask_again(api: AdminApi, gap: dict[str, Any]) -> None:
    """First of all: much that was not answered then is answered now."""
    told = "What visitors are told today; read whether it is right. Only the question above is asked."
    if st.button("Ask again now", icon=":material/replay:", help=told, type="primary"):
        with st.spinner("Asking…"):
            api.post("gaps", gap["id"], "ask")
        st.rerun()


def _change(api: AdminApi, gap: dict[str, Any], state: str, note: str) -> None:
    if state == "ignored" and not note.strip():
        st.error("Say in the note why it is ignored.")
        return
    api.put("gaps", gap["id"], body={"state": state, "note": note})
    st.rerun()


def _samples(api: AdminApi, gap: dict[str, Any]) -> None:
    """The commonest wordings; one that asks something else can be set apart."""
    st.header("As visitors asked it")
    for sample in gap["samples"]:
        with st.container(border=True):
            widgets.as_asked(sample["asked"], sample["question"])
            times = f"{sample['times']:,} times in these words, " if sample["times"] > 1 else ""
            st.caption(f"{times}last on {sample['day']}: {gap_words.COUNTED[sample['kind']]}")
            with st.container(horizontal=True):
                widgets.link_conversation(sample["conversation_id"], "The conversation")
                widgets.link_trace(sample["trace_id"], "Why it went so")
                if sample["question"] != gap["question"]:
                    mending.one(sample["trace_id"], "Mend this one", gap=str(gap["id"]))
                    _apart(api, gap, sample["trace_id"])


def _apart(api: AdminApi, gap: dict[str, Any], trace_id: str | None) -> None:
    """It and what is nearer to it than to the heading get a page of their own."""
    if not (trace_id and session.may("editor")):
        return
    told = "It and the questions like it become a missing answer of their own, to be mended apart."
    if st.button("It asks something else", icon=":material/call_split:", key=f"apart-{trace_id}", help=told):
        with session.told():
            new = api.post("gaps", gap["id"], "apart", body={"trace_id": trace_id})
            st.query_params["id"] = str(new["id"])
            st.rerun()


def _around(gap: dict[str, Any]) -> None:
    pages, office = st.columns(2)
    with pages:
        st.header("Pages that came nearest")
        for page in gap["closest_pages"]:
            st.markdown(f"- {wording.link(page['title'] or page['url'], page['url'])}")
        if not gap["closest_pages"]:
            st.caption("None.")
    with office:
        st.header("Whose topic it is")
        st.caption(
            wording.literal(gap["topic"] or "No topic was recognised; these are the site's own contacts.")
        )
        for contact in gap["contacts"]:
            st.markdown(f"- {widgets.contact_line(contact)}")
        if not gap["contacts"]:
            st.caption("The table of sites names no contact for it.")


def _trend(gap: dict[str, Any]) -> None:
    weeks = [{**week, "week": date.fromisoformat(week["week"])} for week in gap["weeks"]]
    told = gap_words.trend(gap["weeks"]) + "."
    plots.bars("How often, by week", told, plots.table(weeks, {"week": "Week", "questions": "Questions"}))


show(session.api())
