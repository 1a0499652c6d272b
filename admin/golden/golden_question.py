"""One golden question: what became of it, and the form to change it; or the form for a new one."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.golden import form, history, states


def show(api: AdminApi) -> None:
    """The question that `?id=` names, or a new one of the site that `?site=` names."""
    golden_id = st.query_params.get("id", "")
    st.title("Golden question" if golden_id else "New golden question")
    golden = api.get("golden", golden_id) if golden_id else None
    site = golden["site"] if golden else st.query_params.get("site", "main")
    st.page_link(
        "golden/golden.py",
        label="All golden questions",
        icon=":material/arrow_back:",
        query_params={"site": site},
    )
    if golden:
        _overview(golden)
        history.draw(api.get("golden", golden_id, "history")["history"])
    if session.may("editor"):
        st.subheader("What is right" if golden else f"Of the site {wording.literal(site)}")
        form.draw(api, golden, site)
        if golden:
            form.draw_removal(api, golden)
    elif not golden:
        st.info("An editor can write golden questions.")


def _overview(golden: dict[str, Any]) -> None:
    if st.session_state.pop("golden-kept", None) == golden["id"]:
        st.success("Kept.", icon=":material/check:")
    with st.container(border=True):
        st.text(golden["question"])
        st.markdown(f"**{wording.literal(states.told(golden))}**")
        for line in known(golden):
            st.markdown(line)
    widgets.link_trace(golden["from_trace"], "The trace it was made of", ":material/route:")


def known(golden: dict[str, Any]) -> list[str]:
    """What is known of the right answer, a line of Markdown each."""
    if golden["refuse"]:
        return ["It must not be answered: the site does not say."]
    lines = []
    if golden["pages"]:
        links = ", ".join(wording.link(url, url) for url in golden["pages"])
        lines.append(f"Has to cite {'one of ' if len(golden['pages']) > 1 else ''}{links}")
    if golden["answers"]:
        words = " or ".join(f"“{wording.literal(one)}”" for one in golden["answers"])
        lines.append(f"Has to say {words}")
    return lines or ["Any answer will do, as long as there is one."]


show(session.api())
