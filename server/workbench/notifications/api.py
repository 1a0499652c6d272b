"""Notifications over the admin API: what a person is told of and where, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from litestar import delete, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK

from server.errors import NotReadyError
from server.models.notifications import NotificationTopic, Subscription
from server.workbench.access.auth import Caller, require_role
from server.workbench.notifications.sending import new_secret
from server.workbench.notifications.service import NotificationService
from server.workbench.notifications.store import DeliveryRow, Outbox, SubscriptionStore, host_of, new_id


@dataclass(frozen=True, slots=True)
class SubscriptionBody:
    """What to be told of, and where: by `mail`, or as a signed POST to a `url` (which takes an editor).

    Topics: gaps (missing answers that are new or grow), golden (golden questions that broke), snapshots (held
    back), crawls (failed, or lost more than a tenth of their pages), upkeep (old pages, notices that are
    over, curated answers about to end; in the weekly digest alone).
    """

    channel: Literal["mail", "url"]
    target: str
    topics: list[NotificationTopic]
    cadence: Literal["at_once", "weekly"] = "weekly"


@dataclass(frozen=True, slots=True)
class SubscriptionView:
    """A subscription as it is shown: of a URL the host alone. `secret` is shown once, when it is made."""

    id: str
    channel: str
    target: str
    topics: list[NotificationTopic]
    cadence: str
    created_at: str
    secret: str = ""


@dataclass(frozen=True, slots=True)
class SubscriptionsView:
    """Whoever asks: what they are told of, what became of it (`deliveries`), and whether mail can be sent."""

    subscriptions: list[SubscriptionView]
    deliveries: list[DeliveryRow]
    mail: bool


def notification_handlers(
    store: SubscriptionStore, outbox: Outbox, service: NotificationService | None
) -> list[HTTPRouteHandler]:
    """`/subscriptions` and `/deliveries`; each person's own, and to developers everybody's deliveries."""

    def ready() -> NotificationService:
        if service is None:
            raise NotReadyError("This server sends nothing.")
        return service

    @get("/subscriptions", sync_to_thread=True)
    def subscriptions(request: Caller) -> SubscriptionsView:
        """What the caller is told of, and the latest messages to them: the log."""
        return SubscriptionsView(
            [_view(one) for one in store.all(request.user)],
            [_shown(row) for row in outbox.log(request.user)],
            service is not None and service.mail.is_ready,
        )

    @get("/deliveries", sync_to_thread=True)
    def deliveries(request: Caller) -> dict[str, list[DeliveryRow]]:
        """The latest messages to everybody, owners too, for developers: what failed, and why."""
        require_role(request, "developer")
        return {"deliveries": [_shown(row) for row in outbox.log()]}

    @post("/subscriptions", sync_to_thread=True)
    def subscribe(request: Caller, data: JSONBody[SubscriptionBody]) -> SubscriptionView:
        """Be told from now on. Of a URL, `secret` is what its receiver checks signatures with."""
        if data.channel == "url":
            require_role(request, "editor")
        made = datetime.now(UTC).isoformat()
        secret = new_secret() if data.channel == "url" else ""
        topics = tuple(data.topics)
        wanted = Subscription(
            new_id(), request.user, data.channel, data.target.strip(), topics, data.cadence, made, secret
        )
        ready().check(wanted)
        store.add(wanted)
        return _view(wanted, secret)

    @post("/subscriptions/{own:str}/test", sync_to_thread=True, status_code=HTTP_200_OK)
    def try_subscription(request: Caller, own: FromPath[str]) -> dict[str, list[DeliveryRow]]:
        """Send a test at once; `deliveries` says what became of it."""
        ready().send_test(store.get(own, request.user), datetime.now(UTC))
        return {"deliveries": [_shown(row) for row in outbox.log(request.user, limit=1)]}

    @delete("/subscriptions/{own:str}", sync_to_thread=True)
    def unsubscribe(request: Caller, own: FromPath[str]) -> None:
        """Be told no more."""
        store.remove(own, request.user)

    return [subscriptions, deliveries, subscribe, try_subscription, unsubscribe]


def _view(one: Subscription, secret: str = "") -> SubscriptionView:
    target = one.target if one.channel == "mail" else host_of(one.target)
    return SubscriptionView(
        one.id, one.channel, target, list(one.topics), one.cadence, one.created_at, secret
    )


def _shown(row: DeliveryRow) -> DeliveryRow:
    if row.channel == "mail":
        return row
    return replace(row, target=host_of(row.target))
