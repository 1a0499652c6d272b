"""Feedback: what visitors wrote about answers, as a queue to be worked through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi
from admin.conversations.search import day
from admin.coverage import asked

PAGE_ROWS = 10
CHARS = 600
STATES: Mapping[str, str] = {
    "new": "New",
    "in_work": "In work",
    "done": "Done",
    "dismissed": "Dismissed",
}
RATINGS: Mapping[str, str] = {"false": "not helpful", "true": "helpful"}
NAMES = ("state", "helpful", "since", "until", "site")


def show(api: AdminApi) -> None:
    """One page of the queue; the address says which, and what is looked for. New feedback comes first."""
    st.title("Feedback")
    wanted = {name: value for name in NAMES if (value := st.query_params.get(name, "").strip())}
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
    _turn_pages(before, page["next"], wanted)


def _nothing(wanted: Mapping[str, str], states: Mapping[str, int]) -> str:
    if not any(states.values()):
        return "No visitor has said why an answer was good or bad yet. It appears here at once."
    return "No new feedback." if wanted == {"state": "new"} else "No feedback is like that."


def _filter(api: AdminApi, wanted: Mapping[str, str]) -> None:
    sites = api.get("conversations", "choices")["sites"]
    with st.form("filter"):
        state, rating, first, last, site, go = st.columns((3, 3, 3, 3, 3, 2), vertical_alignment="bottom")
        states = ["any", *STATES]
        found = {
            "state": state.selectbox(
                "State",
                states,
                index=states.index(wanted["state"]),
                format_func=lambda one: STATES.get(one, one),
            ),
            "helpful": _rating(rating, wanted.get("helpful", "")),
        }
        since = first.date_input("From", value=day(wanted.get("since")))
        until = last.date_input("Until", value=day(wanted.get("until")))
        found["since"] = since.isoformat() if since else ""
        found["until"] = until.isoformat() if until else ""
        found["site"] = asked.pick(site, "Site", sites, wanted.get("site"))
        if go.form_submit_button("Show", width="stretch"):
            st.query_params.from_dict({name: value for name, value in found.items() if value})
            st.rerun()


def _rating(cell: Any, now: str) -> str:
    options = ["", *RATINGS]
    one: str = cell.selectbox(
        "Rating",
        options,
        index=options.index(now) if now in options else 0,
        format_func=lambda name: RATINGS.get(name, asked.ANY),
    )
    return one


def _one(api: AdminApi, given: dict[str, Any]) -> None:
    with st.container(border=True):
        with st.container(horizontal=True):
            if given["helpful"]:
                st.badge("Helpful", color="green", icon=":material/thumb_up:")
            else:
                st.badge("Not helpful", color="red", icon=":material/thumb_down:")
            if given["reason"]:
                st.badge(given["reason"].replace("_", " "), color="gray")
            st.badge(STATES[given["state"]], color="blue")
        at = wording.moment(given["given_at"], st.context.timezone)
        st.caption(wording.literal(" · ".join(part for part in (at, given["site"], given["topic"]) if part)))
        if given["comment"]:
            st.text(f"“{given['comment']}”")
        question, answer = st.columns(2)
        question.caption("Question")
        question.text(given["question"])
        answer.caption("Answer")
        answer.text(wording.shortened(given["answer"], CHARS))
        with st.container(horizontal=True):
            conversation = {"id": given["conversation_id"]}
            st.page_link("conversations/conversation.py", label="The conversation", query_params=conversation)
            if given["trace_id"]:
                trace = {"id": given["trace_id"]}
                st.page_link("traces/trace.py", label="How the answer came about", query_params=trace)
        _handled(given)
        if st.session_state["role"] in ("editor", "developer"):
            _handle(api, given)


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
        states = list(STATES)
        to = state.selectbox(
            "State", states, index=states.index(given["state"]), format_func=STATES.__getitem__
        )
        words = note.text_input("Note", value=given["note"], max_chars=2000)
        if save.form_submit_button("Save", width="stretch"):
            api.put("feedback", own, body={"state": to, "note": words})
            st.rerun()


def _turn_pages(before: str | None, following: str | None, wanted: Mapping[str, str]) -> None:
    with st.container(horizontal=True):
        if before:
            st.page_link(
                "conversations/feedback.py", label="Newest", icon=":material/first_page:", query_params=wanted
            )
        if following:
            older = {**wanted, "before": following}
            st.page_link(
                "conversations/feedback.py",
                label="Older",
                icon=":material/chevron_right:",
                query_params=older,
            )


show(session.api())
