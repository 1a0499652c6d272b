"""What is counted of each answer, gaps in what the pages say, and what became of feedback."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from server.storage.turns import complete_turns

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_FACTS = (
    "day", "site", "topic", "refused", "reason", "degraded", "helpful", "evidence", "threshold", "total_ms",
    "gap_id",
)  # fmt: skip
_INDEXES = {
    "ix_turns_facts": list(_FACTS),
    "ix_turns_site_asked": ["site", "asked"],
    "ix_turns_gap_id_asked": ["gap_id", "asked"],
}


def upgrade() -> None:
    """Adds the columns and the table, and fills in what has been answered so far."""
    for column in _of_turns():
        op.add_column("turns", column)
    for column in _of_feedback():
        op.add_column("feedback", column)
    _gaps()
    complete_turns(op.get_bind())
    for name, columns in _INDEXES.items():
        op.create_index(name, "turns", columns)


def downgrade() -> None:
    """Drops them."""
    for name in _INDEXES:
        op.drop_index(name, "turns")
    op.drop_table("gaps")
    for table, columns in (("turns", _of_turns()), ("feedback", _of_feedback())):
        with op.batch_alter_table(table) as batch:
            for column in columns:
                batch.drop_column(column.name)


def _of_turns() -> list[sa.Column[Any]]:
    texts = [sa.Column(name, sa.Text(), nullable=False, server_default="") for name in
             ("site", "day", "question", "asked")]  # fmt: skip
    numbers: list[sa.Column[Any]] = [
        sa.Column(name, sa.Double(), nullable=True) for name in ("evidence", "threshold", "total_ms")
    ]
    return [
        *texts,
        sa.Column("reason", sa.Text(), nullable=True),
        *numbers,
        sa.Column("helpful", sa.Boolean(), nullable=True),
        sa.Column("gap_id", sa.Integer(), nullable=True),
        sa.Column("likeness", sa.Double(), nullable=True),
    ]


def _of_feedback() -> list[sa.Column[Any]]:
    return [
        sa.Column("state", sa.Text(), nullable=False, server_default="new"),
        sa.Column("note", sa.Text(), nullable=False, server_default=""),
        sa.Column("handled_by", sa.Text(), nullable=False, server_default=""),
        sa.Column("handled_at", sa.DateTime(timezone=True), nullable=True),
    ]


def _gaps() -> None:
    op.create_table(
        "gaps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("middle", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("snapshot", sa.Text(), nullable=True),
        sa.Column("again", sa.JSON(), nullable=True),
        sa.Column("again_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_number", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_gaps"),
    )
    op.create_index("ix_gaps_site", "gaps", ["site"])
    op.create_index("ix_gaps_state", "gaps", ["state"])
