"""What visitors think of answers: feedback."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table."""
    op.create_table(
        "feedback",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("helpful", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_feedback"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.id"], name="fk_feedback_message_id_messages", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_feedback_given_at", "feedback", ["given_at"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("feedback")
