"""For how long records are kept: legal holds, removing what is too old, erasing for whoever asks for it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Select,
    Update,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from server.errors import BadInputError, NotFoundError, StorageError
from server.settings import Settings
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.conversations import (
    NO_CONVERSATION,
    delete_conversations,
    erase_conversation,
    mark_erased,
    read_hold,
)
from server.storage.engine import Transactions
from server.storage.tables.editors import GoldenRun
from server.storage.tables.running import Purge, StoredChange
from server.storage.tables.visitors import Conversation, LegalHold, MessageRow, StoredFeedback

logger = logging.getLogger("lodge.purge")

AT_ONCE = 200  # conversations of one transaction, so that visitors' questions do not wait for it
REASON_CHARS = 500
LEAP_DAYS = 7


@dataclass(frozen=True, slots=True)
class Keep:
    """For how many days each kind of record is kept; 0: for ever."""

    conversations: int = 0
    comments: int = 0
    audit: int = 0
    history: int = 0

    @property
    def ends(self) -> bool:
        """Whether anything is ever removed."""
        return any((self.conversations, self.comments, self.audit, self.history))


def keep_of(settings: Settings) -> Keep:
    """For how long what is kept, by the settings."""
    return Keep(
        settings.keep_conversations_days,
        settings.keep_comments_days,
        settings.keep_audit_days,
        settings.keep_history_days,
    )


class RetentionStore:
    """What is removed and what must be kept. Every method but `erase` and `purge` is one transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._reading, self._writing = transactions.reading, transactions.writing

    def hold(self, conversation_id: str, reason: str, *, by: str = COMMAND_LINE) -> None:
        """Keeps a conversation, whatever else says that it goes; `NotFoundError`, `BadInputError`."""
        reason = reason.strip()
        if not reason or len(reason) > REASON_CHARS:
            raise BadInputError(f"A hold needs a reason of at most {REASON_CHARS} characters.")
        with self._writing() as connection:
            before = read_hold(connection, conversation_id)
            after = {"reason": reason}
            if before:
                connection.execute(_of(update(LegalHold), conversation_id).values(**after))
            else:
                _facts(connection, conversation_id)
                row = {"conversation_id": conversation_id, "at": datetime.now(UTC), "by": by, **after}
                connection.execute(insert(LegalHold), row)
            note_change(
                connection, by, ("hold", conversation_id), before and {"reason": before["reason"]}, after
            )

    def release(self, conversation_id: str, *, by: str = COMMAND_LINE) -> None:
        """It may go again; `NotFoundError` when it is not on hold."""
        with self._writing() as connection:
            before = read_hold(connection, conversation_id)
            if before is None:
                raise NotFoundError("This conversation is not on hold.")
            connection.execute(_of(delete(LegalHold), conversation_id))
            note_change(connection, by, ("hold", conversation_id), {"reason": before["reason"]}, None)

    def erase(self, conversation_id: str, *, by: str = COMMAND_LINE) -> None:
        """Removes a conversation with all that belongs to it; the audit log has that, and none of its words.

        `NotFoundError`, or `ConflictError` for one on hold.
        """
        with self._writing() as connection:
            before = _facts(connection, conversation_id)
            mark_erased(connection, conversation_id, before["site"])
        with self._writing() as connection:
            erase_conversation(connection, conversation_id, before["site"])
            note_change(connection, by, ("conversation", conversation_id), before, None)

    def claim(self, today: date) -> int | None:
        """How many days after the last purge the caller may do today's (0: the first); None: it was done.

        Of servers whose clocks differ by a little, one alone may. Where a clock was put back by more, the
        number is negative, and the days count from there.
        """
        with self._writing() as connection:
            last = connection.execute(select(Purge.day)).scalar_one()
            days = (today - date.fromisoformat(last)).days if last else 0
            if last and -1 <= days <= 0:
                return None
            connection.execute(update(Purge).values(day=today.isoformat()))
        return days

    def purge(self, keep: Keep, now: datetime, *, dry_run: bool = False) -> dict[str, int]:
        """Removes what is older than it is kept, or only counts it.

        Returns how many `conversations`, `comments`, `audit` entries and golden `history` runs. What is on
        hold stays, and so does the latest golden run of each site.
        """
        counts = {"conversations": self._purge_conversations(keep, now, dry_run)}
        with self._writing() as connection:
            for name, count, change in _aged(keep, now):
                counts[name] = int(connection.execute(count).scalar_one())
                if counts[name] and not dry_run:
                    connection.execute(change)
        if not dry_run and any(counts.values()):
            self._empty_log()
        return dict.fromkeys(("conversations", "comments", "audit", "history"), 0) | counts

    def _purge_conversations(self, keep: Keep, now: datetime, dry_run: bool) -> int:
        if not keep.conversations:
            return 0
        old = Conversation.last_at < now - timedelta(days=keep.conversations)
        if dry_run:
            with self._reading() as connection:
                counted = select(func.count()).select_from(Conversation).where(old, ~_is_held())
                return connection.execute(counted).scalar_one()
        removed = 0
        while True:
            with self._writing() as connection:
                some = select(Conversation.id).where(old, ~_is_held()).limit(AT_ONCE)
                ids = list(connection.scalars(some))
                if not ids:
                    return removed
                # Asked anew: in PostgreSQL a visitor may have gone on with one in between.
                removed += delete_conversations(connection, ids, old)

    def _empty_log(self) -> None:
        """What was removed also stands in SQLite's write-ahead log until that is emptied."""
        with suppress(StorageError), self._reading() as connection:
            if connection.dialect.name == "sqlite":
                connection.rollback()
                connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class DailyPurge:
    """Removes what is too old, once a day; to be told the time now and then."""

    def __init__(self, store: RetentionStore, keep: Keep) -> None:
        self._store = store
        self._keep = keep

    def __call__(self, now: datetime) -> dict[str, int] | None:
        """What was removed; None where everything is kept, or that day's was done already.

        A clock that has leapt ahead makes everything old: what the first day after a leap would remove is
        left to the next day's purge, so that somebody can set the clock right.
        """
        days = self._store.claim(now.date()) if self._keep.ends else None
        if days is None:
            return None
        if days > LEAP_DAYS:
            logger.warning(
                "The last purge was %d days ago by this machine's clock. Nothing is removed today; if the "
                "clock is right, tomorrow's purge goes on.",
                days,
            )
            return None
        removed = self._store.purge(self._keep, now)
        logger.info("Purged: %s.", ", ".join(f"{count} {name}" for name, count in removed.items()))
        return removed


def _aged(keep: Keep, now: datetime) -> Iterator[tuple[str, Select[Any], Delete | Update]]:
    """(name, how many, what to do) of all but conversations."""
    if keep.comments:
        before = now - timedelta(days=keep.comments)
        held = (
            select(MessageRow.id)
            .join(LegalHold, LegalHold.conversation_id == MessageRow.conversation_id)
            .scalar_subquery()
        )
        old = (
            StoredFeedback.given_at < before,
            StoredFeedback.comment != "",
            StoredFeedback.message_id.not_in(held),
        )
        yield "comments", _count(StoredFeedback, *old), update(StoredFeedback).where(*old).values(comment="")
    if keep.audit:
        age = StoredChange.at < now - timedelta(days=keep.audit)
        yield "audit", _count(StoredChange, age), delete(StoredChange).where(age)
    if keep.history:
        latest = select(func.max(GoldenRun.number)).group_by(GoldenRun.site).scalar_subquery()
        of_runs = (GoldenRun.at < now - timedelta(days=keep.history), GoldenRun.number.not_in(latest))
        yield "history", _count(GoldenRun, *of_runs), delete(GoldenRun).where(*of_runs)


def _count(table: Any, *conditions: ColumnElement[bool]) -> Select[Any]:
    return select(func.count()).select_from(table).where(*conditions)


def _is_held() -> ColumnElement[bool]:
    return exists().where(LegalHold.conversation_id == Conversation.id)


def _of(statement: Any, conversation_id: str) -> Any:
    return statement.where(LegalHold.conversation_id == conversation_id)


def _facts(connection: Connection, conversation_id: str) -> dict[str, Any]:
    """Site, begin and number of messages, and no word of it; `NotFoundError`."""
    counted = select(func.count()).where(MessageRow.conversation_id == conversation_id).scalar_subquery()
    row = connection.execute(
        select(Conversation.site, Conversation.started_at, counted.label("messages")).where(
            Conversation.id == conversation_id
        )
    ).one_or_none()
    if row is None:
        raise NotFoundError(NO_CONVERSATION)
    return {"site": row.site, "started_at": row.started_at.isoformat(), "messages": row.messages}
