"""Two snapshots side by side: pages in, out and changed, and the golden questions that flip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import job_progress as watching
from admin import session, widgets
from admin.client import AdminApi
from admin.snapshots import card as shelf

Json = dict[str, Any]
ROWS = 50
KINDS = {"in": "New pages", "out": "Pages that are gone", "changed": "Changed pages"}
FLIPS = {
    "broken": ("✕ Broken: right before, wrong after", True),
    "still_wrong": ("✕ Wrong in both", False),
    "mended": ("✓ Mended: wrong before, right after", False),
}


def draw(api: AdminApi, snapshots: Sequence[Json]) -> None:
    """Choose two, and see what differs."""
    st.header("Compare two snapshots")
    by_name = {one["name"]: one for one in snapshots}
    names = list(by_name)
    live = next((one["name"] for one in snapshots if one["current"]), names[-1])
    newest = next((name for name in names if name != live), live)
    first, second = sorted((live, newest))
    before_cell, after_cell = st.columns(2)
    labels = {name: shelf.label(one) for name, one in by_name.items()}
    before = widgets.pick(before_cell, "Before", labels, first)
    after = widgets.pick(after_cell, "After", labels, second)
    if before == after:
        st.info("Choose two different ones.")
        return
    _pages(api, before, after)
    _golden(api, before, after)


def _pages(api: AdminApi, before: str, after: str) -> None:
    counts = api.slowly("snapshots", "compare", before=before, after=after, offset=0, limit=1)["counts"]
    for cell, (kind, title) in zip(st.columns(4), [*KINDS.items(), ("same", "The same")], strict=True):
        cell.metric(title, f"{counts[kind]:,}")
    there = [kind for kind in KINDS if counts[kind]]
    if not there:
        st.success("Every page is the same in both.", icon=":material/check:")
        return
    kind = st.radio("Show", there, format_func=lambda one: KINDS[one], horizontal=True)
    number = 1
    if (parts := -(-counts[kind] // ROWS)) > 1:
        number = int(st.number_input(f"Part of the list, of {parts:,}", 1, parts, key=f"part-{kind}"))
    rows = api.slowly(
        "snapshots", "compare", before=before, after=after, kind=kind, offset=(number - 1) * ROWS, limit=ROWS
    )["pages"]
    st.dataframe(_table(rows, kind), hide_index=True, alt=KINDS[kind])
    if kind == "changed":
        _one_page(api, before, after, [row["url"] for row in rows])


def _table(rows: Sequence[Json], kind: str) -> pd.DataFrame:
    columns: dict[str, list[Any]] = {
        "Page": [row["title_after"] or row["title_before"] or row["url"] for row in rows],
        "Address": [row["url"] for row in rows],
    }
    if kind == "out":
        columns["Why it is left out"] = [row["why"] or "The crawl no longer has it." for row in rows]
    if kind == "changed":
        columns["What differs"] = [_what(row) for row in rows]
    return pd.DataFrame(columns)


def _what(row: Json) -> str:
    parts = [f"title, was “{row['title_before']}”"] if row["title_differs"] else []
    if row["text_differs"]:
        was, now = row["passages_before"], row["passages_after"]
        parts.append("text" if was == now else f"text: {was} passages, now {now}")
    return ", ".join(parts)


def _one_page(api: AdminApi, before: str, after: str, urls: Sequence[str]) -> None:
    url = st.selectbox("See what changed on", urls, index=None, placeholder="choose a page")
    if url is None:
        return
    found = api.slowly("snapshots", "compare", "page", before=before, after=after, url=url)
    for cell, title, key in zip(
        st.columns(2), ("Only before", "Only after"), ("only_before", "only_after"), strict=True
    ):
        with cell.container(border=True):
            st.markdown(f"**{title}**")
            if not found[key]:
                st.caption("Nothing.")
            for passage in found[key]:
                if passage["heading"]:
                    st.caption(wording.literal(passage["heading"]))
                st.text(passage["text"])


def _golden(api: AdminApi, before: str, after: str) -> None:
    st.subheader("Golden questions")
    st.caption(
        "Each is asked over both snapshots, aside; visitors do not notice it, and nothing is recorded."
    )
    job = watching.newest(api, "comparison")
    if watching.is_open(job):
        watching.progress(api, job)
        return
    if job is not None and job["state"] == "done":
        found = job["result"]
        if (found["before"], found["after"]) == (before, after):
            _flips(found["questions"])
    elif job is not None:
        watching.ended(api, job)
    if not session.may("editor"):
        st.caption("Asking them takes an editor.")
    elif st.button("Ask the golden questions over both", icon=":material/quiz:"):
        with session.told():
            job = api.post("snapshots", "compare", "golden", body={"before": before, "after": after})
            watching.remember("comparison", job)
            st.rerun()


def _flips(questions: Sequence[Json]) -> None:
    broken = sum(one["change"] == "broken" for one in questions)
    right = sum(one["after"]["failure"] is None for one in questions)
    says = f"{right} of {len(questions)} are answered rightly over the later one"
    if broken:
        st.error(f"{says}; {broken} that were right before are not any more.", icon=":material/close:")
    else:
        st.success(f"{says}; none is lost.", icon=":material/check:")
    for change, (title, opened) in FLIPS.items():
        for one in (one for one in questions if one["change"] == change):
            with st.expander(f"{title} · {wording.literal(one['question'])}", expanded=opened):
                for cell, when in zip(st.columns(2), ("before", "after"), strict=True):
                    with cell.container(border=True):
                        failure = one[when]["failure"]
                        st.markdown(f"**{when.capitalize()}:** {'✕ ' + failure if failure else '✓ right'}")
                        st.text(one[when]["answer"])
                        for url in one[when]["cited"]:
                            st.markdown("- " + wording.link(url, url))
