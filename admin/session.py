"""Who is at the console: the server is named in the environment; the token is too, or the person gives it.

A person's token is sent once. What stays in the browser is the secret of a session, in a cookie that ends
with it: reload, another tab and a pasted address find it there. It is in no address.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

import httpx
import streamlit as st

from admin import formatting as wording
from admin.client import AdminApi, ApiError, RefusedError, SlowError, UnreachableError, connect

DEFAULT_API_URL = "http://127.0.0.1:8000"
COOKIE, COOKIE_S = "lodge_console", 12 * 3600
OVER = "The server did not accept the token or session any more: it is over, or was revoked. Sign in again."
NOT_ACCEPTED = "The server did not accept the token. It may have expired or been revoked."
ROLES = ("owner", "viewer", "editor", "developer")


@st.cache_resource(on_release=httpx.Client.close)
def _connection(api_url: str) -> httpx.Client:
    return connect(api_url)


def api() -> AdminApi:
    """The admin API with this session's token."""
    return AdminApi(_connection(os.environ.get("LODGE_API_URL", DEFAULT_API_URL)), _token())


@dataclass(frozen=True)
class Signed:
    """Who is at the console: a role, or none yet; `error` is why that could not be found out."""

    role: str | None = None
    error: ApiError | None = None


def recognise() -> Signed:
    """Asks the server, once a run, whose the token is."""
    try:
        return Signed(str(api().get("me")["role"]) if _token() else None)
    except ApiError as error:
        return Signed(error=error)


def sign_in(caller: Signed) -> None:
    """Says in the sidebar what one may do; without a valid token asks for one, and the script ends there."""
    _write_cookie()
    if isinstance(caller.error, RefusedError):
        st.session_state.pop("token", None)  # tried once: each try counts, and ten shut the console out
        st.session_state["signed-out"] = True  # nor is the cookie tried again
        st.error(OVER)
    elif caller.error is not None:
        explain(caller.error)
        st.stop()
    if caller.role is None:
        _ask_for_token()
        st.stop()
    st.session_state["role"] = caller.role
    with st.sidebar:
        st.caption(f"Signed in as {caller.role}")
        if not os.environ.get("LODGE_ADMIN_TOKEN"):
            st.button("Sign out", on_click=_sign_out)


def may(least: str) -> bool:
    """Whether who has signed in has this role or a higher one; the server has the last word."""
    return _reaches(st.session_state.get("role"), least)


def offered(role: str | None, least: str) -> Literal["visible", "hidden"]:
    """Whether a page that takes the role `least` stands in the menu; its address says what it takes."""
    return "visible" if role not in ROLES or _reaches(role, least) else "hidden"


def _reaches(role: str | None, least: str) -> bool:
    return role in ROLES and ROLES.index(role) >= ROLES.index(least)


def explain(error: ApiError) -> None:
    """An error as a message with what to do next."""
    st.error(wording.literal(str(error)))
    if isinstance(error, UnreachableError):
        st.write("Is the server running? Start it with `lodge serve` and try again.")
    elif isinstance(error, SlowError):
        st.write("It is there, but did not answer in time: it may be busy, or hang. What you see may be old.")
    if isinstance(error, UnreachableError | SlowError):
        st.button("Try again", icon=":material/refresh:")


@contextmanager
def told() -> Iterator[None]:
    """What goes wrong in the block is told on the page, which goes on below it."""
    try:
        yield
    except ApiError as error:
        explain(error)


def _token() -> str:
    """What this session sends: what was given in it, else the cookie's, else the environment's."""
    given = st.session_state.get("token")
    if given is None and not st.session_state.get("signed-out"):
        kept = st.context.cookies.get(COOKIE)
        given = kept if isinstance(kept, str) else None  # without a browser (AppTest) it may be anything
    return str(given or os.environ.get("LODGE_ADMIN_TOKEN", ""))


def _ask_for_token() -> None:
    st.title("Sign in")
    st.write(
        "The console needs an admin token. Whoever runs Lodge makes you one with `lodge token create`; "
        "`make run` prints one."
    )
    with st.form("sign-in"):
        token = st.text_input("Admin token", type="password", autocomplete="off")
        sent = st.form_submit_button("Sign in", type="primary")
    if sent and token.strip():
        _begin(token.strip())


def _begin(token: str) -> None:
    """A session for whoever has this token, which is not kept."""
    st.session_state["token"] = token
    try:
        api().get("me")  # which is given up sooner than a change is
        secret = str(api().post("session")["session"])
    except ApiError as error:
        del st.session_state["token"]
        if isinstance(error, RefusedError):
            st.error(NOT_ACCEPTED)
        else:
            explain(error)
        return
    st.session_state.update({"token": secret, "cookie": secret})
    st.rerun()


def _sign_out() -> None:
    """Ends the session at the server, in every tab, and takes the cookie away."""
    with suppress(ApiError):
        api().delete("session")
    st.session_state.pop("token", None)
    st.session_state.update({"signed-out": True, "cookie": ""})


def _write_cookie() -> None:
    """Has the browser keep the session's secret, or forget it.

    In every run of the page: one that is drawn anew at once never reaches the browser.
    """
    secret = st.session_state.get("cookie")
    if secret is None:
        return
    age = COOKIE_S if secret else 0
    secure = "location.protocol === 'https:' ? '; Secure' : ''"
    script = f"document.cookie = '{COOKIE}={secret}; Path=/; Max-Age={age}; SameSite=Strict' + ({secure});"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
