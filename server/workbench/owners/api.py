"""Owners over the admin API: who looks after what, for editors; what waits for one, for themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from litestar import delete, get, put
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter

from server.errors import NotReadyError
from server.models.notifications import Owner
from server.models.sites import MAIN
from server.workbench.access.auth import EDITORS, Caller, reaches
from server.workbench.owners.service import Owned, OwnerService
from server.workbench.owners.store import OwnerStore

OfOwner = Annotated[
    str | None,
    QueryParameter(description="Whose: a viewer may look at anybody's; without it, the caller's own."),
]


@dataclass(frozen=True, slots=True)
class OwnerBody:
    """Who looks after a `topic`, or (`prefix`) the pages whose addresses begin so.

    Whoever holds a token of this `name` sees what is theirs; the weekly digest goes to the `email`.
    """

    scope: Literal["topic", "prefix"]
    value: str
    name: str
    email: str = ""
    site: str = MAIN


@dataclass(frozen=True, slots=True)
class OwnersView:
    """Everybody who looks after something."""

    owners: list[Owner]


def owner_handlers(store: OwnerStore) -> list[HTTPRouteHandler]:
    """`/owners`."""

    @get("/owners", sync_to_thread=True)
    def owners() -> OwnersView:
        """Who looks after what, by site."""
        return OwnersView(list(store.all()))

    @put("/owners/{own:str}", sync_to_thread=True, guards=EDITORS)
    def put_owner(request: Caller, own: FromPath[str], data: JSONBody[OwnerBody]) -> OwnersView:
        """Keep an owner in place of what had this id."""
        store.put(Owner(own, data.site, data.scope, data.value, data.name, data.email), by=request.user)
        return OwnersView(list(store.all()))

    @delete("/owners/{own:str}", sync_to_thread=True, guards=EDITORS)
    def remove_owner(request: Caller, own: FromPath[str]) -> None:
        """By this entry nobody looks after it any more."""
        store.remove(own, by=request.user)

    return [owners, put_owner, remove_owner]


def owned_handler(service: OwnerService | None) -> HTTPRouteHandler:
    """`GET /owned`, the one route that the role `owner` is for."""

    @get("/owned", sync_to_thread=True)
    def owned(request: Caller, name: OfOwner = None) -> Owned:
        """Missing answers, old pages, notices and curated answers of one owner; visitors' words are masked.

        With the role `owner` always the caller's own, whatever is asked for.
        """
        if service is None:
            raise NotReadyError("This server cannot say what waits for whom.")
        anybody = reaches(request.auth, "viewer")
        return service.owned(name if name and anybody else request.user)

    return owned
