"""One question of a sample: how it was asked, what was shown, what is right, and the five labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import widgets
from admin.client import AdminApi
from admin.labelling import told
from admin.mending import right_words

Json = dict[str, Any]
Right = tuple[list[str], list[str]]  # the pages that may answer it, and the words of a right answer
NOTHING: Right = ([], [])
MOST_QUOTED = 80
HOW = "With a page and words of a right answer it becomes a golden question; without, only the label is kept."


def draw(api: AdminApi, sample: int, one: Json) -> None:
    """The question that is to be labelled; a label is kept at once, and the next one comes."""
    own, answer = one["message_id"], one["answer"]
    st.header(wording.literal(one["question"]))
    _about(one)
    shown, right = st.columns((3, 2))
    with shown.container(border=True):
        st.subheader("What was shown")
        _answer(answer)
    with right.container(border=True):
        if_right = NOTHING if answer["refused"] else _if_right(one)
        if_not = _if_not(one)
        st.caption(HOW)
    given = {"right": if_right, "partly": if_not, "wrong": if_not}
    with st.container(horizontal=True):
        for label, words, shortcut, icon in choices(answer["refused"]):
            if st.button(words, key=f"{own}-{label}", shortcut=shortcut, icon=icon):
                _keep(api, sample, own, label, given.get(label, NOTHING))
    with st.container(horizontal=True):
        widgets.link_conversation(one["conversation_id"], "The conversation", ":material/forum:")
        widgets.link_trace(one["trace_id"], "How it came about", ":material/route:")


def choices(refused: bool) -> Iterator[tuple[str, str, str, str]]:
    """Label, words, key and icon of each button; a refusal is no right answer, and may be rightly one."""
    icons = ("check", "contrast", "close", "block", "delete")
    for number, (label, icon) in enumerate(zip(told.LABELS, icons, strict=True), 1):
        words = told.LABELS[label]
        if refused and label in ("right", "partly"):
            continue
        if refused and label == "wrong":
            words = "Wrong: the site does say"
        yield label, words, str(number), f":material/{icon}:"


def _about(one: Json) -> None:
    """As it was typed, why it is here, and when and how often it was asked."""
    if " ".join(one["asked"].split()) != " ".join(one["question"].split()):
        st.caption(f"Asked as: {wording.literal(one['asked'])}")
    times = f"asked {one['times']} times" if one["times"] > 1 else "asked once"
    facts = (told.reasons(one), one["day"], one["topic"], times)
    st.caption(wording.literal(" · ".join(fact for fact in facts if fact)))
    if one["label"]:
        st.caption(f"Labelled before: {told.outcome(one)}. Another label takes its place.")


def _answer(answer: Json) -> None:
    if answer["refused"]:
        widgets.refused(answer["refusal_reason"])
    elif answer.get("tier") == "seems":
        st.badge("Shown as what seems to answer", color="gray", icon=":material/help:")
    st.text(answer["answer"])
    for citation in answer["citations"]:
        heading = f" › {wording.literal(citation['heading'])}" if citation["heading"] else ""
        widgets.source(citation, heading)
    if answer["closest_pages"]:
        links = (wording.link(page["title"], page["url"]) for page in answer["closest_pages"])
        st.markdown(f"Closest pages: {', '.join(links)}")


def _if_right(one: Json) -> Right:
    """The cited pages, and the words by which one knows a right answer; they are proposed."""
    st.subheader("If it is right")
    cited = [page for page in one["pages"] if page["cited"]]
    if not cited and one["pages"]:
        st.caption("It cites no page that could be kept.")
        return NOTHING
    said = cited[0]["text"] if cited else one["answer"]["answer"]
    marked = one["words"]  # by the reader; a figure of the quote may be any number
    key = f"right-{one['message_id']}"
    words = right_words.ask(said, key, chosen=len(marked[:1]), known=marked, value=_short(said))
    return ([page["url"] for page in cited], list(words)) if words else NOTHING


def _if_not(one: Json) -> Right:
    """The page that should have answered, of those that were found, and its words; none at first."""
    st.subheader("If the site does say" if one["answer"]["refused"] else "If it is not")
    pages = {page["url"]: page for page in one["pages"]}
    names = {"": "none, or I do not know"} | {url: _name(page) for url, page in pages.items()}
    own = one["message_id"]
    url = st.selectbox("The right page", list(names), format_func=names.__getitem__, key=f"{own}-page")
    if not url:
        return NOTHING
    said = pages[url]["text"]
    if said:
        st.caption(f"It says: {wording.literal(wording.shortened(said, 500))}")
    st.markdown(wording.link("Open the page", url))
    return [url], list(right_words.ask(said, f"not-{own}-{url}"))


def _keep(api: AdminApi, sample: int, own: str, label: str, right: Right) -> None:
    pages, words = right
    if pages and not words:
        st.error(right_words.LACKING)
        return
    api.put("samples", sample, "labels", own, body={"label": label, "pages": pages, "words": words})
    st.session_state[f"last-{sample}"] = own
    st.query_params.pop("question", None)
    st.rerun()


def _name(page: Mapping[str, Any]) -> str:
    place = " › ".join(part for part in (page["title"], page["heading"]) if part)
    return f"{place} (cited)" if page["cited"] else place


def _short(said: str) -> str:
    """What is short enough to be the words of a right answer itself."""
    line = " ".join(said.split())
    return line if len(line) <= MOST_QUOTED else ""
