"""Conversations that must be kept, and the day that what is too old was last removed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the two tables."""
    op.create_table(
        "legal_holds",
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_legal_holds_conversation_id_conversations",
        ),
        sa.PrimaryKeyConstraint("conversation_id", name="pk_legal_holds"),
    )
    purges = op.create_table(
        "purges",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_purges"),
    )
    op.bulk_insert(purges, [{"id": 1, "day": ""}])
    op.create_index("ix_conversations_last_at", "conversations", ["last_at"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("ix_conversations_last_at", "conversations")
    op.drop_table("purges")
    op.drop_table("legal_holds")
