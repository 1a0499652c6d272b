"""Who may use the admin API: bearer tokens and the roles they carry, enforced here and nowhere else."""

from __future__ import annotations

from typing import Any, Literal

from litestar import Request
from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.openapi.spec import SecurityScheme
from litestar.types import Guard

from server.errors import NotAllowedError
from server.http.limits import AuthThrottle, LimitOptions, bearer_token
from server.workbench.access.store import TokenStore

Role = Literal["owner", "viewer", "editor", "developer"]
ROLES: tuple[Role, ...] = ("owner", "viewer", "editor", "developer")  # each may do what those before it may

BEARER = SecurityScheme(type="http", scheme="bearer", description="A token made by `lodge token create`.")

Connection = ASGIConnection[Any, Any, Any, Any]
Caller = Request[str, str, Any]  # as `bearer` let it in: `user` is the token's name, `auth` its role


def bearer(tokens: TokenStore, guesses: AuthThrottle | None = None) -> Guard:
    """A guard that lets valid tokens in and leaves name and role in the `Caller`; otherwise a 401.

    An address from which too many wrong tokens came gets a 429 for a while, whatever it sends.
    """
    guesses = guesses or AuthThrottle(LimitOptions())

    async def authenticate(connection: Connection, _handler: BaseRouteHandler) -> None:
        address = guesses.address_of(connection)
        await guesses.require_open(address)
        token = bearer_token(connection.headers.get("authorization", ""))
        if not token:
            raise NotAllowedError("This needs an admin token, sent as a bearer token.", code="no_token")
        holder = await sync_to_thread(tokens.holder_of, token)
        if holder is None:
            await guesses.note_wrong(address)
            raise NotAllowedError("This token is unknown, revoked or expired.", code="no_token")
        connection.scope["user"] = holder.name
        connection.scope["auth"] = holder.role

    return authenticate


def requires(least: Role) -> Guard:
    """A guard, behind `bearer`, for routes that take that role or a higher one; otherwise a 403."""

    def guard(connection: Connection, _handler: BaseRouteHandler) -> None:
        require_role(connection, least)

    return guard


EDITORS, DEVELOPERS = [requires("editor")], [requires("developer")]


def require_role(caller: Connection, least: Role) -> None:
    """`NotAllowedError` unless the caller's token has that role or a higher one."""
    role = caller.auth
    if not reaches(role, least):
        raise NotAllowedError(f"This takes the role {least}; your token has the role {role}.", code="role")


def reaches(role: str, least: Role) -> bool:
    """Whether a role may do what that one may."""
    return role in ROLES and ROLES.index(role) >= ROLES.index(least)
