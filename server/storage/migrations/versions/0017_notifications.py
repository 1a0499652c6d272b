"""Who is told of what, what is on its way to them, who looks after what, and answers judged by hand."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables, empty."""
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("cadence", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_subscriptions"),
    )
    op.create_index("ix_subscriptions_person", "subscriptions", ["person"])
    op.create_table(
        "deliveries",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("subscription", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("says", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_deliveries"),
        sa.UniqueConstraint("id", name="uq_deliveries_id"),
        sa.UniqueConstraint("key", name="uq_deliveries_key"),
    )
    op.create_index("ix_deliveries_person", "deliveries", ["person"])
    op.create_index("ix_deliveries_state_next_at", "deliveries", ["state", "next_at"])
    op.create_table(
        "owners",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_owners"),
    )
    op.create_index("ix_owners_site", "owners", ["site"])
    op.create_table(
        "judgements",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name="pk_judgements"),
        sa.ForeignKeyConstraint(
            ["message_id"], ["messages.id"], name="fk_judgements_message_id_messages", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    """Drops them: nobody is told of anything, nobody looks after anything, nothing is judged."""
    for table in ("judgements", "owners", "deliveries", "subscriptions"):
        op.drop_table(table)
