"""Overview: how many ask, what becomes of it, and how long it takes; by day, site and topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import plots, session
from admin.client import AdminApi
from admin.coverage import asked, judging

DAYS = 30
Row = Mapping[str, Any]
COLUMNS = {
    "questions": "Questions",
    "answered": "Answered confidently",
    "seems": "Seems to answer",
    "refused": "Refused",
    "degraded": "Simpler than usual",
    "helpful": "Helpful",
    "unhelpful": "Not helpful",
    "p50_ms": "Half within, ms",
    "p95_ms": "Nearly all within, ms",
}


def show(api: AdminApi) -> None:
    """The days, site and topic that the address names; without, the last thirty days."""
    st.title("Overview")
    wanted = asked.chosen(st.query_params, DAYS)
    found = api.get("overview", **wanted)
    asked.bar(api, wanted)
    if not found["total"]["questions"]:
        st.info("No one asked anything in these days. Choose others above.")
        st.page_link("sites/widget.py", label="Put the widget on a page", icon=":material/code:")
        return
    _total(found["total"], found)
    if found["help_missed"]:
        st.page_link(
            "conversations/conversations.py",
            label="Read the lines that may have called for help",
            icon=":material/emergency:",
            query_params={**wanted, "outcome": "Help lines possibly missed"},
        )
    _judged(api, wanted)
    _days([_dated(row) for row in without_gaps(found["days"])])
    _slices("site", found["sites"])
    _slices("topic", found["topics"])


def without_gaps(days: Sequence[Row]) -> list[dict[str, Any]]:
    """The days in a row; those on which nobody asked have zeros, and no times."""
    known = {row["name"]: dict(row) for row in days}
    first, last = date.fromisoformat(min(known)), date.fromisoformat(max(known))
    names = [(first + timedelta(days=number)).isoformat() for number in range((last - first).days + 1)]
    nothing = dict.fromkeys(COLUMNS, 0) | {"p50_ms": None, "p95_ms": None}
    return [known.get(name, {**nothing, "name": name}) for name in names]


def share(part: int, whole: int) -> str:
    """`42 %`; a dash where there is nothing to have a share of."""
    return f"{part / whole:.0%}".replace("%", " %") if whole else "–"


def _dated(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"day": date.fromisoformat(row["name"])}


def _total(total: Row, found: Row) -> None:
    questions, rated = total["questions"], total["helpful"] + total["unhelpful"]
    with st.container(horizontal=True):
        st.metric("Questions", f"{questions:,}", width=150)
        sure = "An answer was given. Whether it was right, says the sample below"
        st.metric("Answered confidently", share(total["answered"], questions), help=sure, width=190)
        seems = "The passages were shown, and no answer was sure enough"
        st.metric("Seems to answer", share(total["seems"], questions), help=seems, width=150)
        st.metric("Refused", share(total["refused"], questions), width=150)
        st.metric(
            "Found helpful", share(total["helpful"], rated), help=f"Of {rated:,} that were rated", width=150
        )
        simpler = "The language model was down, slow or busy, or too many visitors asked at once"
        st.metric("Simpler than usual", share(total["degraded"], questions), help=simpler, width=170)
        helped = "Lines in which somebody may need help at once, and got help lines, alone or above an answer"
        st.metric("Help lines shown", f"{found['help_lines']:,}", help=helped, width=150)
        missed = "Lines that got no help lines and sound a little as if somebody may need help: read them"
        st.metric("Possibly missed", f"{found['help_missed']:,}", help=missed, width=150)
        half, most = "Half of the answers took no longer", "95 of 100 answers took no longer"
        st.metric("Half answered within", _time(total["p50_ms"]), help=half, width=190)
        st.metric("Nearly all within", _time(total["p95_ms"]), help=most, width=170)


def _judged(api: AdminApi, wanted: Mapping[str, str]) -> None:
    """What share was right, of each kind, as far as somebody has looked."""
    for one in api.get("judgements", limit=0, **wanted)["shares"]:
        if one["judged"]:
            st.caption(f"{judging.OUTCOMES[one['outcome']].capitalize()}: {judging.told(one)}")
    st.page_link(
        "coverage/judge.py",
        label="Judge a sample: were they right?",
        icon=":material/fact_check:",
        query_params=dict(wanted),
    )


def _days(days: list[dict[str, Any]]) -> None:
    busiest = max(days, key=lambda row: int(row["questions"]))
    told = wording.counted(sum(row["questions"] for row in days), "question")
    if len(days) == 1:
        told += f" on one day, {busiest['name']}."
    else:
        told += f" in {len(days)} days, most of them on {busiest['name']}: {busiest['questions']:,}."
    plots.bars("Questions by day", told, _table(days, "answered", "seems", "refused"))
    helpful, unhelpful = (sum(row[key] for row in days) for key in ("helpful", "unhelpful"))
    helped = wording.counted(helpful, "answer was found helpful", "answers were found helpful")
    told = f"{helped}, {unhelpful:,} {'was' if unhelpful == 1 else 'were'} not."
    plots.bars("Ratings by day", told, _table(days, "helpful", "unhelpful"))
    if degraded := sum(row["degraded"] for row in days):
        simpler = wording.counted(degraded, "answer was simpler", "answers were simpler")
        told = f"{simpler} than usual: a part was down, or too many asked at once."
        plots.bars("Simpler than usual, by day", told, _table(days, "degraded"))
    if timed := [row for row in days if row["p95_ms"] is not None]:
        slowest = max(timed, key=lambda row: float(row["p95_ms"]))
        within = _time(slowest["p95_ms"])
        told = f"On the slowest day, {slowest['name']}, 95 of 100 were answered within {within}."
        plots.lines("Time to answer, by day", told, _table(timed, "p50_ms", "p95_ms"))


def _table(days: Sequence[Row], *keys: str) -> pd.DataFrame:
    return plots.table(days, {"day": "Day", **{key: COLUMNS[key] for key in keys}})


def _slices(kind: str, rows: Sequence[Row]) -> None:
    named = sorted(
        ({**row, kind: row["name"] or "none"} for row in rows), key=lambda row: -int(row["questions"])
    )
    most, head = named[0], {kind: kind.capitalize()}
    told = f"Most questions: {most[kind]}, {most['questions']:,}, of which {most['refused']:,} were refused."
    columns = head | {key: COLUMNS[key] for key in ("answered", "seems", "refused")}
    plots.bars(f"By {kind}", wording.literal(told), plots.table(named, columns), flat=True)
    st.dataframe(plots.table(named, head | COLUMNS), hide_index=True, alt=f"All numbers by {kind}")


def _time(ms: float | None) -> str:
    if ms is None:
        return "–"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


show(session.api())
