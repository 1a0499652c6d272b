"""The form of a correction of opening hours: tried on what visitors ask, and kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.hours.hour_words import KINDS

WEEK_HELP = "Such as: Mon–Thu 8 a.m.–9 p.m.; Fri 8 a.m.–5 p.m.; closed Saturday and Sunday"


def correction_form(api: AdminApi, given: Mapping[str, Any], key: str) -> None:
    """Fields for a correction, filled in with what is `given`; an `id` in it says which one is changed."""
    with st.form(f"correct-{key}", border=False):
        body = dict(given)
        if not given["place"] or not given["url"]:
            body["place"] = st.text_input("Place", max_chars=120)
            body["url"] = st.text_input("Its page", placeholder="https://")
        body["kind"] = widgets.pick(st, "What to say", KINDS, given["kind"])
        body["part"] = st.text_input(
            "Part of the place",
            value=given.get("part", ""),
            help="A desk or a room; empty: the place itself.",
        )
        body["text"] = st.text_input("Hours", value=given.get("text", ""), help=WEEK_HELP)
        st.markdown(wording.literal(WEEK_HELP + ". For an exception also: Closed."))
        first, last = st.columns(2)
        body["first"] = _day(first.date_input("First day of an exception", wording.day(given.get("first"))))
        body["last"] = _day(last.date_input("Its last day", wording.day(given.get("last"))))
        body["note"] = st.text_input("Note for other editors", value=given.get("note", ""))
        tries, keeps = st.columns(2)
        tried = tries.form_submit_button("Try it", icon=":material/science:")
        kept = keeps.form_submit_button("Keep it", type="primary")
    if kept:
        _keep(api, body)
    elif tried:
        draw_trial(api, body)


def draw_trial(
    api: AdminApi, body: Mapping[str, Any], today: str | None = None, time: str | None = None
) -> None:
    """What visitors are told, as it is and with this correction; without a `kind` it is none."""
    own = {name: value for name, value in body.items() if name != "id"}
    with session.told():
        drafted = "kind" in own
        given = {"correction": {"kind": "quote", **own}, "id": body.get("id", ""), "drafted": drafted}
        for one in api.post("hours", "try", body={**given, "today": today, "time": time})["tried"]:
            st.markdown(f"**{wording.literal(one['question'])}**")
            if one["before"] == one["after"]:
                _told("As it is, and with it:" if drafted else "", one["after"])
            else:
                _told("As it is:", one["before"])
                _told("With it:", one["after"])


def _told(label: str, text: str) -> None:
    if label:
        st.markdown(label)
    st.markdown("  \n".join(wording.literal(line) for line in text.splitlines()))


def _keep(api: AdminApi, body: Mapping[str, Any]) -> None:
    own = {name: value for name, value in body.items() if name != "id"}
    with session.told():
        if body.get("id"):
            api.put("hours", "corrections", body["id"], body=own)
        else:
            api.post("hours", "corrections", body=own)
        st.toast("Kept. Visitors are told within seconds.", icon=":material/check:")
        st.rerun()


def _day(chosen: object) -> str | None:
    return chosen.isoformat() if isinstance(chosen, date) else None
