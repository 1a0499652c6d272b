"""Subscriptions, and the outbox of what is to be sent to them, which is the log of what was sent."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, insert, select, update

from server.errors import BadInputError, NotFoundError
from server.models.notifications import NotificationTopics, Subscription
from server.storage.audit import note_change
from server.storage.conversations import plain
from server.storage.engine import RecordStore, parse_time
from server.storage.tables.notifying import StoredDelivery, StoredSubscription
from server.workbench.checks import mail_of, url_of

MOST_OF_A_PERSON = 20
KEPT_FOR = timedelta(days=30)
# Whoever sends a message has so long before another server may: longer than any time-out of sending.
LEASE = timedelta(minutes=10)
# After each try that failed; after the last there is no other.
BACKOFF = tuple(timedelta(minutes=n) for n in (1, 5, 30, 120, 360, 1440))
NO_SUBSCRIPTION = "You have no subscription with that id."

_OUTBOX = StoredDelivery.__table__


@dataclass(frozen=True, slots=True)
class Message:
    """What is to be sent. `key` is what it is about and for whom: it goes out once. `document` is the body.

    Without a `subscription` it goes to an owner's mail address.
    """

    key: str
    person: str
    channel: str
    target: str
    subject: str
    document: Mapping[str, Any]
    subscription: str = ""


@dataclass(frozen=True, slots=True)
class DueMessage:
    """A message that this server is to send now; `secret` signs it, and is empty for mail."""

    id: str
    tries: int
    channel: str
    target: str
    subject: str
    document: dict[str, Any]
    secret: str


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """What became of a message: `state` is waiting, sent or failed, `says` why it failed. Times are ISO 8601.

    `next_at` is when it is tried again, where it waits.
    """

    number: int
    id: str
    person: str
    channel: str
    target: str
    subject: str
    state: str
    tries: int
    made_at: str
    next_at: str
    ended_at: str | None
    says: str


class SubscriptionStore(RecordStore):
    """Who wants to be told of what. Changes are in the audit log, without secrets and whole URLs."""

    def all(self, person: str | None = None) -> list[Subscription]:
        """Everybody's, or one person's, the oldest first."""
        query = select(StoredSubscription.__table__).order_by(
            StoredSubscription.created_at, StoredSubscription.id
        )
        if person is not None:
            query = query.where(StoredSubscription.person == person)
        with self._transactions.reading() as connection:
            return [_subscription(row) for row in connection.execute(query).mappings()]

    def get(self, own: str, person: str) -> Subscription:
        """One of that person's; `NotFoundError`."""
        for one in self.all(person):
            if one.id == own:
                return one
        raise NotFoundError(NO_SUBSCRIPTION)

    def add(self, wanted: Subscription) -> None:
        """Keeps a new one; `BadInputError` says what is wrong with it."""
        wanted = _checked(wanted)
        with self._transactions.writing() as connection:
            count = len(connection.execute(_of(select(StoredSubscription.id), wanted.person)).all())
            if count >= MOST_OF_A_PERSON:
                raise BadInputError(f"One person has at most {MOST_OF_A_PERSON} subscriptions.")
            row = asdict(wanted) | {
                "topics": list(wanted.topics),
                "created_at": parse_time(wanted.created_at),
            }
            connection.execute(insert(StoredSubscription), row)
            note_change(connection, wanted.person, ("subscription", wanted.id), None, _told(wanted))

    def remove(self, own: str, person: str) -> None:
        """Ends it, and what was on its way to it; `NotFoundError`."""
        before = self.get(own, person)
        with self._transactions.writing() as connection:
            connection.execute(delete(StoredSubscription).where(StoredSubscription.id == own))
            waits = (StoredDelivery.subscription == own, StoredDelivery.state == "waiting")
            connection.execute(update(StoredDelivery).where(*waits).values(_ended("failed", "It was ended.")))
            note_change(connection, person, ("subscription", own), _told(before), None)


class Outbox(RecordStore):
    """What is to be sent, and what became of it. Every method is one transaction, safe for several servers.

    A message is sent by whoever has claimed it; a server that dies meanwhile leaves it to be sent again after
    `LEASE`, under the same id.
    """

    def put(self, messages: Iterable[Message], now: datetime) -> int:
        """Keeps those that are not there yet, to be sent at once; how many that were."""
        wanted = {one.key: one for one in messages}
        if not self.unknown(wanted):  # nearly always; then nobody else has to wait
            return 0
        with self._transactions.writing() as connection:
            known = select(StoredDelivery.key).where(StoredDelivery.key.in_(wanted))
            new = wanted.keys() - set(connection.scalars(known))
            rows = [_new(one, now) for key, one in wanted.items() if key in new]
            if rows:
                connection.execute(insert(StoredDelivery), rows)
        return len(rows)

    def unknown(self, keys: Iterable[str]) -> set[str]:
        """Those of these keys under which there never was a message."""
        wanted = set(keys)
        with self._transactions.reading() as connection:
            known = select(StoredDelivery.key).where(StoredDelivery.key.in_(wanted))
            return wanted - set(connection.scalars(known))

    def claim(self, now: datetime, key: str | None = None) -> DueMessage | None:
        """The message that is due for longest (or the one with this key), which is the caller's to send now.

        Its next time is moved on if it still is what it was, so that nobody else is given it meanwhile.
        """
        due = [StoredDelivery.state == "waiting", StoredDelivery.next_at <= now]
        if key is not None:
            due.append(StoredDelivery.key == key)
        secret = StoredSubscription.secret
        query = (
            select(_OUTBOX, secret)
            .join(StoredSubscription, StoredSubscription.id == StoredDelivery.subscription, isouter=True)
            .where(*due)
            .order_by(StoredDelivery.next_at, StoredDelivery.number)
            .limit(1)
        )
        with self._transactions.reading() as connection:
            row = connection.execute(query).mappings().one_or_none()
        if row is None:
            return None
        mine = (StoredDelivery.number == row["number"], StoredDelivery.next_at == row["next_at"])
        claimed = update(StoredDelivery).where(StoredDelivery.state == "waiting", *mine)
        with self._transactions.recording() as connection:
            later = {"next_at": now + LEASE, "tries": row["tries"] + 1}
            if connection.execute(claimed.values(later)).rowcount != 1:
                return self.claim(now, key)  # another server was first
        taken = {name: row[name] for name in ("id", "channel", "target", "subject", "document")}
        return DueMessage(**taken, tries=row["tries"] + 1, secret=row["secret"] or "")

    def sent(self, own: str) -> None:
        """It has arrived; of what it said nothing is kept."""
        self._end(own, "sent", "")

    def failed(self, one: DueMessage, why: str, now: datetime) -> None:
        """It has not: it is tried again after a while, or given up after the last try."""
        if one.tries > len(BACKOFF):
            self._end(one.id, "failed", why)
            return
        later = {"next_at": now + BACKOFF[one.tries - 1], "says": why[:500]}
        with self._transactions.recording() as connection:
            connection.execute(_waiting(one.id).values(later))

    def log(self, person: str | None = None, *, limit: int = 100) -> list[DeliveryRow]:
        """The latest messages, newest first, of everybody or to one person."""
        columns = [_OUTBOX.c[one.name] for one in fields(DeliveryRow)]
        query = select(*columns).order_by(StoredDelivery.number.desc()).limit(limit)
        if person is not None:
            query = query.where(StoredDelivery.person == person)
        with self._transactions.reading() as connection:
            return [DeliveryRow(**plain(row)) for row in connection.execute(query).mappings()]

    def forget_old(self, now: datetime) -> None:
        """Removes what ended longer ago than it is kept."""
        old = (StoredDelivery.state != "waiting", StoredDelivery.made_at < now - KEPT_FOR)
        with self._transactions.writing() as connection:
            connection.execute(delete(StoredDelivery).where(*old))

    def _end(self, own: str, state: str, says: str) -> None:
        with self._transactions.recording() as connection:
            connection.execute(_waiting(own).values(_ended(state, says)))


def new_id() -> str:
    """An id that nobody guesses."""
    return uuid.uuid4().hex


def _checked(wanted: Subscription) -> Subscription:
    topics = tuple(dict.fromkeys(wanted.topics))
    if not topics or not set(topics) <= set(NotificationTopics):
        raise BadInputError(f"The topics are one or more of: {', '.join(NotificationTopics)}.")
    check: Mapping[str, Callable[[str], str]] = {"mail": mail_of, "url": url_of}
    return replace(wanted, topics=topics, target=check[wanted.channel](wanted.target))


def _of(query: Any, person: str) -> Any:
    return query.where(StoredSubscription.person == person)


def _subscription(row: Mapping[Any, Any]) -> Subscription:
    return Subscription(**{**plain(row), "topics": tuple(row["topics"])})


def _told(one: Subscription) -> dict[str, Any]:
    """As the audit log has it: a webhook's address is often a secret itself."""
    target = one.target if one.channel == "mail" else host_of(one.target)
    return {"channel": one.channel, "target": target, "topics": list(one.topics), "cadence": one.cadence}


def host_of(url: str) -> str:
    """A URL as it may be shown: scheme and host, without the path, which is often a secret."""
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2]
    return f"{scheme}://{host}/…"


def _new(message: Message, now: datetime) -> dict[str, Any]:
    return asdict(message) | {
        "id": new_id(),
        "document": dict(message.document),
        "state": "waiting",
        "tries": 0,
        "made_at": now.astimezone(UTC),
        "next_at": now.astimezone(UTC),
        "says": "",
    }


def _ended(state: str, says: str) -> dict[str, Any]:
    return {"state": state, "says": says[:500], "document": None, "ended_at": datetime.now(UTC)}


def _waiting(own: str) -> Any:
    return update(StoredDelivery).where(StoredDelivery.id == own, StoredDelivery.state == "waiting")
