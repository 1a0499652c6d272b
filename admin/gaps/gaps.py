"""Missing answers: what visitors asked and did not get, questions of one meaning together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.coverage import asked
from admin.gaps import gap_words

DAYS = 90
PAGE_ROWS = 20
QUESTION_CHARS = 100


def show(api: AdminApi) -> None:
    """One page of the list; the address says which, and what is looked for."""
    st.title("Missing answers")
    st.write(
        "Questions that were refused, whose answer did not help, or of whose answer Lodge was barely sure "
        "enough to show it; those that mean the same stand together. Mend the page, or write an answer, and "
        "mark it."
    )
    wanted = asked.chosen(st.query_params, DAYS)
    kind = st.query_params.get("kind", "missing")
    state = st.query_params.get("state", "to_do")
    leafed = st.query_params.get("offset", "")
    offset = int(leafed) if leafed.isascii() and leafed.isdigit() else 0
    asked.bar(api, wanted)
    kind, state = _narrow(kind, state)
    found = api.get("gaps", offset=offset, limit=PAGE_ROWS, kind=kind, state=state, **wanted)
    _waiting(found["waiting"])
    if found["gaps"]:
        for gap in found["gaps"]:
            _row(gap)
    else:
        st.info(_nothing(state, found))
    query = {name: value for name, value in st.query_params.items() if name != "offset"}
    more = None if found["next"] is None else {**query, "offset": str(found["next"])}
    widgets.turn_pages("gaps/gaps.py", {"First page": query if offset else None, "More": more})


def _narrow(kind: str, state: str) -> tuple[str, str]:
    """Two choices that hold at once, and stand in the address."""
    what, became = st.columns(2)
    kind = widgets.pick(what, "What went wrong", gap_words.KINDS, kind)
    state = widgets.pick(became, "What became of it", gap_words.STATES, state)
    if (kind, state) != (st.query_params.get("kind", "missing"), st.query_params.get("state", "to_do")):
        st.query_params.update({"kind": kind, "state": state})
        st.query_params.pop("offset", None)
    return kind, state


def _waiting(count: int) -> None:
    if count:
        st.info(
            f"{count:,} questions are still being put together, the newest first; the list grows meanwhile."
        )
        st.button("Look again", icon=":material/refresh:")


def _nothing(state: str, found: Mapping[str, Any]) -> str:
    if found["waiting"]:
        return "None yet: look again in a moment."
    if state == "to_do":
        return "Nothing to do: every question of these days was answered, or is taken care of."
    return "There is none like that in these days."


def _row(gap: dict[str, Any]) -> None:
    with st.container(border=True):
        st.page_link(
            "gaps/gap.py",
            label=wording.literal(wording.shortened(gap["question"], QUESTION_CHARS)),
            query_params={"id": str(gap["id"])},
        )
        state = gap_words.OF_ONE[gap["state"]]
        facts = [gap_words.counts(gap["kinds"]), gap_words.trend(gap["weeks"]), state]
        st.caption(f"**{_times(gap['questions'])}** · {' · '.join([*facts, _owner(gap)])}")


def _times(count: int) -> str:
    return "Once" if count == 1 else f"{count:,} times"


def _owner(gap: dict[str, Any]) -> str:
    named = [wording.literal(contact["label"]) for contact in gap["contacts"]]
    topic = wording.literal(gap["topic"] or "no topic")
    return f"{', '.join(named[:2])} ({topic})" if named else topic


show(session.api())
