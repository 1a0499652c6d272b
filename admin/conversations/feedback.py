"""Feedback: thumbs down, and what visitors wrote about answers, as a queue to be worked through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import mend_links as mending
from admin import session, widgets
from admin.client import AdminApi

PAGE_ROWS = 10
CHARS = 600
STATES = {"new": "New", "in_work": "In work", "done": "Done", "dismissed": "Dismissed"}
RATINGS = {"false": "not helpful", "true": "helpful"}
NAMES = ("state", "helpful", "since", "until", "site")


def show(api: AdminApi) -> None:
    """One page of the queue; the address says which, and what is looked for. New feedback comes first."""
    st.title("Feedback")
    wanted = wording.in_address(st.query_params, NAMES)
    if wanted.get("state") not in STATES and wanted.get("state") != "any":
        wanted["state"] = "new"
    before = st.query_params.get("before")
    asked_for = {name: value for name, value in wanted.items() if value != "any"}
    page = api.get("feedback", limit=PAGE_ROWS, before=before, **asked_for)
    st.caption(" · ".join(f"{words}: {page['states'][state]:,}" for state, words in STATES.items()))
    _filter(api, wanted)
    if not page["feedback"]:
        st.info(_nothing(wanted, page["states"]))
    for given in page["feedback"]:
        _one(api, given)
    older = {**wanted, "before": page["next"]}
    links = {"Newest": wanted if before else None, "Older": older if page["next"] else None}
    widgets.turn_pages("conversations/feedback.py", links)


def _nothing(wanted: Mapping[str, str], states: Mapping[str, int]) -> str:
    if not any(states.values()):
        return (
            "No visitor has found an answer unhelpful yet, or said why one was good. It appears here at once."
        )
    return "No new feedback." if wanted == {"state": "new"} else "No feedback is like that."


def _filter(api: AdminApi, wanted: Mapping[str, str]) -> None:
    sites = api.get("conversations", "choices")["sites"]
    with st.form("filter"):
        state, rating, first, last, site, go = st.columns((3, 3, 3, 3, 3, 2), vertical_alignment="bottom")
        found = {
            "state": widgets.pick(state, "State", {"any": widgets.ANY, **STATES}, wanted["state"]),
            "helpful": widgets.pick(rating, "Rating", {"": widgets.ANY, **RATINGS}, wanted.get("helpful")),
            **widgets.pick_days(first, last, wanted),
            "site": widgets.pick_any(site, "Site", sites, wanted.get("site")),
        }
        if go.form_submit_button("Show", width="stretch"):
            widgets.go_to(found)


def _one(api: AdminApi, given: dict[str, Any]) -> None:
    with st.container(border=True):
        with st.container(horizontal=True):
            widgets.rated(given["helpful"], "Helpful", "Not helpful")
            if given["reason"]:
                st.badge(given["reason"].replace("_", " "), color="gray")
            st.badge(STATES[given["state"]], color="blue")
        at = wording.moment(given["given_at"], st.context.timezone)
        st.caption(wording.literal(" · ".join(part for part in (at, given["site"], given["topic"]) if part)))
        if given["comment"]:
            st.text(f"“{given['comment']}”")
        question, answer = st.columns(2)
        with question:
            st.caption("As asked")
            widgets.as_asked(given["asked"], given["question"])
        answer.caption("Answer")
        answer.text(wording.shortened(given["answer"], CHARS))
        with st.container(horizontal=True):
            widgets.link_conversation(given["conversation_id"], "The conversation")
            widgets.link_trace(given["trace_id"], "How the answer came about")
        mending.draw(given["trace_id"], feedback=given["message_id"])
        _handled(given)
        if session.may("editor"):
            _handle(api, given)
        else:
            st.caption("To mend it, or to note what becomes of it, takes an editor.")


def _handled(given: dict[str, Any]) -> None:
    if given["handled_by"]:
        at = wording.moment(given["handled_at"], st.context.timezone)
        st.caption(wording.literal(f"{STATES[given['state']]}: {given['handled_by']}, {at}"))
    if given["note"]:
        st.text(given["note"])


def _handle(api: AdminApi, given: dict[str, Any]) -> None:
    own = given["message_id"]
    with st.form(f"handle-{own}", border=False):
        state, note, save = st.columns((2, 5, 2), vertical_alignment="bottom")
        to = widgets.pick(state, "State", STATES, given["state"])
        words = note.text_input("Note", value=given["note"], max_chars=2000)
        if save.form_submit_button("Save", width="stretch"):
            api.put("feedback", own, body={"state": to, "note": words})
            st.rerun()


show(session.api())
