"""When sites are crawled by themselves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table, empty."""
    op.create_table(
        "schedules",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("urls", sa.JSON(), nullable=False),
        sa.Column("prefixes", sa.JSON(), nullable=False),
        sa.Column("every", sa.Text(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("then", sa.Text(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_said", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("site", name="pk_schedules"),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("schedules")
