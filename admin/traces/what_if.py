"""Asking again: as it is now, or with other settings, the original beside it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.traces import passages

STRATEGIES = (
    *(
        search + steps
        for search in ("hybrid", "semantic", "keyword")
        for steps in ("", "+rerank", "+topics", "+rerank+topics")
    ),
    *("brockport", "cmu", "princeton"),
)
FUSIONS: dict[str, str] = {"score": "by their scores", "rrf": "by their ranks (RRF)"}
NAMED = ("rules", "model")
RULES = {"": "as it is live", "none": "nothing of it", "draft": "their draft"}
# What the form shows for a trace that does not tell its numbers.
USUAL: dict[str, Any] = {
    "fusion": "score",
    "alpha": 0.3,
    "candidates": 50,
    "rerank_candidates": 10,
    "passages": 5,
    "refusal_threshold": 0.5,
    "seems_threshold": 0.25,
    "gate_threshold": 4.2,
}


@st.fragment
def draw(api: AdminApi, trace: dict[str, Any]) -> None:
    """The form, and what came of it the last time."""
    st.header("What if?")
    if not session.may("developer"):
        st.caption("A developer can ask the same question again here, with other settings.")
        return
    st.caption(
        "Asks the same question with the same history over the live snapshot; nothing is recorded. "
        "What you leave as it is stays as the server's settings have it."
    )
    changes = _form(trace)
    key = f"replay-{trace['trace_id']}"
    if changes is not None:
        st.session_state.pop(key, None)
        with session.told(), st.spinner("Asking again"):
            st.session_state[key] = api.post("traces", trace["trace_id"], "replay", body=changes)
    if key in st.session_state:
        _compare(trace, st.session_state[key])


def changed(trace: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """What of the form is otherwise than in the trace, as the admin API takes it."""
    before = USUAL | (trace.get("settings") or {}) | {"strategy": trace["strategy"]}
    plain = {
        name: value
        for name, value in given.items()
        if name in before and name not in NAMED and value != before[name]
    }
    filters: dict[str, Any] = {}
    if topics := [topic.strip() for topic in given.get("topics", "").split(",") if topic.strip()]:
        filters["topics"] = topics
    if prefix := given.get("prefix", "").strip():
        filters["prefix"] = prefix
    extractive = {"answerer": "extractive"} if given.get("extractive") else {}
    named = {name: given[name].strip() for name in NAMED if given.get(name, "").strip()}
    return plain | extractive | named | ({"filters": filters} if filters else {})


def _form(trace: dict[str, Any]) -> dict[str, Any] | None:
    """The changes that were sent, or None."""
    was = USUAL | (trace.get("settings") or {})
    strategies = list(dict.fromkeys((trace["strategy"], *STRATEGIES)))
    fusions = {str(was["fusion"]): str(was["fusion"])} | FUSIONS
    with st.form("what-if"):
        first, second, third = st.columns(3)
        given = {
            "strategy": first.selectbox(
                "Which searches",
                strategies,
                help="By meaning (semantic), by words (keyword) or both (hybrid). +rerank: a model compares "
                "the best with the question. +topics: only pages of the question's topics.",
            ),
            "fusion": widgets.pick(second, "The two searches are put together", fusions, was["fusion"]),
            "alpha": third.slider(
                "Share of the search by meaning (α)",
                0.0,
                1.0,
                float(was["alpha"]),
                0.05,
                help="0: by words alone; 1: by meaning alone.",
            ),
            "candidates": first.number_input("Passages of each search", 1, 500, int(was["candidates"])),
            "rerank_candidates": second.number_input(
                "Passages compared with the question (+rerank)", 1, 100, int(was["rerank_candidates"])
            ),
            "passages": third.number_input("Passages read for the answer", 1, 20, int(was["passages"])),
            "refusal_threshold": first.slider(
                "An answer is given from this confidence",
                0.0,
                1.0,
                min(float(was["refusal_threshold"]), 1.0),
                0.01,
                help="Less sure than that, and it is refused, or shown as what seems to answer.",
            ),
            "seems_threshold": third.slider(
                "Shown as what seems to answer from", 0.0, 1.0, min(float(was["seems_threshold"]), 1.0), 0.01
            ),
            "gate_threshold": second.number_input(
                "Taken for the site's business from",
                -100.0,
                100.0,
                float(was["gate_threshold"]),
                0.1,
                help="The higher, the more questions are refused as off topic.",
            ),
            "topics": first.text_input("Only these topics", placeholder="admissions, aid/loans"),
            "prefix": second.text_input("Only addresses that begin with", placeholder="https://"),
            "rules": widgets.pick(third, "What editors set", RULES, None),
            "extractive": third.checkbox("Without the language model"),
            "model": third.text_input("Another model of the language model's server"),
        }
        as_it_is, with_changes = st.columns(2)
        again = as_it_is.form_submit_button("Ask again as it is now", icon=":material/replay:")
        sent = with_changes.form_submit_button("Ask with these changes", type="primary")
    if again:
        return {}
    return changed(trace, given) if sent else None


def _compare(trace: dict[str, Any], found: dict[str, Any]) -> None:
    different = found["different"]
    if different["same"]:
        st.success("The same answer from the same places.", icon=":material/equal:")
    else:
        st.warning("Another answer: " + ", ".join(different["answer"]), icon=":material/difference:")
    if different["unknown"]:
        st.caption("The trace is from before history and settings were kept, so these may differ too.")
    before, after = st.columns(2)
    with before:
        _answer("As it was", trace["answer"])
    with after:
        _answer(f"Now, {_told(found['changes'])}", found["answer"])
    _table("Versions and settings that differ", different["versions"] + different["settings"])
    _table("Passages that stand elsewhere", [_moved(one) for one in different["passages"]])
    with st.expander("All passages of the new answer"):
        passages.draw(found["tables"])


def _told(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in changes.items()) or "with the live settings"


def _answer(title: str, answer: dict[str, Any] | None) -> None:
    with st.container(border=True):
        st.caption(wording.literal(title))
        if not answer:
            st.text("(not kept)")
            return
        st.text(answer["answer"])
        if answer["refused"]:
            widgets.refused(answer["refusal_reason"])
        for citation in answer["citations"]:
            widgets.source(citation)


def _moved(one: dict[str, Any]) -> dict[str, Any]:
    """A row with a sign: where a passage was and is, first by its rank in the end."""
    was, now = one["before"], one["after"]
    sign = "+ new" if was is None else "✕ gone" if now is None else "▲ up" if now < was else "▼ down"
    named = f"{one['title']} · {one['heading']}" if one["heading"] else one["title"]
    return {"name": named, "": sign, "before": was, "after": now}


def _table(title: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    st.markdown(f"**{title}**")
    plain = [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
    st.dataframe(pd.DataFrame(plain), hide_index=True, alt=title)
