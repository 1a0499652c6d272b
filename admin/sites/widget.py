"""The line that puts the widget on a site's pages."""

from __future__ import annotations

import os
from html import escape
from typing import Any

import streamlit as st

from admin import session
from admin.client import AdminApi

CORNERS = {"as the site has it": "", "right": "right", "left": "left"}


def show(api: AdminApi) -> None:
    """Choose a site and how its button is; the line is written as one types."""
    st.title("The widget")
    sites = {site["key"]: site for site in api.get("sites")["sites"]}
    key = st.selectbox("Site", sites, format_func=lambda one: f"{sites[one]['name']} ({one})")
    chosen = _choices(sites[key])
    address = st.text_input("Lodge's address, as visitors reach it", value=_address(), key="address")
    st.header("The line")
    st.code(
        _line(f"{address.rstrip('/')}/widget.js", {"site": key, **chosen}), language=None, wrap_lines=True
    )
    st.write(
        "To choose its place in the reading order yourself, leave `data-site` out of it and put this there:"
    )
    st.code(
        f"<lodge-chat{_attributes({'site': key, **chosen})}></lodge-chat>", language=None, wrap_lines=True
    )
    _where(sites[key])


def _choices(site: dict[str, Any]) -> dict[str, str]:
    label = st.text_input("Words on the button", key="label", placeholder="the language's own")
    languages = ["", *site["languages"]]
    lang = st.selectbox("Language", languages, format_func=lambda one: one or "that of the page", key="lang")
    corner = st.selectbox("Corner", CORNERS, key="corner")
    return {"label": label, "lang": lang, "position": CORNERS[corner]}


def _where(site: dict[str, Any]) -> None:
    if site["origins"]:
        st.write("It shows on pages of these origins, and on no others:")
        st.code("\n".join(site["origins"]), language=None)
    else:
        st.warning("No page may embed it yet: name your site's origins in the table of sites.")


def _address() -> str:
    return os.environ.get("LODGE_API_URL", session.DEFAULT_API_URL)


def _line(source: str, values: dict[str, str]) -> str:
    return f'<script src="{escape(source)}"{_attributes(values, "data-")} async></script>'


def _attributes(values: dict[str, str], prefix: str = "") -> str:
    return "".join(f' {prefix}{name}="{escape(value)}"' for name, value in values.items() if value)


show(session.api())
