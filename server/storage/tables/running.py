"""Who may do what, what was done, and when things are due."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.storage.engine import Base, PackedJson, UtcTime


class TokenRow(Base):
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


class ConsoleSession(Base):
    """Somebody signed in at the console with a token, until a moment. Only the hash of its secret is kept."""

    __tablename__ = "console_sessions"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey(TokenRow.id, ondelete="CASCADE"))
    expires_at: Mapped[datetime] = mapped_column(UtcTime)


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


class StoredJob(Base):
    """Work done aside by one `server`, which moves `heartbeat_at` while it is at it.

    Of open jobs with the same `alone` there is one at most; it is NULL once the job has ended. `personal`:
    what it finds holds visitors' words.
    """

    __tablename__ = "jobs"

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(Text, unique=True)
    kind: Mapped[str] = mapped_column(Text)
    about: Mapped[str] = mapped_column(Text)
    arguments: Mapped[dict[str, Any]] = mapped_column(JSON)
    by: Mapped[str] = mapped_column(Text)
    server: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    started_at: Mapped[datetime] = mapped_column(UtcTime)
    heartbeat_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    done: Mapped[int]
    total: Mapped[int]
    says: Mapped[str] = mapped_column(Text)
    result: Mapped[Any | None] = mapped_column(PackedJson)
    alone: Mapped[str | None] = mapped_column(Text, unique=True)
    cancel_asked: Mapped[bool]
    personal: Mapped[bool]


class Purge(Base):
    """One row: the ISO 8601 day on which a server last removed what is too old; empty: none yet."""

    __tablename__ = "purges"

    id: Mapped[int] = mapped_column(primary_key=True)
    day: Mapped[str] = mapped_column(Text)
