"""Samples of visitors' questions, and what people found of each."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from server.storage.engine import Base, UtcTime
from server.storage.tables.visitors import MessageRow


class StoredSample(Base):
    """A sample of one site's questions: the days (ISO 8601, UTC) and the seed that it was drawn by."""

    __tablename__ = "samples"
    __table_args__ = (UniqueConstraint("site", "since", "until", "size", "seed"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    site: Mapped[str] = mapped_column(Text)
    since: Mapped[str] = mapped_column(Text)
    until: Mapped[str] = mapped_column(Text)
    size: Mapped[int]
    seed: Mapped[int]
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)


class StoredLabel(Base):
    """A question of a sample, by an answer to it, which it goes with; from `label` on it is what one found.

    `draws` counts how often it was drawn at random, `times` how many asked it, `place` is its order;
    `golden_id` is the golden question that was made of it.
    """

    __tablename__ = "labels"

    sample_id: Mapped[int] = mapped_column(ForeignKey(StoredSample.id, ondelete="CASCADE"), primary_key=True)
    message_id: Mapped[str] = mapped_column(
        ForeignKey(MessageRow.id, ondelete="CASCADE"), primary_key=True, index=True
    )
    place: Mapped[int]
    draws: Mapped[int]
    times: Mapped[int]
    reasons: Mapped[list[str]] = mapped_column(JSON)
    label: Mapped[str | None] = mapped_column(Text)
    golden_id: Mapped[str | None] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text, server_default="")
    at: Mapped[datetime | None] = mapped_column(UtcTime)
