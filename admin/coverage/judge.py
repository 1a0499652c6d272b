"""A sample of answers, judged by hand: what was asked, what was said, was it right?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import mend_links as mending
from admin import session, widgets
from admin.client import AdminApi
from admin.coverage import asked, judging

Json = dict[str, Any]
DAYS, AT_ONCE = 90, 5
RIGHT = {"confident": "Right", "seems": "It does answer", "refused": "Rightly refused"}
WRONG = {"confident": "Wrong", "seems": "It does not", "refused": "There is an answer"}


def show(api: AdminApi) -> None:
    """The sample of what the address says; what is judged goes, and another comes."""
    st.title("Were they right?")
    st.write(
        "Answers drawn at random. Follow the sources, then say whether the answer is right: from that "
        "follows what share is, of all that were given in these days."
    )
    wanted = asked.chosen(st.query_params, DAYS)
    asked.bar(api, wanted)
    outcome = widgets.pick(st, "Questions that were", judging.OUTCOMES, st.query_params.get("outcome"))
    key = f"sample-{outcome}-{sorted(wanted.items())}"
    found = api.get("judgements", outcome=outcome, limit=AT_ONCE, **wanted)
    st.markdown(judging.told(next(one for one in found["shares"] if one["outcome"] == outcome)))
    kept = _kept(key, found["sample"])
    if not kept:
        st.info("Nothing of these days is left to be judged.")
    for one in kept:
        _one(api, one, outcome, key)


def _kept(key: str, drawn: Sequence[Json]) -> list[Json]:
    """Those that this session was shown and has not judged, before others that were drawn since."""
    shown: dict[str, Json] = st.session_state.setdefault(key, {})
    for one in drawn:
        if len(shown) < AT_ONCE:
            shown.setdefault(one["message_id"], one)
    return list(shown.values())


def _one(api: AdminApi, one: Json, outcome: str, key: str) -> None:
    own, answer = one["message_id"], one["answer"]
    with st.container(border=True):
        st.caption(
            wording.literal(" · ".join(part for part in (one["day"], one["site"], one["topic"]) if part))
        )
        widgets.as_asked(one["asked"], one["question"])
        st.text(answer["answer"])
        for citation in answer.get("citations", ()):
            widgets.source(citation)
        with st.container(horizontal=True, vertical_alignment="center"):
            widgets.link_conversation(one["conversation_id"], "The conversation")
            widgets.link_trace(one["trace_id"], "How it came about")
            if session.may("editor"):
                for right, words, icon in (
                    (True, RIGHT[outcome], ":material/check:"),
                    (False, WRONG[outcome], ":material/close:"),
                ):
                    if st.button(words, key=f"{own}-{right}", icon=icon):
                        api.put("judgements", own, body={"right": right})
                        del st.session_state[key][own]
                        st.rerun()
            else:
                st.caption("To judge takes an editor.")
        mending.draw(one["trace_id"])


show(session.api())
