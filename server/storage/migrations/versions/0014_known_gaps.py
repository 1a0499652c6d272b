"""Golden questions that are known not to be answered rightly yet, and why."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of what is there, nothing is known to be a gap."""
    op.add_column("golden_questions", sa.Column("known_gap", sa.Text(), nullable=False, server_default=""))
    op.add_column(
        "golden_results", sa.Column("known_gap", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    """Forgets which they were."""
    op.drop_column("golden_results", "known_gap")
    op.drop_column("golden_questions", "known_gap")
