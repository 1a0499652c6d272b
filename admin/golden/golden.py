"""Golden questions: those that must stay answered rightly, what became of them, and the button to ask."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi
from admin.golden import asking, flips, states

PAGE_ROWS = 25
MAIN = "main"


def show(api: AdminApi) -> None:
    """The list of one site; the address says which, and what of it."""
    st.title("Golden questions")
    st.caption(
        "Questions whose right answer is known. Ask them after every change: what was right must stay right."
    )
    site = _site(api)
    questions = api.get("golden", site=site)["golden"]
    with st.container(horizontal=True, vertical_alignment="center"):
        if session.may("editor"):
            st.page_link(
                "golden/golden_question.py",
                label="New golden question",
                icon=":material/add:",
                query_params={"site": site},
            )
        st.page_link("evaluations/evaluation.py", label="All runs", icon=":material/monitoring:")
    if not questions:
        st.info(_nothing())
        return
    asking.draw(api, site)
    _last_run(api, site)
    _list(questions, site)


def _site(api: AdminApi) -> str:
    sites: dict[str, str] = {site["key"]: site["name"] for site in api.get("sites")["sites"]}
    asked = st.query_params.get("site", next(iter(sites), MAIN))
    keys = dict.fromkeys((*sites, asked))
    if len(keys) == 1:
        return asked
    chosen = widgets.pick(st, "Site", {key: f"{sites.get(key, key)} ({key})" for key in keys}, asked)
    if chosen != asked:
        st.query_params.from_dict({"site": chosen})
    return chosen


def _nothing() -> str:
    if session.may("editor"):
        return (
            "None yet. Open a wrong answer in Conversations, follow it to its trace, name the page that "
            "should have answered, and make it a golden question; or write one here."
        )
    return "None yet. An editor makes them, here or from the trace of a wrong answer."


def _last_run(api: AdminApi, site: str) -> None:
    runs = api.get("golden", "runs", site=site)["runs"]
    if not runs:
        st.info("They have not been asked yet.")
        return
    last = runs[0]
    when = wording.moment(last["at"], st.context.timezone)
    st.header("The last run")
    gaps = f", {wording.counted(last['known_gaps'], 'known gap')}" if last["known_gaps"] else ""
    counts = f"{states.PASSED} {last['passed']} right, {states.FAILED} {last['failed']} wrong"
    st.markdown(
        f"**{counts}**{gaps} · {when} · {states.occasion(last['occasion'])} ({wording.literal(last['by'])})"
    )
    if len(runs) > 1:
        st.caption("Since the run before it")
        flips.draw(api.get("golden", "runs", "compare", before=runs[1]["number"], after=last["number"]))


def _list(questions: list[dict[str, Any]], site: str) -> None:
    st.header("The questions")
    wanted, text = st.query_params.get("state"), st.query_params.get("text", "")
    wanted = wanted if wanted in states.SHOWN else None
    _filter(questions, site, wanted, text)
    found = states.narrowed(questions, wanted, text)
    if not found:
        st.info("No golden question is like that.")
        return
    page = _page(len(found))
    for golden in found[page * PAGE_ROWS :][:PAGE_ROWS]:
        _row(golden)
    query = {"site": site, "state": wanted, "text": text}
    last = (page + 1) * PAGE_ROWS >= len(found)
    links = {
        "Previous": {**query, "page": str(page)} if page else None,
        "Next": None if last else {**query, "page": str(page + 2)},
    }
    widgets.turn_pages("golden/golden.py", links)


def _filter(questions: list[dict[str, Any]], site: str, wanted: str | None, text: str) -> None:
    counts = {name: sum(states.state(one) == name for one in questions) for name in states.SHOWN}
    words = {name: f"{said} ({counts[name]})" for name, said in states.SHOWN.items()}
    with st.form("filter"):
        which, text_cell, go = st.columns((3, 4, 1), vertical_alignment="bottom")
        chosen = widgets.pick(which, "Show", {"": f"All ({len(questions)})", **words}, wanted)
        given = text_cell.text_input("Words in the question", value=text).strip()
        if go.form_submit_button("Find", width="stretch"):
            widgets.go_to({"site": site, "state": chosen, "text": given})


def _row(golden: dict[str, Any]) -> None:
    """The question, and under it what became of it: in one line, which a narrow screen can break."""
    with st.container(gap=None):
        flips.link(golden["id"], golden["question"])
        facts = [wording.literal(states.told(golden))]
        if golden["record"]:
            facts.append(wording.moment(golden["record"]["at"], st.context.timezone))
        facts += [wording.literal(fact) for fact in (states.so_far(golden), golden["topic"]) if fact]
        facts += ["from visitors"] if golden["source"] == "visitors" else []
        st.caption(" · ".join(facts))


def _page(count: int) -> int:
    """The page that the address asks for, from 0; the last one there is for one beyond."""
    asked = st.query_params.get("page", "1")
    number = int(asked) if asked.isdecimal() and len(asked) < 7 else 1
    return min(max(number - 1, 0), (count - 1) // PAGE_ROWS)


show(session.api())
