"""One place's opening hours: what its page says, what was understood, and an editor's corrections."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi
from admin.hours.hour_words import correction_words, lines_table
from admin.hours.keeping import correction_form, draw_trial

CHANGED = "The page has changed since. Compare, and keep the correction once more, or remove it."
SHOWN_CHANGES = 10


def show(api: AdminApi) -> None:
    """The place that `?site=`, `?url=` and `?place=` in the address name."""
    query = st.query_params
    site, url, name = query.get("site", "main"), query.get("url", ""), query.get("place", "")
    st.title(wording.literal(name) or "Opening hours")
    st.page_link(
        "hours/hours.py", label="All places", icon=":material/arrow_back:", query_params={"site": site}
    )
    if not url or not name:
        st.info("Choose a place from the list.")
        return
    found = api.get("hours", "place", site=site, url=url, name=name)
    place = found["place"]
    st.markdown(wording.link(place["title"] or url, url))
    if place["gone"]:
        st.warning("The live snapshot has no such page any more, so nothing is told of this place.")
    _lines(found["lines"])
    _corrections(api, found["corrections"])
    given = {"site": site, "url": url, "place": name}
    if session.may("editor"):
        _change(api, given, found["corrections"])
        _preview(api, given)
    _changes(api, found["changes"])


def _lines(lines: list[dict[str, Any]]) -> None:
    for title, about, own in (
        ("Understood", "Questions of these days are answered from it.", [_is_read(one) for one in lines]),
        (
            "Not understood",
            "Of these days nothing is told; the page is quoted.",
            [not _is_read(one) for one in lines],
        ),
    ):
        chosen = [one for one, is_own in zip(lines, own, strict=True) if is_own]
        st.header(title)
        st.markdown(about)
        if chosen:
            st.table({name: list(map(wording.literal, rows)) for name, rows in lines_table(chosen).items()})
        else:
            st.write("Nothing.")


def _is_read(one: dict[str, Any]) -> bool:
    return one["times"]["spans"] is not None


def _corrections(api: AdminApi, corrections: list[dict[str, Any]]) -> None:
    st.header("Corrected by editors")
    if not corrections:
        st.write("Nothing.")
    for one in corrections:
        said, remove = st.columns((6, 1), vertical_alignment="center")
        at = wording.moment(one["at"], st.context.timezone)
        note = f" “{one['note']}”" if one["note"] else ""
        said.markdown(wording.literal(correction_words(one)))
        said.markdown(wording.literal(f"{one['by']}, {at}.{note}"))
        if one["changed"]:
            said.warning(CHANGED)
        if session.may("editor") and remove.button("Remove", key=f"remove-{one['id']}"):
            with session.told():
                api.delete("hours", "corrections", one["id"])
                st.rerun()


def _change(api: AdminApi, given: dict[str, Any], corrections: list[dict[str, Any]]) -> None:
    with st.expander("Correct it", icon=":material/edit:"):
        own = {one["id"]: one for one in corrections}
        which = ""
        if own:
            names = {"": "a new correction"} | {key: correction_words(one) for key, one in own.items()}
            which = st.selectbox("Which one", list(names), format_func=names.__getitem__)
        fields = ("kind", "part", "text", "first", "last", "note", "id")
        filled = {name: own[which][name] for name in fields} if which else {"kind": "week"}
        correction_form(api, {**given, **filled}, which or "new")


def _preview(api: AdminApi, given: dict[str, Any]) -> None:
    """What visitors are told now: today, on Saturday, at this moment."""
    with st.expander("What visitors are told", icon=":material/visibility:"):
        with st.form("preview", border=False):
            day, clock = st.columns(2)
            today = day.date_input("On this day", value=None, help="Empty: today.")
            time = clock.time_input("At this time", value=None, help="Empty: now.")
            asked = st.form_submit_button("Ask")
        if asked:
            at = time.strftime("%H:%M") if time else None
            draw_trial(api, given, today.isoformat() if today else None, at)


def _changes(api: AdminApi, changes: list[dict[str, Any]]) -> None:
    """Who changed what; the last change of each correction can be undone."""
    if not changes:
        return
    st.header("Changed before")
    undone: set[str] = set()
    for number, one in enumerate(changes[:SHOWN_CHANGES]):
        said, undo = st.columns((6, 1), vertical_alignment="center")
        verb = "removed" if one["after"] is None else "added" if one["before"] is None else "changed"
        about = one["after"] or one["before"]
        at = wording.moment(one["at"], st.context.timezone)
        words = about["text"] or "the page is quoted"
        said.markdown(wording.literal(f"{at}, {one['who']} {verb}: {words}"))
        is_last = one["id"] not in undone
        undone.add(one["id"])
        if is_last and session.may("editor") and undo.button("Undo", key=f"undo-{number}"):
            with session.told():
                api.post("hours", "corrections", one["id"], "undo")
                st.rerun()


show(session.api())
