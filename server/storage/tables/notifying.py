"""Who wants to be told, what is on its way to them, and who looks after what."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.storage.engine import Base, UtcTime


class StoredSubscription(Base):
    """What one person is told of, and where. `secret` signs, so it is kept as it is; empty for mail."""

    __tablename__ = "subscriptions"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    person: Mapped[str] = mapped_column(Text, index=True)
    channel: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    topics: Mapped[list[str]] = mapped_column(JSON)
    cadence: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    secret: Mapped[str] = mapped_column(Text)


class StoredDelivery(Base):
    """One message to one target. `key` is what it is about and whom it is for, so that it is there once.

    `document` is what is sent, and null once it has ended: the log keeps no visitor's word, masked or not.
    `next_at` is when it is due; whoever sends it moves that on first, so that no other server sends it too.
    """

    __tablename__ = "deliveries"
    __table_args__ = (Index(None, "state", "next_at"),)

    number: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(Text, unique=True)
    key: Mapped[str] = mapped_column(Text, unique=True)
    person: Mapped[str] = mapped_column(Text, index=True)
    subscription: Mapped[str] = mapped_column(Text)
    channel: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    document: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    state: Mapped[str] = mapped_column(Text)
    tries: Mapped[int]
    made_at: Mapped[datetime] = mapped_column(UtcTime)
    next_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)
    says: Mapped[str] = mapped_column(Text)


class StoredOwner(Base):
    """Who looks after a topic, or after the pages whose addresses begin so."""

    __tablename__ = "owners"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    scope: Mapped[str] = mapped_column(Text)
    value: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    email: Mapped[str] = mapped_column(Text)
