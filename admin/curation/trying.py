"""What a draft would do: to the pages at once, to past and golden questions aside, with progress."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import job_progress as watching
from admin.client import AdminApi, ApiError
from admin.curation.verdicts import VERDICTS

Json = dict[str, Any]
SHOWN = 25  # changes side by side
_COLUMNS = {"title": "Page", "cited": "Answers that cite it", "rule": "Left out by", "url": "Address"}


def draw_pages(api: AdminApi, site: str) -> None:
    """Which pages go, the most cited first."""
    found = api.slowly("rules", site, "draft", "pages")
    if not (found["goes"] or found["comes_back"]):
        st.write(f"It leaves out as many pages as now: {found['left_out_then']:,} of {found['total']:,}.")
        return
    st.write(
        f"It leaves out **{found['goes']:,}** of {found['total']:,} pages that answer now"
        + (f", and brings **{found['comes_back']:,}** back." if found["comes_back"] else ".")
    )
    if found["sample"]:
        rows = pd.DataFrame(found["sample"]).rename(columns=_COLUMNS)
        st.dataframe(
            rows[[*_COLUMNS.values()]],
            hide_index=True,
            alt="Pages that would be left out, the most cited first",
        )


def draw_questions(api: AdminApi, site: str) -> None:
    """The button that tries the draft, its progress, and what came of it."""
    key = f"preview-{site}"
    with st.form(f"try-{site}", border=False):
        count, go = st.columns((2, 3), vertical_alignment="bottom")
        questions = count.number_input("Past questions", 0, 5000, 1000, step=100)
        sent = go.form_submit_button("Try it on past and golden questions", icon=":material/experiment:")
    if sent:
        st.session_state[key] = api.post(
            "rules", site, "draft", "preview", body={"questions": int(questions)}
        )["id"]
    if job_id := st.session_state.get(key):
        _watch(api, key, job_id)


def _watch(api: AdminApi, key: str, job_id: str) -> None:
    try:
        job = api.get("previews", job_id)
    except ApiError:
        del st.session_state[key]
        st.info("The preview is gone; the server was started anew. Try it again.")
        return
    if watching.is_open(job):
        watching.bar(api, job_id, _so_far)
    elif job["state"] == "done":
        _result(job["result"])
    else:
        st.warning(wording.literal(job["says"] or f"The preview was {job['state']}."))


def _so_far(job: Json) -> str:
    return f"{job['done']:,} of {job['total'] or '…'} questions"


def _result(found: Json) -> None:
    asked, golden = found["questions"], found["golden"]
    if not (asked or golden):
        st.info(
            "Nothing was asked of this site yet, and it has no golden questions: there is nothing to try."
        )
        return
    if not found["changes"]:
        st.success(f"None of {asked:,} past and {golden:,} golden questions is answered otherwise.")
        return
    changed, lost, refused, answered, broken = st.columns(5)
    changed.metric("Answers that change", f"{found['changed']:,} of {asked:,}")
    lost.metric("Lose a page", f"{found['loses_page']:,}")
    refused.metric("No longer answered", f"{found['newly_refused']:,}")
    answered.metric("Newly answered", f"{found['newly_answered']:,}")
    broken.metric("Golden broken", f"{found['broken']:,} of {golden:,}")
    if found["mended"]:
        mended = wording.counted(found["mended"], "golden question")
        st.success(f"{mended} answered wrongly now will be answered rightly.")
    for change in found["changes"][:SHOWN]:
        _change(change)
    if len(found["changes"]) > SHOWN:
        st.caption(f"And {len(found['changes']) - SHOWN:,} more.")


def _change(change: Json) -> None:
    with st.expander(wording.literal(f"{_marks(change)}{change['question']}")):
        if change["failed_after"]:
            st.warning(wording.literal(f"Golden question: {change['failed_after']}"))
        before, after = st.columns(2)
        for column, title, side in ((before, "Now", "before"), (after, "With the draft", "after")):
            with column, st.container(border=True):
                st.caption(title)
                st.text(change[side]["answer"])
                for page in change[side]["pages"]:
                    st.markdown("- " + wording.link(page["title"] or page["url"], page["url"]))


def _marks(change: Json) -> str:
    """`[golden, ✕ breaks …] `, `[asked 3 times, loses its page] `; nothing where there is nothing to say."""
    marks = ["golden"] if change["golden"] else []
    if change["times"] > 1:
        marks.append(f"asked {change['times']} times")
    marks.append(VERDICTS[change["verdict"]])
    return f"[{', '.join(marks)}] "
