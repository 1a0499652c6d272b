"""Which lines got help lines, also above an answer, and which may have called for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Of what is there, it is known where help lines were all that was said."""
    op.add_column("turns", sa.Column("help", sa.Text(), nullable=True))
    op.execute(sa.text("UPDATE turns SET help = 'shown' WHERE answerer = 'help'"))
    op.create_index("ix_turns_help_day", "turns", ["help", "day"])


def downgrade() -> None:
    """Forgets which they were."""
    op.drop_index("ix_turns_help_day", "turns")
    op.drop_column("turns", "help")
