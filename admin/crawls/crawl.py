"""Crawl: what the last one did, page by page and why; starting one, stopping it, and having it done."""

from __future__ import annotations

import streamlit as st

from admin import session, widgets
from admin.client import AdminApi
from admin.crawls import last, schedule, starting


def show(api: AdminApi) -> None:
    """One site at a time; `?site=` in the address says which."""
    st.title("Crawl")
    st.caption(
        "A crawl reads the site's public pages, slowly, and keeps them. Visitors notice nothing of it until "
        "a snapshot is built of what it has read, and published."
    )
    role = st.session_state["role"]
    sites = {site["site"]: site for site in api.get("crawl")["sites"]}
    starting.draw_progress(api)
    if not sites:
        st.info("Nothing has been crawled yet. " + _next_step(role))
        starting.draw_new(api, role, opened=True)
        return
    key = _chosen(list(sites))
    last.draw_summary(sites[key])
    starting.draw_again(api, sites[key], role)
    last.draw_pages(api, sites[key])
    schedule.draw(api, sites[key], role)
    starting.draw_new(api, role, opened=False)


def _next_step(role: str) -> str:
    return "Give the site's address below." if role == "developer" else "A developer starts the first crawl."


def _chosen(names: list[str]) -> str:
    """The site in the address, or the one crawled last."""
    wanted = st.query_params.get("site")
    if len(names) == 1:
        return names[0]
    chosen = widgets.pick(st, "Site", dict(zip(names, names, strict=True)), wanted)
    if chosen != (wanted if wanted in names else names[0]):
        widgets.go_to({"site": chosen})
    return chosen


show(session.api())
