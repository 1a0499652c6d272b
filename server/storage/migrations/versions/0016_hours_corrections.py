"""What editors say of opening hours."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_TEXTS = ("site", "url", "place", "part", "kind", "text")


def upgrade() -> None:
    """Makes the table, empty."""
    op.create_table(
        "hours_corrections",
        sa.Column("id", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in _TEXTS),
        sa.Column("first", sa.Text(), nullable=True),
        sa.Column("last", sa.Text(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("note", "digest", "by")),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_hours_corrections"),
    )
    op.create_index("ix_hours_corrections_site", "hours_corrections", ["site"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("hours_corrections")
