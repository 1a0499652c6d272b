"""What the console searches: a narrow row for each answer, and the pages it cites."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from server.storage.turns import fill_turns

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the two tables, and fills them with what has been answered so far."""
    _turns()
    op.create_table(
        "cited_pages",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", "url", name="pk_cited_pages"),
        sa.ForeignKeyConstraint(
            ["number"], ["turns.number"], name="fk_cited_pages_number_turns", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_cited_pages_url_number", "cited_pages", ["url", "number"])
    fill_turns(op.get_bind())


def downgrade() -> None:
    """Drops them."""
    op.drop_table("cited_pages")
    op.drop_table("turns")


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.Column("degraded", sa.Text(), nullable=True),
        sa.Column("answerer", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_turns"),
        sa.ForeignKeyConstraint(
            ["number"], ["messages.number"], name="fk_turns_number_messages", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_turns_conversation_id_conversations",
            ondelete="CASCADE",
        ),
    )
    for columns in (
        ["conversation_id", "number"],
        ["topic", "conversation_id"],
        ["answerer", "conversation_id"],
    ):
        op.create_index(f"ix_turns_{'_'.join(columns)}", "turns", columns)
