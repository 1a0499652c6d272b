"""What editors write: curated answers and notices, and a value that tells when they changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the three tables."""
    _curated_answers()
    _notices()
    version = op.create_table(
        "curation_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_curation_version"),
    )
    op.bulk_insert(version, [{"id": 1, "value": "new"}])


def downgrade() -> None:
    """Drops them."""
    for table in ("curation_version", "notices", "curated_answers"):
        op.drop_table(table)


def _curated_answers() -> None:
    op.create_table(
        "curated_answers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("phrasings", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("links", sa.JSON(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("valid_from", sa.Text(), nullable=True),
        sa.Column("valid_until", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_curated_answers"),
    )
    op.create_index("ix_curated_answers_site", "curated_answers", ["site"])


def _notices() -> None:
    op.create_table(
        "notices",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notices"),
    )
    op.create_index("ix_notices_site", "notices", ["site"])
