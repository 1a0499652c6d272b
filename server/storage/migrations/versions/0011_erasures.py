"""Conversations that were erased a moment ago, for all servers to know."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "erasures",
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_erasures"),
    )
    op.create_index("ix_erasures_at", "erasures", ["at"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("erasures")
