"""An answer in an editor's own words: how else one might ask, and the page that says more, chosen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi
from admin.curation import answer_preview
from admin.curation.answer_form import WAYS_TO_ASK, choose_asked
from admin.mending.change import Change, distinct

Json = dict[str, Any]
MOST_PAGES, MOST_CHARS = 20, 300
ANY_TOPIC = "Whatever it sounds like"


def draw(api: AdminApi, trace: Json, asked: Json) -> Change:
    """The form, filled in; beside it what visitors would see, and which questions would get it."""
    form, seen = st.columns(2)
    with form:
        typed = st.text_area(
            "How one might ask it (one way on each line)",
            asked["question"],
            height=110,
            help=WAYS_TO_ASK,
        )
        others_asked = choose_asked(asked["alike"], "alike", filled_in=True)
        phrasings = list(dict.fromkeys((*wording.lines(typed), *others_asked)))
        text = st.text_area("The answer", height=140, help="**bold**, lists and [words](address) are read.")
        links = _page(api, trace, asked)
        topic = _topic(asked["topics"])
        others = st.text_area(
            "How else might one ask? (tried, not kept)",
            "\n".join(one["question"] for one in asked["alike"]),
            height=90,
            key="other-ways",
        )
    item = {
        "phrasings": phrasings,
        "text": text.strip(),
        "links": links,
        "topic": topic,
        "valid_from": None,
        "valid_until": None,
    }
    with seen:
        answer_preview.draw(api, asked["site"], item, wording.lines(others))
    missing = "" if item["phrasings"] and item["text"] else "Write how one might ask, and the answer."
    return Change("curated", item, missing=missing)


def _page(api: AdminApi, trace: Json, asked: Json) -> list[dict[str, str]]:
    """A link to one of the pages that were found, then or else now, by its title, or to an address that is
    typed."""
    key = f"pages-{trace['trace_id']}"
    if key not in st.session_state:  # once: what is chosen is forgotten when the choices change
        found = distinct(api.get("traces", trace["trace_id"], "passages")["tables"], MOST_PAGES)
        if not found:
            now = api.slowly("passages", site=asked["site"], text=asked["question"][:MOST_CHARS])
            found = distinct(now["tables"], MOST_PAGES)
        st.session_state[key] = found
    found = st.session_state[key]
    titles = {row["url"]: row["title"] or row["url"] for row in reversed(found)}
    chosen = st.selectbox(
        "A page that says more (may stay empty)",
        list(dict.fromkeys(row["url"] for row in found)),
        index=None,
        format_func=lambda url: titles.get(url, url),
        placeholder="One that was found, or its address",
        accept_new_options=True,
    )
    url = (chosen or "").strip()
    return [{"label": titles.get(url, url), "url": url}] if url else []


def _topic(topics: list[str]) -> str | None:
    """Offered and never filled in: a wrong topic keeps the answer from those who ask for it."""
    chosen = st.selectbox(
        "Only for questions about a topic",
        [ANY_TOPIC, *topics],
        help="A question that sounds like another topic does not get the answer.",
        accept_new_options=True,
    )
    return None if chosen in (None, "", ANY_TOPIC) else chosen.strip()
