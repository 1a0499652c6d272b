"""One conversation, as its visitor saw it, with its sources; each answer leads to its trace."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.conversations import privacy as keeping

CAUTIONS = {
    "past_term": "Warned that a term is over in",
    "changed": "Warned that a page has changed since:",
    "older": "Warned that a page is much older than another:",
}


def show(api: AdminApi) -> None:
    """The conversation that `?id=` in the address names."""
    st.page_link("conversations/conversations.py", label="All conversations", icon=":material/arrow_back:")
    st.title("Conversation")
    conversation_id = st.query_params.get("id")
    if not conversation_id:
        st.info("Choose a conversation from the list.")
        return
    conversation = api.get("conversations", conversation_id)
    begun = wording.moment(conversation["started_at"], st.context.timezone)
    st.caption(f"Begun {begun} · site {wording.literal(conversation['site'])}")
    for message in conversation["messages"]:
        _message(message)
    keeping.draw(api, conversation)


def _message(message: dict[str, Any]) -> None:
    is_visitor = message["role"] == "user"
    name, avatar = ("Visitor", ":material/person:") if is_visitor else ("Lodge", ":material/door_front:")
    with st.chat_message(name, avatar=avatar):
        st.caption(f"{name}, {wording.moment(message['at'], st.context.timezone)}")
        for notice in (message["answer"] or {}).get("notices", ()):
            st.warning(wording.literal(notice))
        st.text(message["text"])
        if message["answer"]:
            _sources(message["answer"])
            _beside(message["answer"])
            _about(message)
        if message["feedback"]:
            _feedback(message["feedback"])


def _sources(answer: dict[str, Any]) -> None:
    for citation in answer["citations"]:
        heading = f" · {wording.literal(citation['heading'])}" if citation["heading"] else ""
        widgets.source(citation, heading)
        st.markdown(f"> {wording.literal(citation['quote'])}")
    if answer["closest_pages"]:
        links = (wording.link(page["title"], page["url"]) for page in answer["closest_pages"])
        st.markdown(f"Closest pages: {', '.join(links)}")


def _beside(answer: dict[str, Any]) -> None:
    """Whom to ask instead, how new the sources are, and what the visitor was warned of."""
    for contact in answer.get("contacts", ()):
        st.markdown(widgets.contact_line(contact))
    if answer.get("as_of"):
        st.caption(f"As of {wording.literal(answer['as_of'])}")
    for caution in answer.get("cautions", ()):
        st.caption(f"{CAUTIONS.get(caution['kind'], 'Warned of')} \\[{caution['n']}\\]")


def _feedback(given: dict[str, Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        said = ("The visitor found this helpful", "The visitor did not find this helpful")
        widgets.rated(given["helpful"], *said)
        st.caption(wording.literal(given["reason"].replace("_", " ")))
    if given["comment"]:
        st.text(given["comment"])


def _about(message: dict[str, Any]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if message["refused"]:
            widgets.refused(message["refusal_reason"])
        if degraded := message["answer"]["degraded"]:
            hurried = degraded == "busy"
            st.badge("Too many were asking" if hurried else "Stood in for the language model", color="gray")
        facts = (message["answerer"], message["strategy"], f"{message['total_ms']:.0f} ms")
        st.caption(" · ".join(wording.literal(fact) for fact in facts if fact))
        widgets.link_trace(message["trace_id"], "See how this answer came about", ":material/route:")


show(session.api())
