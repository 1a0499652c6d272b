"""A form for each part but answers: what an editor fills in becomes an item of the draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from admin import formatting as wording
from admin import widgets
from admin.curation.parts import AUDIENCE, FAVOUR, KIND, LEAVE_OUT, Item

Form = Callable[[Item], Item]
A_DAY = timedelta(days=1)


def _leave_out(old: Item) -> Item:
    kind = widgets.pick(st, "Leave out pages", LEAVE_OUT, old.get("kind"))
    value = st.text_area(
        "Which", old.get("value", ""), height=100, placeholder="/news/archive/ or 36, or an address a line"
    )
    return {"kind": kind, "value": value.strip(), "why": _why(old)}


def _favour(old: Item) -> Item:
    page = st.text_input(
        "The page's address", old.get("page", ""), placeholder="https://www.example.edu/parking"
    )
    place = list(FAVOUR).index(old.get("kind", "pin"))
    kind = st.radio("How", FAVOUR, place, format_func=FAVOUR.__getitem__)
    phrase = st.text_input(
        "For questions with these words, in any order", old.get("phrase") or "", placeholder="parking permit"
    )
    topic = st.text_input("Or for questions about this topic", old.get("topic") or "")
    return {
        "kind": kind,
        "page": page.strip(),
        "phrase": phrase.strip() or None,
        "topic": topic.strip() or None,
        "why": _why(old),
    }


AS_TOLD, ANYONE, THESE = "as the page itself tells", "for anyone", "for these:"


def _label(old: Item) -> Item:
    page = st.text_input(
        "Address of the page, or the beginning of several with * at its end",
        old.get("page", ""),
        placeholder="https://www.example.edu/grad/*",
    )
    kind = widgets.pick(st, "It is", {"": AS_TOLD, **KIND}, old.get("kind") or "")
    named = old.get("audiences")
    choice = st.radio("It is meant", [AS_TOLD, ANYONE, THESE], 0 if named is None else 2 if named else 1)
    chosen = st.multiselect("Whom", list(AUDIENCE), named or [], format_func=lambda one: AUDIENCE[one])
    audiences = {AS_TOLD: None, ANYONE: [], THESE: chosen}[choice]
    return {"page": page.strip(), "kind": kind or None, "audiences": audiences, "why": _why(old)}


def _wording(old: Item) -> Item:
    said = st.text_area("Visitors say (one a line)", "\n".join(old.get("says", ())), height=100)
    means = st.text_input("The pages write", old.get("means", ""))
    return {"says": wording.lines(said), "means": means.strip(), "why": _why(old)}


def _notice(old: Item) -> Item:
    text = st.text_area("What visitors must know", old.get("text", ""), height=100)
    until = datetime.fromisoformat(old["until"]) if old.get("until") else datetime.now(UTC) + A_DAY
    day_field, time_field = st.columns(2)
    day = day_field.date_input("It is over on", until.date())
    hour = time_field.time_input("at (UTC)", until.time().replace(second=0, microsecond=0))
    url = st.text_input("A page that says more (may stay empty)", old.get("url", ""))
    return {"text": text.strip(), "until": _moment(day, hour), "url": url.strip()}


def _suggestion(old: Item) -> Item:
    return {"text": st.text_input("The question", old.get("text", "")).strip()}


def _contact(old: Item) -> Item:
    first, second = st.columns(2)
    label = first.text_input("Who", old.get("label", ""), placeholder="Office of the Registrar")
    topic = second.text_input("About which topic (empty: anything)", old.get("topic") or "")
    fields = {
        "email": first.text_input("E-mail", old.get("email", "")),
        "phone": second.text_input("Telephone", old.get("phone", "")),
        "url": first.text_input("Page", old.get("url", "")),
        "hours": second.text_input("Hours", old.get("hours", "")),
    }
    return {"label": label.strip(), "topic": topic.strip() or None} | {
        name: value.strip() for name, value in fields.items()
    }


FORMS: Mapping[str, Form] = {
    "leave_out": _leave_out,
    "favours": _favour,
    "labels": _label,
    "wordings": _wording,
    "notices": _notice,
    "suggestions": _suggestion,
    "contacts": _contact,
}
# Which field an item's id is made of.
NAMED_BY: Mapping[str, str] = {
    "leave_out": "value",
    "favours": "page",
    "labels": "page",
    "wordings": "means",
    "curated": "text",
    "notices": "text",
    "suggestions": "text",
    "contacts": "label",
}


def _why(old: Item) -> str:
    return st.text_input("Why (for whoever comes after you)", old.get("why", "")).strip()


def _moment(day: date, hour: time) -> str:
    return datetime.combine(day, hour, UTC).isoformat()
