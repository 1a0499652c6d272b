"""The tables of the records store, typed.

A change here needs a revision in `migrations/versions`; a test compares the two.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, ForeignKey, Index, LargeBinary, MetaData, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A moment, aware and in UTC on both sides; SQLite itself would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Any aware time as UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """UTC, whether or not the database kept the zone."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PackedJson(TypeDecorator[Any]):
    """A JSON object, deflated: a trace repeats itself and is read as a whole or not at all.

    Takes dicts and dataclasses; gives dicts.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes:
        """UTF-8 JSON, at zlib's quickest level."""
        return zlib.compress(json.dumps(value, default=_fields, separators=(",", ":")).encode(), level=1)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """The object, with its keys as strings."""
        return None if value is None else json.loads(zlib.decompress(value))


def _fields(value: Any) -> dict[str, Any]:
    """A dataclass for the JSON encoder; `asdict` copies everything first, and takes five times as long."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


class Base(DeclarativeBase):
    """The parent of all tables; constraints have names, so that a migration can speak of them."""

    metadata = MetaData(naming_convention=NAMES)


class Conversation(Base):
    """One visitor's questions on one site."""

    __tablename__ = "conversations"
    __table_args__ = (Index(None, "started_at", "id"), Index(None, "last_at"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(UtcTime)
    last_at: Mapped[datetime] = mapped_column(UtcTime)


class LegalHold(Base):
    """A conversation that must be kept: neither age nor its visitor removes it."""

    __tablename__ = "legal_holds"

    conversation_id: Mapped[str] = mapped_column(ForeignKey(Conversation.id), primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    by: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)


class Purge(Base):
    """One row: the ISO 8601 day on which a server last removed what is too old; empty: none yet."""

    __tablename__ = "purges"

    id: Mapped[int] = mapped_column(primary_key=True)
    day: Mapped[str] = mapped_column(Text)


class Message(Base):
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


class StoredTrace(Base):
    """What every step of one answer saw; `document` is `Trace.as_json`."""

    __tablename__ = "traces"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    message_id: Mapped[str] = mapped_column(ForeignKey(Message.id, ondelete="CASCADE"), index=True)
    document: Mapped[dict[str, Any]] = mapped_column(PackedJson)


class Turn(Base):
    """What is searched, counted and grouped of one answer and its question, narrow: messages are wide.

    `number` is the answer's. `text` is question and answer as `searched_text` makes them, `topic` the
    likeliest of those the flow allowed, `degraded` the answer's own word or null. `day` is the one it was
    asked on (ISO 8601, UTC), `reason` a refusal's, `question` the visitor's as it stands alone and `asked`
    the same for all that ask it in the same words. `evidence` is the weakest of the answer, held against
    `threshold` (0 to 1, null where nobody looked). `helpful` is the visitor's rating; `gap_id` the gap that
    the question was put into, `likeness` its cosine to that gap's middle then.
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
    )  # fmt: skip

    number: Mapped[int] = mapped_column(
        ForeignKey(Message.number, ondelete="CASCADE"), primary_key=True, autoincrement=False
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
    likeness: Mapped[float | None]


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

    number: Mapped[int] = mapped_column(ForeignKey(Turn.number, ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(Text, primary_key=True)


class StoredFeedback(Base):
    """What a visitor thinks of one answer; a later word takes the earlier one's place, and is new again.

    From `state` on it is what the people who look after the answers made of it.
    """

    __tablename__ = "feedback"

    message_id: Mapped[str] = mapped_column(ForeignKey(Message.id, ondelete="CASCADE"), primary_key=True)
    helpful: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text)
    comment: Mapped[str] = mapped_column(Text)
    given_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
    state: Mapped[str] = mapped_column(Text, server_default="new")
    note: Mapped[str] = mapped_column(Text, server_default="")
    handled_by: Mapped[str] = mapped_column(Text, server_default="")
    handled_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Token(Base):
    """A bearer token of the admin API. Only its hash is kept."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text, index=True)
    role: Mapped[str] = mapped_column(Text)
    hash: Mapped[str] = mapped_column(Text, unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcTime)


class StoredCuratedAnswer(Base):
    """An editor's answer. `phrasings` is a list of texts, `links` one of [label, URL]; days are ISO 8601."""

    __tablename__ = "curated_answers"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    phrasings: Mapped[list[str]] = mapped_column(JSON)
    text: Mapped[str] = mapped_column(Text)
    links: Mapped[list[list[str]]] = mapped_column(JSON)
    topic: Mapped[str | None] = mapped_column(Text)
    valid_from: Mapped[str | None] = mapped_column(Text)
    valid_until: Mapped[str | None] = mapped_column(Text)


class StoredNotice(Base):
    """Urgent words that stand above all answers of a site until a moment."""

    __tablename__ = "notices"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    text: Mapped[str] = mapped_column(Text)
    until: Mapped[datetime] = mapped_column(UtcTime)
    url: Mapped[str] = mapped_column(Text)


class CurationVersion(Base):
    """One row, whose value is another after every change to the two tables above."""

    __tablename__ = "curation_version"

    id: Mapped[int] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class StoredRulebook(Base):
    """What was published for one site, and what held before; the one with the highest number is live."""

    __tablename__ = "rulebooks"
    __table_args__ = (Index(None, "site", "number"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    site: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)
    by: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    before: Mapped[dict[str, Any]] = mapped_column(JSON)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class StoredDraft(Base):
    """What editors are about to publish for one site, and what was live when they began."""

    __tablename__ = "rulebook_drafts"

    site: Mapped[str] = mapped_column(Text, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    by: Mapped[str] = mapped_column(Text)
    base: Mapped[dict[str, Any]] = mapped_column(JSON)
    document: Mapped[dict[str, Any]] = mapped_column(JSON)


class StoredChange(Base):
    """An entry of the audit log: `who` made `after` of `before`. `thing` is the id of what changed."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "kind", "number"), Index(None, "who", "number"))

    number: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    who: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    thing: Mapped[str] = mapped_column(Text)
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class StoredGoldenQuestion(Base):
    """A question that must stay answered rightly. `pages` and `answers` are lists of texts."""

    __tablename__ = "golden_questions"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    question: Mapped[str] = mapped_column(Text)
    pages: Mapped[list[str]] = mapped_column(JSON)
    answers: Mapped[list[str]] = mapped_column(JSON)
    refuse: Mapped[bool] = mapped_column(default=False)
    topic: Mapped[str | None] = mapped_column(Text)
    from_trace: Mapped[str | None] = mapped_column(Text)


class GoldenRun(Base):
    """All golden questions of a site asked once; `occasion` says why, `snapshot` over which pages."""

    __tablename__ = "golden_runs"

    number: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    site: Mapped[str] = mapped_column(Text, index=True)
    occasion: Mapped[str] = mapped_column(Text)
    snapshot: Mapped[str] = mapped_column(Text)
    strategy: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)


class GoldenResult(Base):
    """What became of one golden question in one run. `failure` is a sentence, null where it passed."""

    __tablename__ = "golden_results"
    __table_args__ = (Index(None, "golden_id", "run_number"),)

    run_number: Mapped[int] = mapped_column(
        ForeignKey(GoldenRun.number, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    golden_id: Mapped[str] = mapped_column(Text, primary_key=True)
    failure: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text)
    cited: Mapped[list[str]] = mapped_column(JSON)


class StoredSchedule(Base):
    """When a site is crawled by itself. `urls` and `prefixes` are lists of texts; `next_at` is claimed."""

    __tablename__ = "schedules"

    site: Mapped[str] = mapped_column(Text, primary_key=True)
    urls: Mapped[list[str]] = mapped_column(JSON)
    prefixes: Mapped[list[str]] = mapped_column(JSON)
    every: Mapped[str] = mapped_column(Text)
    hour: Mapped[int]
    weekday: Mapped[int]
    zone: Mapped[str] = mapped_column(Text)
    then: Mapped[str] = mapped_column(Text)
    next_at: Mapped[datetime] = mapped_column(UtcTime)
    last_at: Mapped[datetime | None] = mapped_column(UtcTime)
    last_said: Mapped[str] = mapped_column(Text, default="")
