"""What waits for one owner: missing answers about what is theirs; pages, notices, answers to look after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi
from admin.gaps import gap_words

Json = dict[str, Any]
SCOPES = {"topic": "questions about {}", "prefix": "pages below {}"}


def show(api: AdminApi) -> None:
    """One's own; a viewer sees that of whom `?name=` names."""
    found = api.get("owned", name=st.query_params.get("name"))
    st.title(f"What waits for {wording.literal(found['name'])}")
    if not found["owns"]:
        st.info(
            "Nothing is yours to look after. Whoever looks after the console says so, on its page *Owners*."
        )
        return
    owns = [SCOPES[one["scope"]].format(one["value"]) for one in found["owns"]]
    st.caption(wording.literal("Yours: " + "; ".join(owns)))
    _gaps(found["gaps"])
    _upkeep(found["upkeep"])


def _gaps(gaps: Sequence[Json]) -> None:
    st.header(f"Missing answers ({len(gaps)})")
    st.caption(
        "What visitors asked and did not get, the most asked first. Say it on your page, in the words that "
        "they use; the next crawl finds it."
    )
    if not gaps:
        st.success("None: every question about what is yours was answered, or is taken care of.")
    for gap in gaps:
        with st.container(border=True):
            st.markdown(f"**{wording.literal(gap['question'])}**")
            asked = wording.counted(gap["questions"], "time")
            st.caption(f"Asked {asked}, last on {gap['last_day']} · {gap_words.trend(gap['weeks'])}")
            for page in gap["closest_pages"]:
                st.markdown("- " + wording.link(page["title"] or page["url"], page["url"]))
            if session.may("viewer"):
                st.page_link("gaps/gap.py", label="All about it", query_params={"id": str(gap["id"])})


def _upkeep(told: Sequence[Json]) -> None:
    st.header(f"To look after ({len(told)})")
    if not told:
        st.success("Nothing: no page is out of date, and nothing is about to end.")
    for one in told:
        with st.container(border=True):
            st.markdown(f"**{wording.literal(one['title'])}**")
            for line in one["lines"]:
                known = line if line.startswith(("http://", "https://")) else ""
                st.markdown(wording.link(line, known) if known else wording.literal(line))


show(session.api())
