"""What a change would do to this question and to those like it; and having it published."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session
from admin.client import AdminApi, ConflictError
from admin.curation import versions
from admin.curation.forms import NAMED_BY
from admin.curation.parts import PARTS, changes, new_id, with_item, without_item
from admin.curation.verdicts import VERDICTS
from admin.gaps import met, next_gap
from admin.mending.change import Change

Json = dict[str, Any]
TIERS = {"answer": "answered", "seems": "shown as what seems to answer", "refusal": "not answered"}


def draw(api: AdminApi, trace_id: str, asked: Json, change: Change) -> None:
    """The buttons, and what came of them."""
    key = f"mending-{trace_id}"
    st.session_state.setdefault(key, {})
    state: Json = st.session_state[key]
    if done := state.get("done"):
        _done(api, done)
        if site := state.get("published"):
            met.draw(api, site)
        return
    if change.missing:
        st.caption(change.missing)
    with st.container(horizontal=True):
        tries = bool(change.part) and st.button(
            "Try it on this question and those like it",
            type="primary",
            icon=":material/experiment:",
            disabled=bool(change.missing),
        )
        keeps = change.golden and st.button(
            "Only keep the golden question", icon=":material/verified:", disabled=bool(change.missing)
        )
    if tries:
        with session.told(), st.spinner("Asking each question twice"):
            _try(api, state, asked, change)
    if keeps:
        with session.told():
            api.post("traces", trace_id, "golden", body=change.right)
            state["done"] = "The golden question is kept. It is asked before every snapshot and every draft."
            st.rerun()
    if "tried" in state:
        _tried(state["tried"])
        _broken(state["broken"])
        _publish(api, trace_id, asked, state)


def _try(api: AdminApi, state: Json, asked: Json, change: Change) -> None:
    """Puts the change into the site's draft, in place of the one that was tried before it, and asks."""
    site = asked["site"]
    found = api.get("rules", site)
    book = (found["draft"] or {}).get("book") or found["live"]
    if before := state.get("item"):
        book = without_item(book, _part(before[0]), before[1])
    part = _part(change.part)
    taken = [one["id"] for one in book[change.part]]
    own = new_id(str(change.item[NAMED_BY[change.part]]), taken)
    api.put("rules", site, "draft", body=with_item(book, part, {"id": own, **change.item}))
    questions = [asked["question"], *(one["question"] for one in asked["alike"])]
    body = {"questions": questions, "only": [{"part": change.part, "id": own}], **change.right}
    found = api.post("rules", site, "draft", "try", body=body)
    golden = change.right if change.golden else None
    state.update(item=(change.part, own), tried=found["tried"], broken=found["broken"], golden=golden)


def _part(key: str) -> Any:
    return next(part for part in PARTS if part.key == key)


def _tried(tried: list[Json]) -> None:
    """The question itself open, those like it folded."""
    first, *others = tried
    changed = [one for one in others if one["changed"]]
    st.header("What it would do")
    _judged(first, len(changed))
    _both(first)
    if not others:
        st.caption("No other question that visitors asked is like it.")
        return
    like = wording.counted(len(others), "question")
    st.markdown(f"Of {like} like it, **{len(changed)}** would be answered otherwise.")
    for one in changed:
        with st.expander(wording.literal(f"[{VERDICTS[one['verdict']]}] {one['question']}")):
            _both(one)
    for one in others:
        if not one["changed"]:
            st.caption(wording.literal(f"As now: {one['question']}"))


def _judged(first: Json, like_it: int) -> None:
    """What becomes of the question itself; so many of those `like_it` would be answered otherwise."""
    if not first["changed"] and like_it:
        others = wording.counted(like_it, "question like it", "questions like it")
        st.warning(
            f"This question would be answered as now; {others} otherwise: see below.", icon=":material/info:"
        )
    elif not first["changed"]:
        why = wording.literal(f"The answer would stay as it is. {first['failed_after'] or ''}")
        st.error(why, icon=":material/close:")
    elif first["verdict"] == "mended":
        st.success("Mended: it would be answered rightly.", icon=":material/check:")
    elif first["verdict"] == "still_right":
        st.success("By what you gave it is right now, and would be.", icon=":material/check:")
    elif first["after"]["answerer"] == "curated" and not first["failed_after"]:
        st.success("It would be answered in your words.", icon=":material/check:")
    elif first["failed_after"]:
        st.error(
            wording.literal(f"Another answer, and still not right. {first['failed_after']}"),
            icon=":material/close:",
        )
    else:
        st.info("It would be answered otherwise. Whether that is right, you have to judge.")


def _broken(broken: list[Json]) -> None:
    """The golden questions that would be in the way, before one publishes."""
    for one in broken:
        st.error(
            wording.literal(
                f"A golden question would be answered wrongly: “{one['question']}” {one['failure']}"
            ),
            icon=":material/block:",
        )
    if broken:
        st.caption(
            "Change what is above until it is right. Is it the golden question that is wrong? Change it "
            "under *Golden questions*, or have a developer publish with a reason."
        )


def _both(one: Json) -> None:
    for cell, title, side in zip(st.columns(2), ("Now", "Then"), ("before", "after"), strict=True):
        with cell.container(border=True):
            st.caption(f"{title}: {TIERS[one[side]['tier']]}")
            st.text(one[side]["answer"])
            for page in one[side]["pages"]:
                st.markdown("- " + wording.link(page["title"] or page["url"], page["url"]))


def _publish(api: AdminApi, trace_id: str, asked: Json, state: Json) -> None:
    """What would be published, which is this change alone, and the button."""
    site = asked["site"]
    draft = api.get("rules", site)["draft"]
    if draft is None:
        del state["tried"]
        st.info("The draft was published or forgotten meanwhile. Try it again.")
        return
    part, own = _part(state["item"][0]), state["item"][1]
    rest = without_item(draft["book"], part, own)
    st.markdown("**What would be published**")
    versions.draw_changes(rest, draft["book"])
    if others := sum(1 for _ in changes(draft["base"], rest)):
        more = wording.counted(others, "other change", "other changes")
        st.caption(f"The draft has {more}, which {'stays' if others == 1 else 'stay'} a draft.")
    with st.container(horizontal=True):
        sent = st.button("Publish to visitors now", type="primary", icon=":material/publish:")
        st.page_link(
            "curation/filters.py",
            label="The whole draft",
            icon=":material/edit:",
            query_params={"site": site},
        )
    if not sent:
        return
    try:
        with st.spinner("Golden questions are asked first"):
            note = f"Mended: {wording.shortened(asked['question'], 200)}"
            only = [{"part": part.key, "id": own}]
            api.post("rules", site, "publish", body={"note": note, "override": "", "only": only})
    except ConflictError as error:
        st.error(wording.literal(str(error)), icon=":material/block:")
        st.caption("Change what is above, or have a developer publish the draft with a reason.")
        return
    if state["golden"]:
        api.post("traces", trace_id, "golden", body=state["golden"])
    state["done"] = "Published: visitors get it within seconds." + _closed(api, state)
    state["published"] = site
    met.forget(site)
    st.rerun()


def _closed(api: AdminApi, state: Json) -> str:
    """The gap or the feedback that one came from is marked as taken care of."""
    note = "Mended in the console."
    said = " The golden question is kept." if state["golden"] else ""
    if gap := st.query_params.get("gap"):
        api.put("gaps", gap, body={"state": "mended", "note": note})
        said += " The missing answer is marked as mended."
    if message := st.query_params.get("feedback"):
        api.put("feedback", message, body={"state": "done", "note": note})
        said += " The feedback is marked as done."
    return said


def _done(api: AdminApi, said: str) -> None:
    """What became of it, and how one goes on where one came from."""
    st.success(said, icon=":material/check:")
    gap = st.query_params.get("gap", "")
    if gap.isdigit():
        next_gap.link(api, int(gap))
    with st.container(horizontal=True):
        if "feedback" in st.query_params:
            st.page_link(
                "conversations/feedback.py", label="The next feedback", icon=":material/arrow_forward:"
            )
        st.page_link("golden/golden.py", label="Golden questions", icon=":material/verified:")
        st.page_link("curation/filters.py", label="What was published", icon=":material/history:")
