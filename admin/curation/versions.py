"""Publishing a draft, what was published before, and the step back."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi, ConflictError
from admin.curation.parts import changes
from admin.gaps import met

PUBLISHED = "published-site"  # in the session: what was published in it last is told further
_SIGNS = {"added": "+ added", "changed": "~ changed", "removed": "− removed"}


def draw_changes(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A line for each thing that is otherwise."""
    lines = [f"- **{_SIGNS[word]}** {wording.literal(about)}" for word, about in changes(before, after)]
    st.markdown("\n".join(lines) or "Nothing is otherwise.")


def draw_publishing(api: AdminApi, site: str) -> None:
    """The word for the history, and the button."""
    key = f"broken-{site}"
    with st.form(f"publish-{site}", border=False):
        note = st.text_input("A word on it, for the history (may stay empty)")
        override = ""
        if st.session_state.get(key) and session.may("developer"):
            override = st.text_input("Why it should be published although golden questions break")
        sent = st.form_submit_button("Publish to visitors now", type="primary", icon=":material/publish:")
    if sent:
        try:
            api.post("rules", site, "publish", body={"note": note, "override": override})
        except ConflictError as error:
            st.session_state[key] = str(error)
            st.rerun()
        st.session_state.pop(key, None)
        st.session_state.pop(f"preview-{site}", None)
        st.session_state[PUBLISHED] = site
        met.forget(site)
        st.toast("Published. Visitors get it within seconds.", icon=":material/check:")
        st.rerun()
    if said := st.session_state.get(key):
        st.error(wording.literal(said))
        if not session.may("developer"):
            st.caption("Change the draft, or ask a developer to publish it with a reason.")


def draw_history(api: AdminApi, site: str, *, may_write: bool) -> None:
    """What was published, newest first; the last of it can be undone."""
    versions = api.get("rules", site, "history")["versions"]
    if not versions:
        st.caption("Nothing was published yet.")
        return
    if may_write and st.button(
        "Go back to what held before the last change", icon=":material/undo:", key=f"back-{site}"
    ):
        api.post("rules", site, "back")
        st.toast("Undone. Visitors get it within seconds.", icon=":material/undo:")
        st.rerun()
    for version in versions:
        at = wording.moment(version["at"], st.context.timezone)
        note = f": {version['note']}" if version["note"] else ""
        with st.expander(wording.literal(f"{at} · {version['by']}{note}")):
            draw_changes(version["before"], version["document"])
