"""Erasing a conversation for good, though an answer of it may be on its way at another server.

First it is marked, in a transaction of its own, then removed. An answer recorded before the second is removed
with it; whoever records one later finds the mark, and removes it again (`Eraser.ended`).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from sqlalchemy import Connection, delete, insert, select

from server.errors import ConflictError, NotFoundError
from server.records_db.conversations import NO_CONVERSATION
from server.records_db.gaps import drop_empty
from server.records_db.tables import Conversation, Erasure, LegalHold, Turn

ON_HOLD = "This conversation is on legal hold: it has to be kept for now, and cannot be erased."
MARKED_FOR = timedelta(minutes=10)  # longer than any answer is on its way


def mark_erased(connection: Connection, conversation_id: str, site: str) -> None:
    """Notes that a site's conversation is erased, whether it is there or not; `ConflictError`: on hold."""
    _refuse_held(connection, conversation_id)
    now = datetime.now(UTC)
    fingerprint = _fingerprint(conversation_id, site)
    is_outdated = (Erasure.at < now - MARKED_FOR) | (Erasure.fingerprint == fingerprint)
    connection.execute(delete(Erasure).where(is_outdated))
    connection.execute(insert(Erasure), {"fingerprint": fingerprint, "at": now})


def is_marked_erased(connection: Connection, conversation_id: str, site: str) -> bool:
    """Whether it was erased a moment ago, at any server."""
    marked = select(Erasure.at).where(Erasure.fingerprint == _fingerprint(conversation_id, site))
    return connection.execute(marked).first() is not None


def erase_conversation(connection: Connection, conversation_id: str, site: str) -> None:
    """Messages and traces go with it, and gaps that had no other question; `ConflictError`: on hold.

    `NotFoundError` where there is none, or another site's.
    """
    _refuse_held(connection, conversation_id)
    of_gap = select(Turn.gap_id).where(Turn.conversation_id == conversation_id, Turn.gap_id.is_not(None))
    gap_ids = [own for own in connection.scalars(of_gap.distinct()) if own is not None]
    of_site = (Conversation.id == conversation_id, Conversation.site == site)
    gone = connection.execute(delete(Conversation).where(*of_site))
    if gone.rowcount == 0:
        raise NotFoundError(NO_CONVERSATION)
    drop_empty(connection, gap_ids)


def _refuse_held(connection: Connection, conversation_id: str) -> None:
    held = select(LegalHold.at).where(LegalHold.conversation_id == conversation_id)
    if connection.execute(held).first():
        raise ConflictError(ON_HOLD, code="on_hold")


def _fingerprint(conversation_id: str, site: str) -> str:
    return sha256(f"{site}\0{conversation_id}".encode()).hexdigest()
