"""Where a golden question comes from: somebody chose it, or it was sampled from what visitors asked."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """What is there was chosen by somebody."""
    op.add_column("golden_questions", sa.Column("source", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """Forgets which were sampled."""
    op.drop_column("golden_questions", "source")
