"""What the last crawl of a site did: in numbers, and page by page with the reason."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi

Json = dict[str, Any]
ROWS = 100
FATES = {
    "fetched": "Read: new or changed",
    "unchanged": "Unchanged",
    "gone": "Gone from the site",
    "redirect": "Leads elsewhere",
    "skipped": "Left alone",
    "failed": "Could not be read",
    "queued": "Not visited yet",
}
_MINUTE, _HOUR = 60, 3600


def draw_summary(site: Json) -> None:
    """When, how long, and how many pages."""
    st.header(wording.literal(site["site"]))
    zone = st.context.timezone
    began, took = wording.moment(site["began"], zone), _duration(site["seconds"])
    st.write(
        wording.literal(
            f"The last crawl began on {began} and {'took' if site['ended'] else 'has taken'} {took}. "
            f"{wording.counted(site['held'], 'page is', 'pages are')} held."
        )
    )
    waiting = sum(one["pages"] for one in site["fates"] if one["fate"] == "queued")
    if not site["ended"]:
        st.warning(
            f"It is not finished: {wording.counted(waiting, 'address is', 'addresses are')} known and not "
            "visited yet. The next crawl goes on from there.",
            icon=":material/hourglass_top:",
        )
    if site["fates"]:
        st.table(
            {
                "What became of the address": [FATES[one["fate"]] for one in site["fates"]],
                "Why": [one["says"] for one in site["fates"]],
                "Addresses": [f"{one['pages']:,}" for one in site["fates"]],
            }
        )


def draw_pages(api: AdminApi, site: Json) -> None:
    """Every address, or those of one reason or with some letters in them."""
    st.subheader("Page by page")
    which, letters = st.columns(2)
    choices = range(-1, len(site["fates"]))  # -1: all
    chosen = which.selectbox(
        "Which",
        choices,
        format_func=lambda one: "all" if one < 0 else _choice(site["fates"][one]),
        key=f"which-{site['site']}",
    )
    url = letters.text_input("Address contains", key=f"letters-{site['site']}").strip()
    wanted = {} if chosen < 0 else {name: site["fates"][chosen][name] for name in ("fate", "reason")}
    place = f"crawl-place-{site['site']}-{chosen}-{url}"
    trail: list[int] = st.session_state.setdefault(place, [0])
    found = api.get(
        "crawl", "pages", site=site["site"], limit=ROWS, url=url or None, cursor=trail[-1], **wanted
    )
    if not found["pages"]:
        st.info("No address is like that.")
        return
    _table(found["pages"])
    with st.container(horizontal=True):
        if len(trail) > 1 and st.button("Back", icon=":material/chevron_left:"):
            trail.pop()
            st.rerun()
        if found["next"] and st.button("More", icon=":material/chevron_right:"):
            trail.append(found["next"])
            st.rerun()


def _choice(one: Json) -> str:
    return f"{FATES[one['fate']]}: {one['says']} ({one['pages']:,})"


def _table(pages: list[Json]) -> None:
    zone = st.context.timezone
    rows = pd.DataFrame(
        {
            "Address": [page["url"] for page in pages],
            "What became of it": [FATES[page["fate"]] for page in pages],
            "Why": [page["says"] for page in pages],
            "When": [
                wording.moment(page["visited_at"], zone) if page["visited_at"] else "" for page in pages
            ],
            "Found on": [page["found_on"] or "" for page in pages],
        }
    )
    st.dataframe(rows, hide_index=True, alt="Addresses of the last crawl, and what became of each")


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds // _HOUR:.0f} h {seconds % _HOUR / _MINUTE:.0f} min"
