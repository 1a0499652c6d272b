"""A job as one waits for it: how far it is, a button that ends it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi, ApiError

Json = dict[str, Any]
EVERY_S = 1.0  # so often it is looked at
OPEN = ("waiting", "running")


def newest(api: AdminApi, kind: str) -> Json | None:
    """The job of a kind that this session waits for, else the one that is at work, whoever began it.

    Where the latest was lost with its server, that is what there is to tell, until another has begun.
    """
    job_id = st.session_state.get(f"job-{kind}")
    if job_id is None:
        known = api.get("jobs", kind=kind)["jobs"]
        told = [job for job in known if job["state"] in OPEN] + [j for j in known[:1] if j["state"] == "lost"]
        job_id = next((job["id"] for job in told), None)
    try:
        return api.get("jobs", job_id) if job_id else None
    except ApiError:  # those of long ago are forgotten
        forget(kind)
        return None


def remember(kind: str, job: Json) -> None:
    """This session waits for it."""
    st.session_state[f"job-{kind}"] = job["id"]


def forget(kind: str) -> None:
    """It has been seen."""
    st.session_state.pop(f"job-{kind}", None)


def is_open(job: Json | None) -> TypeGuard[Json]:
    """Whether it is still waiting or running."""
    return job is not None and job["state"] in OPEN


def progress(api: AdminApi, job: Json, *, stop: str = "Stop") -> None:
    """How far an open job is, looked at again and again; the page is drawn anew at its end."""
    remember(job["kind"], job)
    bar(api, job["id"], so_far, stop=stop)


def so_far(job: Json) -> str:
    """`3 of 14 · 2 failed`, or what it waits for."""
    if job["state"] == "waiting":
        return "It waits until other work is done."
    count = f"{job['done']:,} of {job['total']:,} · " if job["total"] else ""
    return count + (wording.literal(job["says"]) or "It begins …")


def ended(api: AdminApi, job: Json) -> None:
    """Why a job did not come to its end; one that was lost with its server can be begun again."""
    said = wording.literal(job["says"])
    if job["state"] == "cancelled":
        st.info(said or "It was stopped.", icon=":material/stop_circle:")
    elif job["state"] == "failed":
        st.error(said, icon=":material/error:")
    elif job["state"] == "lost":
        st.warning(f"The last one was lost. {said}", icon=":material/power_off:")
        if session.may("editor"):
            # Called before the page is drawn, which by then does not know the job any more.
            st.button("Start it again", icon=":material/restart_alt:", on_click=_begin_again, args=(api, job))


def _begin_again(api: AdminApi, job: Json) -> None:
    try:
        remember(job["kind"], api.post("jobs", job["id"], "again"))
    except ApiError as error:
        st.toast(wording.literal(str(error)), icon=":material/error:")


@st.fragment(run_every=EVERY_S)
def bar(api: AdminApi, job_id: str, told: Callable[[Json], str], *, stop: str = "Stop") -> None:
    """A bar with what is `told` of the job under it, and a button that stops it; drawn anew every second."""
    try:
        job = api.get("jobs", job_id)
    except ApiError:
        st.rerun()
    if job["state"] not in OPEN:
        st.rerun()
    st.progress(min(job["done"] / job["total"], 1.0) if job["total"] else 0.0, told(job))
    if session.may("editor") and st.button(stop, key=f"stop-{job_id}"):
        api.delete("jobs", job_id)
        st.rerun()
