"""Snapshots: which there are, what differs between two, and which one visitors are answered from."""

from __future__ import annotations

import streamlit as st

from admin import session
from admin.client import AdminApi
from admin.snapshots import card as shelf
from admin.snapshots import comparing, publishing, suggestions

ABOUT = (
    "A snapshot is everything that was read of the site at one moment. Visitors are answered from the one "
    "that is live; a new one changes nothing for them until it is published."
)


def show(api: AdminApi) -> None:
    """The list; below it two side by side."""
    st.title("Snapshots")
    st.caption(ABOUT)
    snapshots = api.get("snapshots")["snapshots"]
    publishing.draw_outcome(api)
    suggestions.draw(api)
    if session.may("developer"):
        shelf.draw_building(api)
    if not snapshots:
        st.info(
            "There is no snapshot yet, so visitors get no answers. Crawl a site first (page *Crawl*), then "
            "have a snapshot built."
        )
        return
    for snapshot in snapshots:
        shelf.draw(api, snapshot, snapshots)
    if not session.may("developer"):
        st.caption("Publishing and going back takes a developer.")
    if len(snapshots) > 1:
        comparing.draw(api, snapshots)


show(session.api())
