"""What visitors ask, are answered and think of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.storage.engine import Base, PackedJson, UtcTime


class Conversation(Base):
    """One visitor's questions on one site."""

    __tablename__ = "conversations"
    __table_args__ = (Index(None, "started_at", "id"), Index(None, "last_at"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(UtcTime)
    last_at: Mapped[datetime] = mapped_column(UtcTime)


class Erasure(Base):
    """A conversation that was erased a moment ago, lest an answer on its way records it anew.

    `fingerprint` is the SHA-256 of its site and its id, in hexadecimal.
    """

    __tablename__ = "erasures"

    fingerprint: Mapped[str] = mapped_column(Text, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime, index=True)


class MessageRow(Base):
    """A visitor's question or the assistant's answer; the columns from `answer` on are the assistant's.

    `number` counts in the order of writing, which holds even where a clock jumps.
    """

    __tablename__ = "messages"
    __table_args__ = (Index(None, "conversation_id", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(Text, unique=True)
    conversation_id: Mapped[str] = mapped_column(ForeignKey(Conversation.id, ondelete="CASCADE"))
    role: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)
    answer: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    refused: Mapped[bool] = mapped_column(default=False)
    refusal_reason: Mapped[str | None] = mapped_column(Text)
    answerer: Mapped[str | None] = mapped_column(Text)
    strategy: Mapped[str | None] = mapped_column(Text)
    snapshot: Mapped[str | None] = mapped_column(Text)
    trace_id: Mapped[str | None] = mapped_column(Text)
    total_ms: Mapped[float | None]


# The `reason` of a turn that is no refusal and no answer: passages that seem to answer were shown.
SEEMS = "seems"


class StoredTrace(Base):
    """What every step of one answer saw; `document` is `Trace.as_json`."""

    __tablename__ = "traces"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    message_id: Mapped[str] = mapped_column(ForeignKey(MessageRow.id, ondelete="CASCADE"), index=True)
    document: Mapped[dict[str, Any]] = mapped_column(PackedJson)


class TurnRow(Base):
    """What is searched, counted and grouped of one answer and its question, narrow: messages are wide.

    `number` is the answer's. `text` is question and answer as `searched_text` makes them, `topic` the
    likeliest of those the flow allowed, `degraded` the answer's own word or null. `day` is the one it was
    asked on (ISO 8601, UTC), `reason` a refusal's, or "seems" for passages that were shown as what seems to
    answer, `question` the visitor's as it stands alone and `asked`
    the same for all that ask it in the same words. `evidence` is the weakest of the answer, held against
    `threshold` (0 to 1, null where nobody looked). `help` is "shown" where help lines were, alone or above an
    answer, "missed" where the line may have called for them, null else. `helpful` is the visitor's rating;
    `gap_id` the gap that the question was put into, `likeness` its cosine to that gap's middle then.
    """

    __tablename__ = "turns"
    __table_args__ = (
        Index(None, "conversation_id", "number"),
        Index(None, "topic", "conversation_id"),
        Index(None, "answerer", "conversation_id"),
        # All that is counted, so that a count need not read the rows.
        Index(
            "ix_turns_facts",
            "day", "site", "topic", "refused", "reason", "degraded", "helpful", "evidence", "threshold",
            "total_ms", "gap_id",
        ),
        Index(None, "site", "asked"),
        Index(None, "gap_id", "asked"),
        Index(None, "help", "day"),
    )  # fmt: skip

    number: Mapped[int] = mapped_column(
        ForeignKey(MessageRow.number, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    conversation_id: Mapped[str] = mapped_column(ForeignKey(Conversation.id, ondelete="CASCADE"))
    topic: Mapped[str | None] = mapped_column(Text)
    refused: Mapped[bool]
    degraded: Mapped[str | None] = mapped_column(Text)
    answerer: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    site: Mapped[str] = mapped_column(Text, server_default="")
    day: Mapped[str] = mapped_column(Text, server_default="")
    question: Mapped[str] = mapped_column(Text, server_default="")
    asked: Mapped[str] = mapped_column(Text, server_default="")
    reason: Mapped[str | None] = mapped_column(Text)
    evidence: Mapped[float | None]
    threshold: Mapped[float | None]
    total_ms: Mapped[float | None]
    helpful: Mapped[bool | None]
    gap_id: Mapped[int | None]
    help: Mapped[str | None] = mapped_column(Text)
    likeness: Mapped[float | None]


class StoredFeedback(Base):
    """What a visitor thinks of one answer; a later word takes the earlier one's place, and is new again.

    From `state` on it is what the people who look after the answers made of it.
    """

    __tablename__ = "feedback"

    message_id: Mapped[str] = mapped_column(ForeignKey(MessageRow.id, ondelete="CASCADE"), primary_key=True)
    helpful: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text)
    comment: Mapped[str] = mapped_column(Text)
    given_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    state: Mapped[str] = mapped_column(Text, server_default="new")
    note: Mapped[str] = mapped_column(Text, server_default="")
    handled_by: Mapped[str] = mapped_column(Text, server_default="")
    handled_at: Mapped[datetime | None] = mapped_column(UtcTime)


class StoredJudgement(Base):
    """Whether somebody who read an answer, drawn as a sample, found it right."""

    __tablename__ = "judgements"

    message_id: Mapped[str] = mapped_column(ForeignKey(MessageRow.id, ondelete="CASCADE"), primary_key=True)
    right: Mapped[bool]
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)


class Gap(Base):
    """Questions of one meaning that were not answered well; which they are, `turns.gap_id` says.

    `middle` is the sum of the vectors of its questions, little-endian float32. `snapshot` was live when it
    was marked as mended; `again` is the answer's JSON when it was asked again, at `again_at`, and
    `last_number` the last turn there was then.
    """

    __tablename__ = "gaps"

    id: Mapped[int] = mapped_column(primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    middle: Mapped[bytes] = mapped_column(LargeBinary)
    state: Mapped[str] = mapped_column(Text, index=True)
    note: Mapped[str] = mapped_column(Text)
    changed_by: Mapped[str] = mapped_column(Text)
    changed_at: Mapped[datetime | None] = mapped_column(UtcTime)
    snapshot: Mapped[str | None] = mapped_column(Text)
    again: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    again_at: Mapped[datetime | None] = mapped_column(UtcTime)
    last_number: Mapped[int | None]


class CitedPage(Base):
    """A page that an answer cites."""

    __tablename__ = "cited_pages"
    __table_args__ = (Index(None, "url", "number"),)

    number: Mapped[int] = mapped_column(ForeignKey(TurnRow.number, ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(Text, primary_key=True)


class LegalHold(Base):
    """A conversation that must be kept: neither age nor its visitor removes it."""

    __tablename__ = "legal_holds"

    conversation_id: Mapped[str] = mapped_column(ForeignKey(Conversation.id), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
