"""Notifications: what one chooses to be told of, by mail or at a URL, and what became of each message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi

Json = dict[str, Any]
TOPICS = {
    "gaps": "Missing answers that are new, or asked far more often",
    "golden": "Golden questions that are not answered rightly any more",
    "snapshots": "Snapshots that were held back or could not be made",
    "crawls": "Crawls that failed, or lost more than a tenth of the pages",
    "upkeep": "Pages out of date, notices that are over, answers about to end (weekly only)",
}
CADENCES = {"weekly": "once a week, all of it", "at_once": "at once, one message each"}
CHANNELS = {"mail": "by mail", "url": "at a URL (webhook)"}
STATES = {"waiting": "waits, and is tried again", "sent": "arrived", "failed": "given up"}
ABOUT = (
    "You need not look: choose what you are told of. What visitors wrote is in it only without anything "
    "personal. Nobody else sees what you choose here."
)


def show(api: AdminApi) -> None:
    """One's own subscriptions, a form for another, and the log."""
    st.title("Notifications")
    st.write(ABOUT)
    found = api.get("subscriptions")
    _new_secret()
    if not found["subscriptions"]:
        st.info("You are told of nothing yet.")
    for one in found["subscriptions"]:
        _one(api, one)
    _form(api, mail=found["mail"])
    _log("What was sent to you", found["deliveries"])
    if session.may("developer"):
        _log("What was sent to everybody", api.get("deliveries")["deliveries"])


def _one(api: AdminApi, one: Json) -> None:
    with st.container(border=True):
        st.markdown(f"**{wording.literal(one['target'])}**, {CADENCES[one['cadence']]}")
        for topic in one["topics"]:
            st.caption(TOPICS[topic])
        with st.container(horizontal=True):
            if st.button("Send a test", key=f"test-{one['id']}", icon=":material/send:"):
                _test(api, one)
            if st.button("Tell me no more", key=f"end-{one['id']}", icon=":material/notifications_off:"):
                api.delete("subscriptions", one["id"])
                st.rerun()


def _test(api: AdminApi, one: Json) -> None:
    with session.told():
        [sent] = api.post("subscriptions", one["id"], "test")["deliveries"]
        if sent["state"] == "sent":
            st.success("It arrived.", icon=":material/check:")
        else:
            st.warning(wording.literal(f"It did not arrive yet: {sent['says']}"))


def _form(api: AdminApi, *, mail: bool) -> None:
    with st.form("subscribe"):
        st.header("Be told of")
        topics = [key for key, words in TOPICS.items() if st.checkbox(words, value=True, key=f"t-{key}")]
        how, where, often = st.columns((2, 4, 3))
        offered = {"mail": CHANNELS["mail"]} if mail else {}
        if session.may("editor"):
            offered |= {"url": CHANNELS["url"]}
        if not offered:
            st.info(
                "This server sends no mail yet (LODGE_SMTP_HOST and LODGE_MAIL_FROM are not set), and to be "
                "told at a URL takes an editor."
            )
        channel = widgets.pick(how, "How", offered or CHANNELS, None)
        target = where.text_input("Address", placeholder="you@example.edu, or https://…")
        cadence = widgets.pick(often, "How often", CADENCES, None)
        sent = st.form_submit_button("Tell me", type="primary", disabled=not offered)
    if sent:
        body = {"channel": channel, "target": target.strip(), "topics": topics, "cadence": cadence}
        with session.told():
            made = api.post("subscriptions", body=body)
            st.session_state["new-secret"] = made["secret"]
            st.rerun()


def _new_secret() -> None:
    """Of a URL that was just added: shown this once."""
    if secret := st.session_state.pop("new-secret", ""):
        st.success(
            "Whoever receives it checks each message with this secret, by standardwebhooks.com (headers "
            "webhook-id, webhook-timestamp and webhook-signature). It is shown this once."
        )
        st.code(secret, language=None)


def _log(title: str, rows: Sequence[Json]) -> None:
    with st.expander(f"{title} ({len(rows)})", icon=":material/receipt_long:"):
        if not rows:
            st.caption(
                "Nothing yet. What arrived or was given up is kept for thirty days, without its words."
            )
            return
        zone = st.context.timezone
        columns = {
            "When": [wording.moment(row["made_at"], zone) for row in rows],
            "To": [row["target"] for row in rows],
            "About": [row["subject"] for row in rows],
            "Became of it": [STATES[row["state"]] for row in rows],
            "Tries": [row["tries"] for row in rows],
            "Why": [row["says"] for row in rows],
        }
        st.dataframe(pd.DataFrame(columns), hide_index=True, alt=title)


show(session.api())
