"""Missing answers that what was published may give: asked again at a click, and marked as what came of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi, ApiError

SHOWN = 10


def forget(site: str) -> None:
    """Something was published: what was found before is of an earlier change."""
    st.session_state.pop(_key(site), None)


def draw(api: AdminApi, site: str) -> None:
    """Those that meet what was published last for a site, looked for once; nothing where there are none."""
    key = _key(site)
    if key not in st.session_state:
        try:
            with st.spinner("Looking for missing answers that this gives"):
                met = api.slowly("rules", site, "met")["gaps"][:SHOWN]
        except ApiError:
            return
        st.session_state[key] = {"met": met, "asked": []}
    found = st.session_state[key]
    if found["met"]:
        _offer(api, found)
    for gap in found["asked"]:
        _told(gap)


def _key(site: str) -> str:
    return f"met-{site}"


def _offer(api: AdminApi, found: dict[str, list[Any]]) -> None:
    """What they are, and the button, which asks each and leaves what came of it."""
    met = found["met"]
    count = wording.counted(len(met), "missing answer")
    with st.container(border=True):
        st.markdown(f"**{count} may be answered by what you published**")
        for gap in met:
            times = wording.counted(gap["questions"], "time")
            st.page_link(
                "gaps/gap.py",
                label=wording.literal(f"{gap['question']} ({times})"),
                query_params={"id": str(gap["id"])},
            )
        told = "What is answered now is marked as answered. Read whether it is right."
        if not st.button("Ask them again now", icon=":material/replay:", type="primary", help=told):
            return
        with session.told(), st.spinner("Asking…"):
            found["asked"] = [api.post("gaps", gap["id"], "ask") for gap in met]
            found["met"] = []
    st.rerun()


def _told(gap: dict[str, Any]) -> None:
    """What a missing answer is told now."""
    answer = gap["again"]
    with st.container(border=True):
        st.page_link(
            "gaps/gap.py", label=wording.literal(gap["question"]), query_params={"id": str(gap["id"])}
        )
        st.caption("Still not answered" if answer["refused"] else "Answered now, and marked as answered")
        st.text(answer["answer"])
        for citation in answer.get("citations", ()):
            widgets.source(citation)
