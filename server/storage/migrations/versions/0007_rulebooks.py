"""What editors have set for each site: every version that was published, and the drafts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables, empty."""
    op.create_table(
        "rulebooks",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_rulebooks"),
    )
    op.create_index("ix_rulebooks_site_number", "rulebooks", ["site", "number"])
    op.create_table(
        "rulebook_drafts",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("base", sa.JSON(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("site", name="pk_rulebook_drafts"),
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_table("rulebook_drafts")
    op.drop_table("rulebooks")
