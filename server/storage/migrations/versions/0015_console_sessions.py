"""Who is signed in at the console."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the table, empty."""
    op.create_table(
        "console_sessions",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_console_sessions"),
        sa.ForeignKeyConstraint(
            ["token_id"], ["tokens.id"], name="fk_console_sessions_token_id_tokens", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    """Drops it; everyone signs in again."""
    op.drop_table("console_sessions")
