"""Worth keeping? A sample of what visitors asked, labelled one by one; some become golden questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.labelling import question, told

Json = dict[str, Any]
PAGE = "labelling/label.py"
DAYS, SIZE, MOST = 30, 20, 100
INTRO = (
    "What visitors asked: answers that they found better or worse than Lodge was sure of, and some drawn at "
    "random. Say of each how the answer was. What is kept becomes a golden question; no answer is made of "
    "it. The keys 1 to 5 do it too, and 0 takes the last one back."
)
NONE_YET = "No sample has been drawn yet."


def show(api: AdminApi) -> None:
    """The sample that the address names, or the latest of the site; else the form for one."""
    st.title("Worth keeping?")
    st.write(INTRO)
    site = widgets.pick_site(api)
    samples = api.get("samples", site=site)["samples"]
    if session.may("editor"):
        with st.expander("Draw a sample", icon=":material/casino:", expanded=not samples):
            _draw(api, site, 1 + max((one["seed"] for one in samples), default=0))
    if not samples:
        st.info(NONE_YET if session.may("editor") else f"{NONE_YET} To draw one takes an editor.")
        return
    own = _chosen(samples)
    found = api.get("samples", own, question=st.query_params.get("question"))
    _progress(found)
    if found["next"] is None:
        st.success("All are labelled. Thank you.")
    elif session.may("editor"):
        question.draw(api, own, found["next"])
    else:
        st.caption("To label takes an editor.")
    _undo(api, own, found["labelled"])
    _labelled(own, found["labelled"])


def _draw(api: AdminApi, site: str, seed: int) -> None:
    """Days and how many; each time another sample."""
    today = datetime.now(UTC).date()
    days = {"since": (today - timedelta(days=DAYS - 1)).isoformat(), "until": today.isoformat()}
    with st.form("draw"):
        first, last, how_many, go = st.columns((3, 3, 3, 2), vertical_alignment="bottom")
        chosen = widgets.pick_days(first, last, days)
        size = how_many.number_input("How many questions", 1, MOST, SIZE)
        if not go.form_submit_button("Draw", type="primary", width="stretch"):
            return
    since, until = chosen["since"] or None, chosen["until"] or None
    with session.told():
        drawn = api.post(
            "samples", body={"site": site, "since": since, "until": until, "size": size, "seed": seed}
        )
        widgets.go_to({"site": site, "sample": str(drawn["sample"]["id"])})


def _chosen(samples: Sequence[Json]) -> int:
    """The number of the sample that is shown; the address keeps it."""
    words = {one["id"]: told.sample(one) for one in samples}
    asked = st.query_params.get("sample", "")
    now = int(asked) if asked.isdecimal() and int(asked) in words else samples[0]["id"]
    chosen = widgets.pick(st, "Sample", words, now) if len(words) > 1 else now
    if asked and asked != str(chosen):  # the question is one of another sample, or site
        st.query_params.pop("question", None)
    st.query_params["sample"] = str(chosen)
    return chosen


def _progress(found: Mapping[str, Any]) -> None:
    sample = found["sample"]
    done, total = sample["labelled"], sample["questions"]
    st.progress(done / total, f"{done} of {total} labelled")
    st.markdown(told.share(found["share"]))


def _undo(api: AdminApi, own: int, labelled: Sequence[Json]) -> None:
    """What this session labelled last, and a button that takes it back."""
    last = next((one for one in labelled if one["message_id"] == st.session_state.get(f"last-{own}")), None)
    if last is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"The last one: {told.labelled(last)}")
        if st.button("Take it back", icon=":material/undo:", shortcut="0"):
            api.delete("samples", own, "labels", last["message_id"])
            st.session_state.pop(f"last-{own}")
            st.query_params["question"] = last["message_id"]
            st.rerun()


def _labelled(own: int, labelled: Sequence[Json]) -> None:
    """Everything that was labelled, each a link to look at it again."""
    if not labelled:
        return
    with st.expander(f"Labelled so far ({len(labelled)})"):
        for one in labelled:
            with st.container(gap=None):
                again = {"sample": str(own), "question": one["message_id"]}
                label = wording.literal(wording.shortened(one["question"], 90))
                st.page_link(PAGE, label=label, query_params=again)
                when = wording.moment(one["at"], st.context.timezone)
                st.caption(f"{told.outcome(one)} · {wording.literal(one['by'])} · {when}")
            if one["golden_id"]:
                golden = {"id": one["golden_id"]}
                st.page_link("golden/golden_question.py", label="The golden question", query_params=golden)


show(session.api())
