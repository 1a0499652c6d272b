"""Who is at the console: the server is named in the environment; the token is too, or the person gives it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi, ApiError, RefusedError, UnreachableError, connect

DEFAULT_API_URL = "http://127.0.0.1:8000"
ROLES = ("viewer", "editor", "developer")


@st.cache_resource(on_release=httpx.Client.close)
def _connection(api_url: str) -> httpx.Client:
    return connect(api_url)


def api() -> AdminApi:
    """The admin API with this session's token."""
    return AdminApi(_connection(os.environ.get("LODGE_API_URL", DEFAULT_API_URL)), _token())


def sign_in() -> None:
    """Says in the sidebar what one may do; without a valid token asks for one, and the script ends there."""
    try:
        role = str(api().get("me")["role"]) if _token() else None
    except RefusedError:
        role = None
        st.session_state.pop("token", None)  # tried once: each try counts, and ten shut the console out
        st.error("The server did not accept the token. It may have expired or been revoked.")
    except ApiError as error:
        explain(error)
        st.stop()
    if role is None:
        _ask_for_token()
        st.stop()
    st.session_state["role"] = role
    with st.sidebar:
        st.caption(f"Signed in as {role}")
        if "token" in st.session_state:
            st.button("Sign out", on_click=_forget_token)


def may(least: str) -> bool:
    """Whether who has signed in has this role or a higher one; the server has the last word."""
    role = st.session_state.get("role")
    return role in ROLES and ROLES.index(role) >= ROLES.index(least)


def explain(error: ApiError) -> None:
    """An error as a message with what to do next."""
    st.error(wording.literal(str(error)))
    if isinstance(error, UnreachableError):
        st.write("Is the server running? Start it with `lodge serve` and try again.")
        st.button("Try again")


@contextmanager
def told() -> Iterator[None]:
    """What goes wrong in the block is told on the page, which goes on below it."""
    try:
        yield
    except ApiError as error:
        explain(error)


def _token() -> str:
    token: str = st.session_state.get("token") or os.environ.get("LODGE_ADMIN_TOKEN", "")
    return token


def _ask_for_token() -> None:
    st.title("Sign in")
    st.write("The console needs an admin token. `make run` prints one; `lodge token` makes more.")
    with st.form("sign-in"):
        token = st.text_input("Admin token", type="password", autocomplete="off")
        sent = st.form_submit_button("Sign in", type="primary")
    if sent and token.strip():
        st.session_state["token"] = token.strip()
        st.rerun()


def _forget_token() -> None:
    del st.session_state["token"]
