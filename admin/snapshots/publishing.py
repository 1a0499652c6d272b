"""Publishing unless it breaks golden questions, overriding that with a reason, and going back."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import job_progress as watching
from admin import session
from admin.client import AdminApi

Json = dict[str, Any]
NAME = "publishing"  # in the session: the snapshot that is being published


def draw_publishing(api: AdminApi, name: str) -> None:
    """The button that asks the golden questions, and publishes it unless it breaks one."""
    if st.button(
        "Publish it",
        key=f"publish-{name}",
        type="primary",
        icon=":material/publish:",
        help="Every golden question is asked over it first. If one that is answered rightly now is not any "
        "more, nothing is published.",
    ):
        _start(api, name, None)


def draw_going_back(api: AdminApi, name: str) -> None:
    """Two steps: visitors notice it at once."""
    asked = f"back-{name}"
    if not st.session_state.get(asked):
        if st.button("Go back to it", key=f"go-{asked}", icon=":material/undo:"):
            st.session_state[asked] = True
            st.rerun()
        return
    st.warning(
        "Visitors will be answered from this snapshot within seconds, also about what has changed since. "
        "No golden question is asked first."
    )
    with st.container(horizontal=True):
        if st.button("Yes, go back now", key=f"yes-{asked}", type="primary"):
            del st.session_state[asked]
            api.post("snapshots", "rollback", body={"name": name})
            st.toast("Done. Visitors notice it within seconds.", icon=":material/undo:")
            st.rerun()
        if st.button("No", key=f"no-{asked}"):
            del st.session_state[asked]
            st.rerun()


def draw_outcome(api: AdminApi) -> None:
    """How far the publishing is that is under way, or what came of it."""
    job = watching.newest(api, "publish")
    if job is None:
        return
    if watching.is_open(job):
        st.write(
            "The golden questions are being asked over the new snapshot. Visitors are answered as before."
        )
        watching.progress(api, job)
    elif job["state"] == "done":
        _published(job["result"])
        watching.forget("publish")
    elif job["result"]:
        _blocked(api, job)
    else:
        watching.ended(api, job)
        watching.forget("publish")


def _published(found: Json) -> None:
    st.success(wording.literal(f"{found['name']} is live. {found['says']}"), icon=":material/check:")
    if found["still_wrong"]:
        with st.expander("Golden questions that were wrong before, and are still"):
            _table(found["still_wrong"])


def _table(failed: list[Json]) -> None:
    st.table(
        {
            "Golden question": [one["question"] for one in failed],
            "What is wrong": [one["failure"] for one in failed],
            "Site": [one["site"] for one in failed],
        }
    )


def _blocked(api: AdminApi, job: Json) -> None:
    """Which golden questions failed; a developer may publish all the same, and says why."""
    failed = job["result"]["failed"]
    with st.container(border=True):
        st.error(
            f"Not published. Golden questions that are answered rightly now, and not over it: {len(failed)}. "
            "Visitors are answered as before.",
            icon=":material/block:",
        )
        _table(failed)
        name = st.session_state.get(NAME)
        if session.may("developer") and name:
            with st.form("override", border=False):
                reason = st.text_input("Why it should be published all the same (the log keeps it)")
                sent = st.form_submit_button("Publish all the same", icon=":material/warning:")
            if sent and not reason.strip():
                st.error("Say why, in a sentence.")
            elif sent:
                _start(api, name, reason.strip())
        if st.button("Leave it unpublished"):
            watching.forget("publish")
            st.rerun()


def _start(api: AdminApi, name: str, override: str | None) -> None:
    with session.told():
        job = api.post("snapshots", name, "publish", body={"override": override})
        st.session_state[NAME] = name
        watching.remember("publish", job)
        st.rerun()
