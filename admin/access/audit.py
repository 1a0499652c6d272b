"""The audit log: every change by an editor or the command line, newest first, with before and after."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.access.changes import KINDS, differences, headline
from admin.client import AdminApi

PAGE_ROWS = 25


def show(api: AdminApi) -> None:
    """One page of the log; `?before=`, `?kind=` and `?who=` in the address say which."""
    st.title("Who changed what")
    filters = {name: st.query_params.get(name) for name in ("kind", "who")}
    _filters(filters["kind"], filters["who"])
    before = st.query_params.get("before")
    page = api.get("audit", limit=PAGE_ROWS, before=before, **filters)
    if not page["changes"]:
        st.info("Nothing older." if before else "No such change yet. Every change appears here at once.")
    for change in page["changes"]:
        _change(change)
    older = filters | {"before": page["next"]}
    links = {"Newest": filters if before else None, "Older": older if page["next"] else None}
    widgets.turn_pages("access/audit.py", links)


def _filters(kind: str | None, who: str | None) -> None:
    with st.form("filters"):
        what, whose, go = st.columns((3, 3, 1), vertical_alignment="bottom")
        chosen = widgets.pick(what, "What", {"": "anything", **KINDS}, kind)
        name = whose.text_input("Who", value=who or "", placeholder="a token's name, or command line")
        if go.form_submit_button("Find", width="stretch"):
            widgets.go_to({"kind": chosen, "who": name.strip()})


def _change(change: dict[str, Any]) -> None:
    at = wording.moment(change["at"], st.context.timezone)
    who, what = wording.literal(change["who"]), wording.literal(headline(change))
    with st.expander(f"{at} · **{who}** {what}"):
        st.table(differences(change))


show(session.api())
