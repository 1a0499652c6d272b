"""Sessions of the console over the admin API: begun with a token, ended by signing out."""

from __future__ import annotations

from litestar import delete, post
from litestar.handlers import HTTPRouteHandler

from server.http.limits import bearer_token
from server.workbench.access.auth import Caller
from server.workbench.access.store import ConsoleEntry, TokenStore


def session_handlers(tokens: TokenStore) -> list[HTTPRouteHandler]:
    """`/session`."""

    def sent(request: Caller) -> str:
        return bearer_token(request.headers.get("authorization", ""))

    @post("/session", sync_to_thread=True)
    def begin_session(request: Caller) -> ConsoleEntry:
        """A secret to send in the token's place, for twelve hours at most; the token's end is its end."""
        return tokens.begin_session(sent(request))

    @delete("/session", sync_to_thread=True)
    def end_session(request: Caller) -> None:
        """Sign out: the secret that asks opens nothing any more. A token stays as it is."""
        tokens.end_session(sent(request))

    return [begin_session, end_session]
