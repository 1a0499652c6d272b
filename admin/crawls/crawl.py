"""Crawl: what the last one did, page by page and why; starting one, stopping it, and having it done."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import job_progress as watching
from admin import session, widgets
from admin.client import AdminApi
from admin.crawls import last, schedule


def show(api: AdminApi) -> None:
    """One site at a time; `?site=` in the address says which."""
    st.title("Crawl")
    st.caption(
        "A crawl reads the site's public pages, slowly, and keeps them. Visitors notice nothing of it until "
        "a snapshot is built of what it has read, and published."
    )
    sites = {site["site"]: site for site in api.get("crawl")["sites"]}
    _progress(api)
    if not sites:
        st.info("Nothing has been crawled yet. " + _next_step())
        _new(api, opened=True)
        return
    key = _chosen(list(sites))
    last.draw_summary(sites[key])
    _again(api, sites[key])
    last.draw_pages(api, sites[key])
    schedule.draw(api, sites[key])
    _new(api, opened=False)


def _next_step() -> str:
    developer = session.may("developer")
    return "Give the site's address below." if developer else "A developer starts the first crawl."


def _chosen(names: list[str]) -> str:
    """The site in the address, or the one crawled last."""
    wanted = st.query_params.get("site")
    if len(names) == 1:
        return names[0]
    chosen = widgets.pick(st, "Site", dict(zip(names, names, strict=True)), wanted)
    if chosen != (wanted if wanted in names else names[0]):
        widgets.go_to({"site": chosen})
    return chosen


Json = dict[str, Any]


def _progress(api: AdminApi) -> None:
    """How far the crawl is that is at work, or how the last one that was watched ended."""
    job = watching.newest(api, "crawl")
    if job is None:
        return
    if watching.is_open(job):
        st.write(f"A crawl of **{wording.literal(job['about'])}** is at work.")
        watching.progress(api, job, stop="Stop the crawl")
        return
    if job["state"] == "done":
        st.success(_ended(job["result"]), icon=":material/check:")
    else:
        watching.ended(api, job)
    watching.forget("crawl")


def _again(api: AdminApi, site: Json) -> None:
    """The button that brings a site up to date."""
    if not session.may("developer"):
        st.caption("Starting a crawl takes a developer.")
        return
    if st.button(
        "Crawl it again" if site["ended"] else "Go on with the crawl",
        type="primary",
        icon=":material/refresh:",
        disabled=_is_at_work(api),
    ):
        _start(api, {"site": site["site"]})


def _new(api: AdminApi, *, opened: bool) -> None:
    """An address to start from, and what to stay below."""
    if not session.may("developer"):
        return
    with st.expander("Crawl another site, or another part of one", expanded=opened), st.form("new-crawl"):
        url = st.text_input("Address to start from", placeholder="https://www.example.edu/")
        prefix = st.text_input(
            "Stay below (may stay empty)", placeholder="/library/", help="Only pages whose address begins so."
        )
        if st.form_submit_button("Start crawling", icon=":material/travel_explore:"):
            _start(api, {"urls": [url.strip()], "prefixes": [prefix.strip()] if prefix.strip() else []})


def _start(api: AdminApi, what: Json) -> None:
    with session.told():
        watching.remember("crawl", api.post("crawl", "start", body=what))
        st.rerun()


def _is_at_work(api: AdminApi) -> bool:
    return any(job["state"] in watching.OPEN for job in api.get("jobs", kind="crawl")["jobs"])


def _ended(report: Json) -> str:
    counts = (
        f"{report['fetched']:,} pages new or changed, {report['unchanged']:,} as before, "
        f"{report['gone']:,} gone"
    )
    if report["troubles"]:
        return wording.literal(f"The crawl has ended: {counts}. {' '.join(report['troubles'].values())}")
    more = f" {report['queued']:,} addresses still wait." if report["queued"] else ""
    return wording.literal(f"The crawl has ended: {counts}.{more}")


show(session.api())
