"""One conversation, as its visitor saw it; under it what can be done with it: export, hold, erase."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import mend_links as mending
from admin import session, widgets
from admin.client import AdminApi

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
    _privacy(api, conversation)


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
    if narrow := answer.get("narrow"):
        labels = " · ".join(choice["label"] for choice in narrow["choices"])
        st.caption(wording.literal(f"Asked back. {narrow['lead']} {labels}"))
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
        elif message["answer"].get("tier") == "seems":
            st.badge("Shown as what seems to answer", color="gray", icon=":material/help:")
        if degraded := message["answer"]["degraded"]:
            load_shed = degraded == "busy"
            st.badge("Too many were asking" if load_shed else "Stood in for the language model", color="gray")
        facts = (message["answerer"], message["strategy"], f"{message['total_ms']:.0f} ms")
        st.caption(" · ".join(wording.literal(fact) for fact in facts if fact))
        widgets.link_trace(message["trace_id"], "See how this answer came about", ":material/route:")
    mending.draw(message["trace_id"])


def _privacy(api: AdminApi, conversation: dict[str, Any]) -> None:
    """What the person's role may do; everyone sees that a conversation is on hold."""
    hold = conversation["hold"]
    if hold:
        since = wording.moment(hold["at"], st.context.timezone)
        st.warning(
            wording.literal(f"On legal hold since {since}, by {hold['by']}: {hold['reason']}"),
            icon=":material/lock:",
        )
    if not session.may("editor"):
        return
    st.header("Privacy")
    file = partial(api.file, "conversations", conversation["id"], "export")
    note = "All that is kept of it, for a visitor who asks for it. They know its number."
    widgets.download("Export this conversation", file, "conversation.json", note)
    if session.may("developer"):
        _held(api, conversation["id"]) if hold else _free(api, conversation["id"])


def _held(api: AdminApi, conversation_id: str) -> None:
    st.caption("It stays until the hold ends, even where its visitor erases it or it grows old.")
    if st.button("End the hold", icon=":material/lock_open:"):
        api.delete("conversations", conversation_id, "hold")
        st.rerun()


def _free(api: AdminApi, conversation_id: str) -> None:
    with st.expander("Hold it for a legal reason", icon=":material/lock:"), st.form("hold"):
        reason = st.text_input("Reason", placeholder="Case 2026-14", max_chars=500)
        if st.form_submit_button("Hold") and reason.strip():
            api.put("conversations", conversation_id, "hold", body={"reason": reason})
            st.rerun()
    with st.expander("Erase it", icon=":material/delete:"), st.form("erase"):
        st.write("Questions, answers, traces and feedback are removed for good. The audit log notes that.")
        sure = st.checkbox("I am sure")
        if st.form_submit_button("Erase") and sure:
            api.delete("conversations", conversation_id)
            st.switch_page("conversations/conversations.py")


show(session.api())
