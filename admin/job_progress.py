"""A job as one waits for it: how far it is, a button that ends it, and what came of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi, ApiError

Json = dict[str, Any]
EVERY_S = 1.0  # so often it is looked at
OPEN = ("waiting", "running")


def newest(api: AdminApi, kind: str) -> Json | None:
    """The job of a kind that this session waits for, else the one that is at work, whoever began it."""
    job_id = st.session_state.get(f"job-{kind}")
    if job_id is None:
        job_id = next((job["id"] for job in api.get("jobs", kind=kind)["jobs"] if job["state"] in OPEN), None)
    try:
        return api.get("jobs", job_id) if job_id else None
    except ApiError:  # a restart of the server forgets its jobs
        forget(kind)
        return None


def remember(kind: str, job: Json) -> None:
    """This session waits for it."""
    st.session_state[f"job-{kind}"] = job["id"]


def forget(kind: str) -> None:
    """It has been seen."""
    st.session_state.pop(f"job-{kind}", None)


def is_open(job: Json | None) -> bool:
    """Whether it is still waiting or running."""
    return job is not None and job["state"] in OPEN


def progress(api: AdminApi, job: Json, *, stop: str | None = "Stop") -> None:
    """How far an open job is, looked at again and again; the page is drawn anew at its end."""
    remember(job["kind"], job)
    _progress(api, job["id"], stop)


def ended(job: Json) -> None:
    """Why a job did not come to its end."""
    said = wording.literal(job["says"])
    if job["state"] == "cancelled":
        st.info(said or "It was stopped.", icon=":material/stop_circle:")
    elif job["state"] == "failed":
        st.error(said, icon=":material/error:")


@st.fragment(run_every=EVERY_S)
def _progress(api: AdminApi, job_id: str, stop: str | None) -> None:
    try:
        job = api.get("jobs", job_id)
    except ApiError:
        st.rerun()
    if job["state"] not in OPEN:
        st.rerun()
    says = wording.literal(job["says"]) or "It begins …"
    if job["state"] == "waiting":
        says = "It waits until other work is done."
    count = f"{job['done']:,} of {job['total']:,} · " if job["total"] else ""
    st.progress(min(job["done"] / job["total"], 1.0) if job["total"] else 0.0, f"{count}{says}")
    if stop and st.session_state.get("role") != "viewer" and st.button(stop, key=f"stop-{job_id}"):
        api.delete("jobs", job_id)
        st.rerun()
