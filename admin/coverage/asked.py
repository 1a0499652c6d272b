"""Which questions a page counts: days, site and topic, chosen in a bar and kept in the address."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import streamlit as st

from admin.client import AdminApi
from admin.conversations.search import day

NAMES = ("since", "until", "site", "topic")
ANY = "any"


def chosen(query: Mapping[str, str], days: int, today: date | None = None) -> dict[str, str]:
    """The filter in an address; where it names no day, the last so many days."""
    known = {name: query[name].strip() for name in NAMES if query.get(name, "").strip()}
    for name in ("since", "until"):
        if name in known and day(known[name]) is None:
            del known[name]
    if "since" not in known and "until" not in known:
        today = today or datetime.now(UTC).date()
        known["since"] = (today - timedelta(days=days - 1)).isoformat()
    return known


def bar(api: AdminApi, wanted: Mapping[str, str], *, topics: bool = True) -> None:
    """The bar; what else is in the address stays, but for where one had leafed to."""
    choices = api.get("conversations", "choices")
    with st.form("asked"):
        first, last, of_site, of_topic, go = st.columns((3, 3, 3, 3, 2), vertical_alignment="bottom")
        since = first.date_input("From", value=day(wanted.get("since")))
        until = last.date_input("Until", value=day(wanted.get("until")))
        found = {
            "since": since.isoformat() if since else "",
            "until": until.isoformat() if until else "",
            "site": pick(of_site, "Site", choices["sites"], wanted.get("site")),
        }
        if topics:
            found["topic"] = pick(of_topic, "Topic", choices["topics"], wanted.get("topic"))
        if go.form_submit_button("Show", width="stretch"):
            kept = {
                name: value
                for name, value in st.query_params.items()
                if name not in (*NAMES, "offset", "before")
            }
            st.query_params.from_dict({**kept, **{name: value for name, value in found.items() if value}})
            st.rerun()


def pick(cell: Any, label: str, names: list[str], now: str | None) -> str:
    """One of these, or nothing. What the address says is offered, though there may be none of it."""
    options = ["", *names, *([now] if now and now not in names else [])]
    one: str = cell.selectbox(
        label, options, index=options.index(now or ""), format_func=lambda name: name or ANY
    )
    return one
