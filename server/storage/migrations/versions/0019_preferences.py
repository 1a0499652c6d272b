"""Which of two answers people found better, judged blind."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table, empty."""
    op.create_table(
        "preferences",
        sa.Column("a", sa.Text(), nullable=False),
        sa.Column("b", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("preferred", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("a", "b", "question", "by", name="pk_preferences"),
    )


def downgrade() -> None:
    """Drops it: nobody has preferred anything."""
    op.drop_table("preferences")
