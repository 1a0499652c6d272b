"""One snapshot as a card, with what can be done with it; and having a new one built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import job_progress as watching
from admin import session
from admin.client import AdminApi
from admin.snapshots import publishing

Json = dict[str, Any]


def label(snapshot: Json) -> str:
    """`1 Mar 2026, 10:00 (20260301-100000), live`."""
    at = wording.moment(snapshot["created_at"], st.context.timezone)
    return f"{at} ({snapshot['name']})" + (", live" if snapshot["current"] else "")


def draw(api: AdminApi, snapshot: Json, snapshots: Sequence[Json]) -> None:
    """When it was made, of what, and what a developer can do with it."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            at = wording.moment(snapshot["created_at"], st.context.timezone)
            st.markdown(f"**{wording.literal(at)}**", width="content")
            _badges(snapshot)
        st.write(
            f"{wording.counted(snapshot['pages'], 'page')}, "
            f"{wording.counted(snapshot['chunks'], 'passage')}; {_left_out(snapshot)}. "
            f"{_checked(snapshot)}"
        )
        st.caption(
            wording.literal(f"{snapshot['name']} · {snapshot['megabytes']} MB · model {snapshot['embedder']}")
        )
        if snapshot["dropped"]:
            with st.expander("Pages left out, by reason"):
                st.table(
                    {
                        "Reason": [name.replace("_", " ") for name in snapshot["dropped"]],
                        "Pages": [f"{count:,}" for count in snapshot["dropped"].values()],
                    }
                )
        if session.may("developer") and not snapshot["current"]:
            _buttons(api, snapshot, snapshots)


def draw_building(api: AdminApi) -> None:
    """The button that has a new one made, and how far that is."""
    job = watching.newest(api, "index")
    if watching.is_open(job):
        st.write("A new snapshot is being built. Visitors are answered as before.")
        watching.progress(api, job)
        return
    if job is not None:
        if job["state"] == "done":
            found = job["result"]
            st.success(
                wording.literal(
                    f"Built {found['snapshot']}: {wording.counted(found['pages'], 'page')}. It is not "
                    "published yet; compare it with the live one first."
                ),
                icon=":material/check:",
            )
        else:
            watching.ended(api, job)
        watching.forget("index")
    if st.button("Build a new snapshot of what was crawled", icon=":material/construction:"):
        with session.told():
            watching.remember("index", api.post("snapshots", "build"))
            st.rerun()


def _badges(snapshot: Json) -> None:
    if snapshot["current"]:
        st.badge("Live: visitors are answered from it", color="green", icon=":material/check_circle:")
    if not snapshot["usable"]:
        st.badge("Made with another model", color="orange", icon=":material/warning:")
    checked = snapshot["checked"]
    if checked and checked["failed"]:
        st.badge(f"Golden questions that failed: {checked['failed']}", color="red", icon=":material/close:")


def _left_out(snapshot: Json) -> str:
    return f"{wording.counted(sum(snapshot['dropped'].values()), 'address', 'addresses')} left out"


def _checked(snapshot: Json) -> str:
    checked = snapshot["checked"]
    if not checked:
        return ""
    asked = checked["passed"] + checked["failed"] + checked["known_gaps"]
    gaps = f" ({wording.counted(checked['known_gaps'], 'known gap')})" if checked["known_gaps"] else ""
    right = f"{checked['passed']} of {asked}{gaps}"
    return f"Golden questions answered rightly when it was to be published: {right}."


def _buttons(api: AdminApi, snapshot: Json, snapshots: Sequence[Json]) -> None:
    live = next((one["name"] for one in snapshots if one["current"]), None)
    if not snapshot["usable"]:
        st.caption("This server answers with another model, and could not use it. Build a new one.")
    elif live is not None and snapshot["name"] < live:
        publishing.draw_going_back(api, snapshot["name"])
    else:
        publishing.draw_publishing(api, snapshot["name"])
