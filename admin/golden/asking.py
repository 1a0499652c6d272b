"""The button that asks all golden questions of a site, and the bar that says how far it is."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi, ApiError

KIND = "golden"
AT_WORK = ("waiting", "running")
EVERY_S = 1.0


def draw(api: AdminApi, site: str) -> None:
    """The button for editors, or the bar while a run is under way; and what went wrong with the last one."""
    job = next(iter(api.get("jobs", kind=KIND, about=site)["jobs"]), None)
    if job and job["state"] in AT_WORK:
        _bar(api, job["id"])
        return
    if session.may("editor") and st.button("Ask them all now", icon=":material/play_arrow:", type="primary"):
        try:
            api.post("golden", "run", body={"site": site})
        except ApiError as error:
            session.explain(error)
        else:
            st.rerun()
    if job and job["state"] == "failed":
        st.error(f"The last run came to no end: {wording.literal(job['says'])}", icon=":material/error:")
    if job and job["state"] == "cancelled":
        st.info("The last run was stopped before its end, and is not kept.")


@st.fragment(run_every=EVERY_S)
def _bar(api: AdminApi, job_id: str) -> None:
    """Looks again every second; at the end the whole page is drawn anew."""
    job = api.get("jobs", job_id)
    if job["state"] not in AT_WORK:
        st.rerun()
    st.progress(job["done"] / job["total"] if job["total"] else 0.0, text=progress(job))
    if session.may("editor") and st.button("Stop", icon=":material/stop:"):
        api.delete("jobs", job_id)
        st.rerun()


def progress(job: dict[str, Any]) -> str:
    """`Asking 3 of 14: How much is tuition?`"""
    if not job["total"]:
        return "Waiting for its turn"
    return (
        f"Asking {job['done'] + 1} of {job['total']}: {wording.literal(wording.shortened(job['says'], 80))}"
    )
