"""What several pages draw alike: choices, days, links to more rows, and what is told of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi

ANY = "any"
ICONS = {"Newest": ":material/first_page:", "First page": ":material/first_page:"}
ICONS |= dict.fromkeys(("Older", "More"), ":material/chevron_right:")
# Why an answer was refused → in an editor's words.
REFUSALS = {
    "no_evidence": "nothing found that answers",
    "off_topic": "not the site's business",
    "unsafe": "asks for harm, or gives orders",
}
Key = TypeVar("Key")
Query = Mapping[str, str | None]


def pick(cell: Any, label: str, words: Mapping[Key, str], now: Key | None) -> Key:
    """One of the keys, by its words; at first `now`, or the first where that is none of them."""
    options = list(words)
    place = next((number for number, one in enumerate(options) if one == now), 0)
    chosen: Key = cell.selectbox(label, options, index=place, format_func=words.__getitem__)
    return chosen


def pick_site(api: AdminApi) -> str:
    """The site that the page is about, by its key: the only one, or one that is chosen; `?site=` at first."""
    sites: dict[str, str] = {site["key"]: site["name"] for site in api.get("sites")["sites"]}
    if len(sites) == 1:
        return next(iter(sites))
    return pick(st, "Site", sites, st.query_params.get("site"))


def pick_any(
    cell: Any, label: str, names: Iterable[str], now: str | None, words: Mapping[str, str] | None = None
) -> str:
    """One of the names, or nothing. What the address says is offered, though there may be none of it."""
    offered: dict[str, str] = {"": ANY}
    offered |= {name: (words or {}).get(name, name) for name in (*names, *([now] if now else ()))}
    return pick(cell, label, offered, now)


def pick_days(first: Any, last: Any, wanted: Mapping[str, str]) -> dict[str, str]:
    """The filter's `since` and `until`, ISO 8601; empty where no day is chosen."""
    since = first.date_input("From", value=wording.day(wanted.get("since")))
    until = last.date_input("Until", value=wording.day(wanted.get("until")))
    return {"since": since.isoformat() if since else "", "until": until.isoformat() if until else ""}


def given(values: Query) -> dict[str, str]:
    """Those that say anything."""
    return {name: value for name, value in values.items() if value}


def go_to(query: Query) -> None:
    """Draws the page anew with this in its address."""
    st.query_params.from_dict(given(query))
    st.rerun()


def turn_pages(page: str, links: Mapping[str, Query | None]) -> None:
    """A link to the page for each label, with its query; none where that is None."""
    with st.container(horizontal=True):
        for label, query in links.items():
            if query is not None:
                st.page_link(page, label=label, icon=ICONS.get(label), query_params=given(query))


def link_conversation(conversation_id: str, label: str, icon: str | None = None) -> None:
    """A link to a conversation's page."""
    page = "conversations/conversation.py"
    st.page_link(page, label=label, icon=icon, query_params={"id": conversation_id})


def link_trace(trace_id: str | None, label: str, icon: str | None = None) -> None:
    """A link to a trace's page; nothing without a trace."""
    if trace_id:
        st.page_link("traces/trace.py", label=label, icon=icon, query_params={"id": trace_id})


def as_asked(asked: str | None, question: str) -> None:
    """A visitor's own words, and beside them as they were understood where that is otherwise."""
    st.text(asked or question)
    if asked and " ".join(asked.casefold().split()) != " ".join(question.casefold().split()):
        st.caption(f"Understood as: {wording.literal(question)}")


def rated(helpful: bool, yes: str, no: str) -> None:
    """A visitor's thumb, up or down, in these words."""
    if helpful:
        st.badge(yes, color="green", icon=":material/thumb_up:")
    else:
        st.badge(no, color="red", icon=":material/thumb_down:")


def refused(reason: str | None) -> None:
    """That an answer is a refusal, and why."""
    said = f"Refused: {REFUSALS.get(reason or '', reason or '')}"
    st.badge(said, color="orange", icon=":material/block:")


def source(citation: Mapping[str, Any], heading: str = "") -> None:
    """A page that an answer cites, under its number."""
    st.markdown(f"**\\[{citation['n']}\\]** {wording.link(citation['title'], citation['url'])}{heading}")


def contact_line(contact: Mapping[str, str]) -> str:
    """`Registrar: registrar@example.edu, 555-0100`, as Markdown."""
    ways = [contact[way] for way in ("email", "phone", "url", "hours") if contact[way]]
    return wording.literal(f"{contact['label']}: {', '.join(ways)}")


def download(label: str, data: Callable[[], bytes], file_name: str, note: str | None = None) -> None:
    """A button for a file, which is made when it is pressed."""
    icon = ":material/download:"
    st.download_button(label, data=data, file_name=file_name, icon=icon, on_click="ignore", help=note)
