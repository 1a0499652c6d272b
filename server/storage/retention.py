"""For how long records are kept: legal holds, removing what is too old, erasing for whoever asks for it."""

from __future__ import annotations

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
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.conversations import NO_CONVERSATION, erase_conversation, mark_erased
from server.storage.engine import Transactions
from server.storage.gaps import drop_empty
from server.storage.jobs import forget_personal_jobs
from server.storage.tables import (
    Conversation,
    GoldenRun,
    LegalHold,
    Message,
    Purge,
    StoredChange,
    StoredFeedback,
    Turn,
)

AT_ONCE = 200  # conversations of one transaction, so that visitors' questions do not wait for it
REASON_CHARS = 500


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


class RetentionStore:
    """What is removed and what must be kept. Every method but `erase` and `purge` is one transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._reading, self._writing = transactions.reading, transactions.writing

    # --- holds ---

    def hold(self, conversation_id: str, reason: str, *, by: str = COMMAND_LINE) -> None:
        """Keeps a conversation, whatever else says that it goes; `NotFoundError`, `BadInputError`."""
        reason = reason.strip()
        if not reason or len(reason) > REASON_CHARS:
            raise BadInputError(f"A hold needs a reason of at most {REASON_CHARS} characters.")
        with self._writing() as connection:
            before = _hold(connection, conversation_id)
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
            before = _hold(connection, conversation_id)
            if before is None:
                raise NotFoundError("This conversation is not on hold.")
            connection.execute(_of(delete(LegalHold), conversation_id))
            note_change(connection, by, ("hold", conversation_id), {"reason": before["reason"]}, None)

    def held(self, conversation_id: str) -> dict[str, Any] | None:
        """`at`, `by` and `reason` of its hold, if it is on hold."""
        with self._reading() as connection:
            return _hold(connection, conversation_id)

    # --- removing ---

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
                of_gaps = select(Turn.gap_id).where(Turn.conversation_id.in_(ids), Turn.gap_id.is_not(None))
                gap_ids = [own for own in connection.scalars(of_gaps.distinct()) if own is not None]
                # Asked anew: in PostgreSQL a visitor may have gone on with one in between.
                gone = connection.execute(delete(Conversation).where(Conversation.id.in_(ids), old))
                drop_empty(connection, gap_ids)
                forget_personal_jobs(connection)
            removed += gone.rowcount

    def _empty_log(self) -> None:
        """What was removed also stands in SQLite's write-ahead log until that is emptied."""
        with suppress(StorageError), self._reading() as connection:
            if connection.dialect.name == "sqlite":
                connection.rollback()
                connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _aged(keep: Keep, now: datetime) -> Iterator[tuple[str, Select[Any], Delete | Update]]:
    """(name, how many, what to do) of all but conversations."""
    if keep.comments:
        before = now - timedelta(days=keep.comments)
        held = (
            select(Message.id)
            .join(LegalHold, LegalHold.conversation_id == Message.conversation_id)
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


def _hold(connection: Connection, conversation_id: str) -> dict[str, Any] | None:
    columns = select(LegalHold.at, LegalHold.by, LegalHold.reason)
    row = connection.execute(_of(columns, conversation_id)).mappings().one_or_none()
    return None if row is None else {**row, "at": row["at"].isoformat()}


def _facts(connection: Connection, conversation_id: str) -> dict[str, Any]:
    """Site, begin and number of messages, and no word of it; `NotFoundError`."""
    counted = select(func.count()).where(Message.conversation_id == conversation_id).scalar_subquery()
    row = connection.execute(
        select(Conversation.site, Conversation.started_at, counted.label("messages")).where(
            Conversation.id == conversation_id
        )
    ).one_or_none()
    if row is None:
        raise NotFoundError(NO_CONVERSATION)
    return {"site": row.site, "started_at": row.started_at.isoformat(), "messages": row.messages}
