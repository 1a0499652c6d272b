"""What the suggested questions were answered from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table, empty."""
    op.create_table(
        "suggestions",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("lang", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.Column("cited", sa.JSON(), nullable=False),
        sa.Column("page", sa.Text(), nullable=True),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("site", "lang", "question", name="pk_suggestions"),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("suggestions")
