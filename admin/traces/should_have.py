"""The box for the page that should have answered: where it stood at every step, or why it is not there."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi
from admin.curation.parts import key_words
from admin.traces import golden_of_trace, passages

_WHO = {
    "trace": "Told by the trace.",
    "snapshot": "Told by the live snapshot.",
    "crawl": "Told by the crawl store of its site.",
    "editors": "Told by what editors have set.",
    "nobody": "Neither the trace, the snapshot nor a crawl store knows.",
}


@st.fragment
def draw(api: AdminApi, trace: dict[str, Any]) -> None:
    """The box, what is known of the page that it names, and a golden question with this answer."""
    st.header("The page that should have answered")
    url = st.text_input("Its address", placeholder="https://", key="should-have").strip()
    with session.told():
        if url:
            found = api.slowly("traces", trace["trace_id"], "page", url=url)
            _tell(found)
            said = " ".join(row["text"] for table in found["tables"] for row in table["rows"])
            golden_of_trace.draw(api, trace, found["url"], said)
            if found["passages"] and session.may("editor"):
                _offer_pin(trace, found["url"])
        else:
            st.caption("See at which rank it stood at every step, or why it is not in the index.")
            golden_of_trace.draw(api, trace)


def _offer_pin(trace: dict[str, Any], url: str) -> None:
    """A link to the draft with this page pinned for the question's own words."""
    query = {"pin": url, "phrase": key_words(trace["question"])}
    if site := trace.get("asked", {}).get("site"):
        query["site"] = site
    st.page_link(
        "curation/filters.py",
        label="Put this page first for such questions",
        icon=":material/push_pin:",
        query_params=query,
    )


def _tell(found: dict[str, Any]) -> None:
    said = wording.literal(found["sentence"])
    if found["code"] == "cited":
        st.success(said, icon=":material/check:")
    elif found["passages"] or found["tables"]:
        st.warning(said, icon=":material/trending_down:")
    else:
        st.error(said, icon=":material/block:")
    facts = [_WHO[found["told_by"]], f"Passages in the live index: {found['passages']}."]
    was, live = found["trace_snapshot"], found["live_snapshot"]
    if live != was:
        facts.append(f"The trace is of the snapshot {was}, the live one is {live}.")
    st.caption(wording.literal(" ".join(facts)))
    if found["tables"]:
        passages.draw(found["tables"])
