"""What the people who look after the answers write."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from server.storage.engine import Base, UtcTime


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
    """One row, whose value is another after every change to the two tables above and the one below."""

    __tablename__ = "curation_version"

    id: Mapped[int] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(Text)


class StoredHoursCorrection(Base):
    """What an editor says of a place's opening hours instead of its page; days are ISO 8601."""

    __tablename__ = "hours_corrections"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    url: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    part: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    first: Mapped[str | None] = mapped_column(Text)
    last: Mapped[str | None] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)


class StoredPreference(Base):
    """Which of two runs' answers to a question somebody found better, not knowing whose they are.

    `a` and `b` are a run's name and a strategy of it; `preferred` is one of "a", "b" and "neither".
    """

    __tablename__ = "preferences"

    a: Mapped[str] = mapped_column(Text, primary_key=True)
    b: Mapped[str] = mapped_column(Text, primary_key=True)
    question: Mapped[str] = mapped_column(Text, primary_key=True)
    by: Mapped[str] = mapped_column(Text, primary_key=True)
    preferred: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)


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


class StoredSuggestion(Base):
    """What a suggested question was last answered from, over `snapshot`; `page` is the right one."""

    __tablename__ = "suggestions"

    site: Mapped[str] = mapped_column(Text, primary_key=True)
    lang: Mapped[str] = mapped_column(Text, primary_key=True)
    question: Mapped[str] = mapped_column(Text, primary_key=True)
    refused: Mapped[bool]
    cited: Mapped[list[str]] = mapped_column(JSON)
    page: Mapped[str | None] = mapped_column(Text)
    snapshot: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)


class StoredGoldenQuestion(Base):
    """A question that must stay answered rightly. `pages` and `answers` are lists of texts.

    `known_gap` says why it is known not to be yet; empty: it has to be. `source` is "visitors" where it was
    sampled from what they asked.
    """

    __tablename__ = "golden_questions"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    site: Mapped[str] = mapped_column(Text, index=True)
    question: Mapped[str] = mapped_column(Text)
    pages: Mapped[list[str]] = mapped_column(JSON)
    answers: Mapped[list[str]] = mapped_column(JSON)
    refuse: Mapped[bool] = mapped_column(default=False)
    topic: Mapped[str | None] = mapped_column(Text)
    from_trace: Mapped[str | None] = mapped_column(Text)
    known_gap: Mapped[str] = mapped_column(Text, default="", server_default="")
    source: Mapped[str] = mapped_column(Text, default="", server_default="")


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
    """What became of one golden question in one run. `failure` is a sentence, null where it passed.

    `known_gap`: it was known then that it would fail.
    """

    __tablename__ = "golden_results"
    __table_args__ = (Index(None, "golden_id", "run_number"),)

    run_number: Mapped[int] = mapped_column(
        ForeignKey(GoldenRun.number, ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    golden_id: Mapped[str] = mapped_column(Text, primary_key=True)
    failure: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[str] = mapped_column(Text)
    cited: Mapped[list[str]] = mapped_column(JSON)
    known_gap: Mapped[bool] = mapped_column(default=False, server_default=false())
