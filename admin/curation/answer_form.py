"""An answer in an editor's words, tried as it is written: who would get it, and how visitors would see it.

It is no form of Streamlit's, which would say nothing before it is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi, ApiError
from admin.curation import answer_preview
from admin.curation.parts import Item

KEPT = "answer-form"  # in the session: how often an answer was kept, so that the next begins empty

# docs/curation.md has what further ways to ask bring.
WAYS_TO_ASK = (
    "A full question, the few words that people type into a box, and the words of people who have not seen "
    "the page: with five ways, half as many again get the answer as with two. What says less than the answer "
    "is asked by people who want something else."
)


def draw(api: AdminApi, site: str, old: Item, which: str) -> tuple[Item, bool]:
    """The answer as it stands, and whether it is to be kept."""
    own = f"{site}-{which}-{st.session_state.get(KEPT, 0)}"
    written, seen = st.columns(2)
    with written:
        ways = _ways(api, site, old, own)
        text = st.text_area(
            "The answer", old.get("text", ""), height=140, key=f"text-{own}",
            help="**bold**, lists and [words](address) are read.",
        )  # fmt: skip
        item = _more(old, own) | {"phrasings": ways, "text": text.strip()}
    with seen:
        tried = st.text_area(
            "How else might one ask? (tried, not kept; one a line)", height=90, key=f"tried-{own}"
        )
        try:
            answer_preview.draw(api, site, item, wording.lines(tried))
        except ApiError as error:
            st.caption(wording.literal(f"It cannot be tried now: {error}"))
    missing = not ways or not item["text"]
    if missing:
        st.caption("Write how one might ask, and the answer.")
    return item, st.button("Keep in the draft", type="primary", key=f"keep-{own}", disabled=missing)


def begin_anew() -> None:
    """What was written is kept now: the form is empty again."""
    st.session_state[KEPT] = st.session_state.get(KEPT, 0) + 1


def _ways(api: AdminApi, site: str, old: Item, own: str) -> list[str]:
    """The ways to ask it, with those of visitors' that were chosen."""
    typed = st.text_area(
        "Ways to ask it (one a line)", "\n".join(old.get("phrasings", ())), height=110, key=f"ways-{own}",
        help=WAYS_TO_ASK,
    )  # fmt: skip
    ways = wording.lines(typed)
    if not ways:
        return []
    asked = [one for one in _alike(api, site, ways[0]) if one["question"] not in ways]
    return list(dict.fromkeys((*ways, *choose_asked(asked, f"alike-{own}"))))


def choose_asked(asked: Sequence[Item], key: str, *, filled_in: bool = False) -> list[str]:
    """Those of visitors' questions that the answer is for; `filled_in`: at first what gets it anyway."""
    if not asked:
        return []
    chosen = [one["question"] for one in asked if one["same"] and filled_in]
    return st.pills(
        "Visitors asked this too; choose what this answers", [one["question"] for one in asked],
        selection_mode="multi", default=chosen, key=key, format_func=wording.literal,
    )  # fmt: skip


def _alike(api: AdminApi, site: str, way: str) -> Sequence[Item]:
    """What visitors asked almost like it; nothing where the server cannot tell."""
    try:
        found: list[dict[str, Any]] = api.slowly("answers", "alike", site=site, text=way[:300])["alike"]
    except ApiError:
        return ()
    return found


def _more(old: Item, own: str) -> Item:
    """Links, topic and days, which may stay empty."""
    links = "\n".join(f"{link['label']} | {link['url']}" for link in old.get("links", ()))
    given = st.text_area("Links (a line each: words | address)", links, height=80, key=f"links-{own}")
    topic = st.text_input(
        "Only for questions about this topic (may stay empty)", old.get("topic") or "", key=f"topic-{own}"
    )
    first, last = st.columns(2)
    begins = first.date_input("Valid from (may stay empty)", _day(old.get("valid_from")), key=f"from-{own}")
    ends = last.date_input("Valid until (may stay empty)", _day(old.get("valid_until")), key=f"until-{own}")
    return {
        "links": [_link(line) for line in wording.lines(given)],
        "topic": topic.strip() or None,
        "valid_from": begins.isoformat() if begins else None,
        "valid_until": ends.isoformat() if ends else None,
    }


def _link(line: str) -> dict[str, str]:
    label, _, url = line.rpartition("|")
    return {"label": label.strip() or url.strip(), "url": url.strip()}


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
