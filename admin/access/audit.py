"""The audit log: every change by an editor or the command line, newest first, with before and after."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.access.changes import KINDS, differences, headline
from admin.client import AdminApi

PAGE_ROWS = 25


def show(api: AdminApi) -> None:
    """One page of the log; `?before=`, `?kind=` and `?who=` in the address say which."""
    st.title("Who changed what")
    kind, who = st.query_params.get("kind"), st.query_params.get("who")
    _filters(kind, who)
    before = st.query_params.get("before")
    page = api.get("audit", limit=PAGE_ROWS, before=before, kind=kind, who=who)
    if not page["changes"]:
        st.info("Nothing older." if before else "No such change yet. Every change appears here at once.")
    for change in page["changes"]:
        _change(change)
    _turn_pages(before, page["next"], {"kind": kind, "who": who})


def _filters(kind: str | None, who: str | None) -> None:
    with st.form("filters"):
        what, whose, go = st.columns((3, 3, 1), vertical_alignment="bottom")
        kinds = [None, *KINDS]
        chosen = what.selectbox(
            "What",
            kinds,
            index=kinds.index(kind) if kind in KINDS else 0,
            format_func=lambda one: KINDS[one] if one else "anything",
        )
        name = whose.text_input("Who", value=who or "", placeholder="a token's name, or command line")
        if go.form_submit_button("Find", width="stretch"):
            st.query_params.from_dict(_given({"kind": chosen, "who": name.strip()}))
            st.rerun()


def _change(change: dict[str, Any]) -> None:
    at = wording.moment(change["at"], st.context.timezone)
    who, what = wording.literal(change["who"]), wording.literal(headline(change))
    with st.expander(f"{at} · **{who}** {what}"):
        st.table(differences(change))


def _turn_pages(before: str | None, following: str | None, filters: dict[str, str | None]) -> None:
    with st.container(horizontal=True):
        for label, shown, cursor in (("Newest", before, None), ("Older", following, following)):
            if shown:
                query = _given(filters | {"before": cursor})
                st.page_link("access/audit.py", label=label, query_params=query)


def _given(values: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}


show(session.api())
