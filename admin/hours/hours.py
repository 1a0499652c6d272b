"""Opening hours: every place that a page tells them of, and what of it was understood."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.hours.hour_words import state_words
from admin.hours.keeping import correction_form

PAGE_ROWS = 40
HOW = (
    "At every indexing, the pages' tables and sentences are read as hours of a place. A question with a day "
    "is answered from them where nothing is in doubt; everything else is quoted from the page. What you "
    "correct stays over every indexing, and its answers still cite the page."
)
SHOWN = {
    "": "all places",
    "unclear": "something not understood",
    "corrected": "corrected",
    "changed": "changed since",
}


def show(api: AdminApi) -> None:
    """The places; `?site=`, `?words=`, `?only=` and `?from=` in the address say which."""
    st.title("Opening hours")
    st.markdown(HOW)
    site = widgets.pick_site(api)
    words, only = st.query_params.get("words", ""), st.query_params.get("only", "")
    _filters(site, words, only)
    places = [one for one in api.get("hours", site=site)["places"] if _fits(one, words, only)]
    start = (
        max(0, int(st.query_params.get("from", "0") or 0))
        if st.query_params.get("from", "0").isdigit()
        else 0
    )
    if not places:
        st.info("No such place. Hours are read when pages are indexed; a place can be added below.")
    for one in places[start : start + PAGE_ROWS]:
        _place(site, one)
    _turn(site, words, only, start, len(places))
    if session.may("editor"):
        _add(api, site)


def _filters(site: str, words: str, only: str) -> None:
    with st.form("places"):
        what, which, go = st.columns((3, 3, 1), vertical_alignment="bottom")
        typed = what.text_input("Place or page", value=words)
        chosen = widgets.pick(which, "Show", SHOWN, only)
        if go.form_submit_button("Find", width="stretch"):
            widgets.go_to({"site": site, "words": typed.strip(), "only": chosen})


def _fits(one: dict[str, Any], words: str, only: str) -> bool:
    text = f"{one['place']} {one['title']} {one['url']}".casefold()
    kept = {
        "unclear": one["unclear"],
        "corrected": one["corrections"],
        "changed": one["changed"] or one["gone"],
    }
    return all(word in text for word in words.casefold().split()) and bool(kept.get(only, True))


def _place(site: str, one: dict[str, Any]) -> None:
    link, state = st.columns((2, 3), vertical_alignment="center")
    query = {"site": site, "url": one["url"], "place": one["place"]}
    link.page_link("hours/place.py", label=wording.literal(one["place"]), query_params=query)
    state.markdown(wording.literal(f"{state_words(one)} · {one['title'] or one['url']}"))


def _turn(site: str, words: str, only: str, start: int, count: int) -> None:
    here = {"site": site, "words": words, "only": only}
    more = {**here, "from": str(start + PAGE_ROWS)} if start + PAGE_ROWS < count else None
    widgets.turn_pages("hours/hours.py", {"First page": here if start else None, "More": more})


def _add(api: AdminApi, site: str) -> None:
    """A place that no line was read of."""
    with st.expander("Add a place", icon=":material/add:"):
        st.markdown("Its answers cite the page that you name, which has to be in the live snapshot.")
        correction_form(api, {"site": site, "url": "", "place": "", "kind": "week"}, "new-place")


show(session.api())
