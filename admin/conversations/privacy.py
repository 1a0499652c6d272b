"""Under a conversation: export it for whoever asks what is kept of them, hold it, erase it."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi


def draw(api: AdminApi, conversation: dict[str, Any]) -> None:
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
    st.subheader("Privacy")
    st.download_button(
        "Export this conversation",
        data=partial(api.file, "conversations", conversation["id"], "export"),
        file_name="conversation.json",
        icon=":material/download:",
        on_click="ignore",
        help="All that is kept of it, for a visitor who asks for it. They know its number.",
    )
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
