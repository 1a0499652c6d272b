"""Which questions a page counts: days, site and topic, chosen in a bar and kept in the address."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

import streamlit as st

from admin import widgets
from admin.client import AdminApi
from admin.formatting import in_address

NAMES = ("since", "until", "site", "topic")


def chosen(query: Mapping[str, str], days: int, today: date | None = None) -> dict[str, str]:
    """The filter in an address; where it names no day, the last so many days."""
    known = in_address(query, NAMES)
    if "since" not in known and "until" not in known:
        today = today or datetime.now(UTC).date()
        known["since"] = (today - timedelta(days=days - 1)).isoformat()
    return known


def bar(api: AdminApi, wanted: Mapping[str, str], *, topics: bool = True) -> None:
    """The bar; what else is in the address stays, but for where one had leafed to."""
    choices = api.get("conversations", "choices")
    with st.form("asked"):
        first, last, of_site, of_topic, go = st.columns((3, 3, 3, 3, 2), vertical_alignment="bottom")
        found = widgets.pick_days(first, last, wanted)
        found["site"] = widgets.pick_any(of_site, "Site", choices["sites"], wanted.get("site"))
        if topics:
            found["topic"] = widgets.pick_any(of_topic, "Topic", choices["topics"], wanted.get("topic"))
        if go.form_submit_button("Show", width="stretch"):
            left = (*NAMES, "offset", "before")
            kept = {name: value for name, value in st.query_params.items() if name not in left}
            widgets.go_to({**kept, **found})
