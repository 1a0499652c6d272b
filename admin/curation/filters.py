"""What editors set for a site: which pages count, in whose words, whom to ask. A draft until published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi, ApiError
from admin.curation import answer_form, trying, versions
from admin.curation.forms import FORMS, NAMED_BY
from admin.curation.parts import PARTS, Item, Part, changes, items, new_id, with_item, without_item
from admin.gaps import met

NEW = "(new)"
HOW = "What you change here is a draft. Visitors get it when you publish it, and one click undoes it."


def show(api: AdminApi) -> None:
    """The parts of one site's rulebook, its draft, its history; `?site=` in the address says which site."""
    st.title("Filters and answers")
    site = widgets.pick_site(api)
    may_write = session.may("editor")
    state = api.get("rules", site)
    draft = state["draft"]
    book = draft["book"] if draft else state["live"]
    st.caption(HOW)
    labels = [_tab(part, book) for part in PARTS]
    for tab, part in zip(st.tabs(labels, default=labels[_open_tab()]), PARTS, strict=True):
        with tab:
            _part(api, site, part, book, may_write=may_write)
    _draft(api, site, draft)
    if may_write and draft is None and st.session_state.get(versions.PUBLISHED) == site:
        met.draw(api, site)
    st.header("Published before")
    versions.draw_history(api, site, may_write=may_write)


def _tab(part: Part, book: Mapping[str, Any]) -> str:
    count = len(book[part.key])
    return f"{part.title} ({count})" if count else part.title


def _open_tab() -> int:
    """That of the last change, or the one that a link from an answer is about."""
    known = [part.key for part in PARTS]
    asked = "favours" if st.query_params.get("pin") else st.session_state.get("filters-part")
    return known.index(asked) if asked in known else 0


def _part(api: AdminApi, site: str, part: Part, book: Mapping[str, Any], *, may_write: bool) -> None:
    st.caption(part.about)
    own = items(book, part)
    if not own:
        st.write("None yet.")
    for item in own:
        said, remove = st.columns((9, 1), vertical_alignment="center")
        why = f"  \n*{wording.literal(item['why'])}*" if item.get("why") else ""
        said.markdown(wording.literal(part.says(item)) + why)
        label = f"Remove: {part.says(item)}"
        if may_write and remove.button("✕", key=f"remove-{part.key}-{item['id']}", help=label):
            _keep(api, site, part, without_item(book, part, item["id"]))
    if may_write:
        _form(api, site, part, book)
    else:
        st.caption("To change this takes an editor.")


def _form(api: AdminApi, site: str, part: Part, book: Mapping[str, Any]) -> None:
    """To add an item, or to change one."""
    own = {item["id"]: item for item in items(book, part)}
    given = _given(part)
    with st.expander("Add or change", icon=":material/edit:", expanded=bool(given)):
        which = NEW
        if own:
            which = st.selectbox(
                "Which one",
                [NEW, *own],
                key=f"which-{part.key}",
                format_func=lambda one: "a new one" if one == NEW else part.says(own[one]),
            )
        if part.key == "curated":
            item, sent = answer_form.draw(api, site, own.get(which, given), which)
        else:
            with st.form(f"form-{part.key}-{which}", border=False, clear_on_submit=which == NEW):
                item = FORMS[part.key](own.get(which, given))
                sent = st.form_submit_button("Keep in the draft", type="primary")
    if sent:
        name = which if which != NEW else new_id(item[NAMED_BY[part.key]], list(own))
        name = item["text"] if part.key == "suggestions" else name
        _keep(api, site, part, with_item(book, part, {"id": name, **item}, which))


def _given(part: Part) -> Item:
    """What a link from an answer fills in: the page that should have answered, and the question's words."""
    page, phrase = st.query_params.get("pin"), st.query_params.get("phrase")
    if part.key == "favours" and page:
        return {"kind": "pin", "page": page, "phrase": phrase or ""}
    if part.key == "leave_out" and (leave := st.query_params.get("leave_out")):
        return {"kind": "prefix", "value": leave}
    return {}


def _keep(api: AdminApi, site: str, part: Part, book: Mapping[str, Any]) -> None:
    with session.told():
        api.put("rules", site, "draft", body=book)
        answer_form.begin_anew()
        st.query_params.clear()
        st.session_state["filters-part"] = part.key
        st.session_state.pop(f"preview-{site}", None)
        st.session_state.pop(f"broken-{site}", None)
        st.rerun()


def _draft(api: AdminApi, site: str, draft: dict[str, Any] | None) -> None:
    st.header("The draft")
    if draft is None or not list(changes(draft["base"], draft["book"])):
        st.caption("Nothing is waiting to be published.")
        if draft is None:
            return
    at = wording.moment(draft["at"], st.context.timezone)
    st.caption(wording.literal(f"Last changed by {draft['by']}, {at}"))
    versions.draw_changes(draft["base"], draft["book"])
    st.markdown("**What it would do**")
    try:
        trying.draw_pages(api, site)
        if session.may("editor"):
            trying.draw_questions(api, site)
    except ApiError as error:
        st.warning(wording.literal(str(error)))
    if not session.may("editor"):
        return
    versions.draw_publishing(api, site)
    if st.button("Forget the draft", icon=":material/delete:"):
        api.delete("rules", site, "draft")
        st.rerun()


show(session.api())
