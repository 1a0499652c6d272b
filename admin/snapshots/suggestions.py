"""Suggested questions that visitors are not shown, and an editor's word that a page is right."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi

ABOUT = (
    "Suggested questions are asked at every publishing. One that is not answered, or from another page than "
    "before, is not shown to visitors until it is right at the next one, or until an editor says that the "
    "new page is right."
)


def draw(api: AdminApi) -> None:
    """A line each; nothing where all are shown."""
    withheld = [one for one in api.get("suggestions")["suggestions"] if one["fault"]]
    if not withheld:
        return
    st.subheader("Suggested questions that are not shown")
    st.caption(ABOUT)
    for number, one in enumerate(withheld):
        said, accept = st.columns((4, 1), vertical_alignment="center")
        language = f", {one['lang']}" if one["lang"] else ""
        said.markdown(wording.literal(f"{one['question']} ({one['site']}{language}): {one['fault']}"))
        if (
            session.may("editor")
            and not one["refused"]
            and accept.button("This page is right", key=f"right-{number}")
        ):
            _accept(api, one)


def _accept(api: AdminApi, one: dict[str, Any]) -> None:
    with session.told():
        api.post("suggestions", "accept", body={name: one[name] for name in ("site", "lang", "question")})
        st.toast("Done. Visitors are shown it within seconds.", icon=":material/check:")
        st.rerun()
