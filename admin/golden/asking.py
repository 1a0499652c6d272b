"""The button that asks all golden questions of a site, and the bar that says how far it is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import job_progress as watching
from admin import session
from admin.client import AdminApi

KIND = "golden"


def draw(api: AdminApi, site: str) -> None:
    """The button for editors, or the bar while a run is under way; and what went wrong with the last one."""
    job = next(iter(api.get("jobs", kind=KIND, about=site)["jobs"]), None)
    if watching.is_open(job):
        watching.bar(api, job["id"], progress)
        return
    if session.may("editor") and st.button("Ask them all now", icon=":material/play_arrow:", type="primary"):
        with session.told():
            api.post("golden", "run", body={"site": site})
            st.rerun()
    if job and job["state"] == "failed":
        st.error(f"The last run came to no end: {wording.literal(job['says'])}", icon=":material/error:")
    if job and job["state"] == "cancelled":
        st.info("The last run was stopped before its end, and is not kept.")
    if job and job["state"] == "lost":
        st.warning("The server was stopped during the last run, which is not kept. Ask them again.")


def progress(job: dict[str, Any]) -> str:
    """`Asking 3 of 14: How much is tuition?`"""
    if not job["total"]:
        return "Waiting for its turn"
    return (
        f"Asking {job['done'] + 1} of {job['total']}: {wording.literal(wording.shortened(job['says'], 80))}"
    )
