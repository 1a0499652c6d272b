"""Samples of visitors' questions, and what people found of each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables, empty."""
    op.create_table(
        "samples",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("since", sa.Text(), nullable=False),
        sa.Column("until", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_samples"),
        sa.UniqueConstraint(
            "site", "since", "until", "size", "seed", name="uq_samples_site_since_until_size_seed"
        ),
    )
    op.create_table(
        "labels",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("golden_id", sa.Text()),
        sa.Column("by", sa.Text(), nullable=False, server_default=""),
        sa.Column("at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("sample_id", "message_id", name="pk_labels"),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name="fk_labels_sample_id_samples", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.id"], name="fk_labels_message_id_messages", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_labels_message_id", "labels", ["message_id"])


def downgrade() -> None:
    """Drops them: nothing was labelled."""
    op.drop_table("labels")
    op.drop_table("samples")
