"""Owners: who looks after which topic or section of the site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi

Json = dict[str, Any]
SCOPES = {"topic": "questions about a topic", "prefix": "pages whose address begins with"}
ABOUT = (
    "Missing answers, pages out of date, notices that are over and curated answers about to end go to those "
    "who look after them, once a week by mail. With a token of the same name and the role *owner* they see "
    "the same on a page of their own, and nothing else of the console."
)


def show(api: AdminApi) -> None:
    """Who there is, and for editors the form."""
    st.title("Owners")
    st.write(ABOUT)
    owners = api.get("owners")["owners"]
    if not owners:
        st.info("Nobody looks after anything yet.")
    for one in owners:
        _one(api, one)
    if session.may("editor"):
        _form(api, owners)
    else:
        st.caption("To change this takes an editor.")


def _one(api: AdminApi, one: Json) -> None:
    said, look, remove = st.columns((8, 3, 1), vertical_alignment="center")
    mail = f" ({one['email']})" if one["email"] else ", no mail address"
    what = f"{SCOPES[one['scope']]} {one['value']}"
    said.markdown(f"**{wording.literal(one['name'])}**" + wording.literal(f"{mail}: {what} [{one['site']}]"))
    look.page_link("owners/owned.py", label="What waits", query_params={"name": one["name"]})
    label = f"Remove: {one['name']}, {what}"
    if session.may("editor") and remove.button("✕", key=f"remove-{one['id']}", help=label):
        api.delete("owners", one["id"])
        st.rerun()


def _form(api: AdminApi, owners: Sequence[Json]) -> None:
    choices = api.get("conversations", "choices")
    sites = {site["key"]: site["name"] for site in api.get("sites")["sites"]}
    with st.form("owner", clear_on_submit=True):
        st.header("Somebody looks after")
        kind, value, site = st.columns((3, 4, 2))
        scope = widgets.pick(kind, "What", SCOPES, None)
        known = ", ".join(choices["topics"][:6]) or "no topic was recognised yet"
        which = value.text_input("Topic, or beginning of the address", help=f"Topics: {known}")
        of_site = widgets.pick(site, "Site", sites, None)
        who, mail = st.columns(2)
        name = who.text_input("Who", placeholder="Office of the Registrar", help="As their token is called.")
        email = mail.text_input("Mail (may stay empty)", placeholder="registrar@example.edu")
        sent = st.form_submit_button("Keep it", type="primary")
    if sent:
        body = {"scope": scope, "value": which, "name": name, "email": email, "site": of_site}
        with session.told():
            api.put("owners", _new_id(f"{name} {which}", [one["id"] for one in owners]), body=body)
            st.rerun()


def _new_id(words: str, taken: Sequence[str]) -> str:
    """Small letters and hyphens, with a number where that is taken."""
    stem = re.sub(r"[^a-z0-9]+", "-", words.casefold()).strip("-")[:60].strip("-") or "owner"
    number = next(n for n in range(1, len(taken) + 2) if (stem if n == 1 else f"{stem}-{n}") not in taken)
    return stem if number == 1 else f"{stem}-{number}"


show(session.api())
