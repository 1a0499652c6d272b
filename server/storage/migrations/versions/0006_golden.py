"""Golden questions, the runs in which they were asked, and what became of each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the tables, empty."""
    op.create_table(
        "golden_questions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("pages", sa.JSON(), nullable=False),
        sa.Column("answers", sa.JSON(), nullable=False),
        sa.Column("refuse", sa.Boolean(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("from_trace", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_golden_questions"),
    )
    op.create_index("ix_golden_questions_site", "golden_questions", ["site"])
    op.create_table(
        "golden_runs",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("occasion", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_golden_runs"),
    )
    op.create_index("ix_golden_runs_site", "golden_runs", ["site"])
    op.create_table(
        "golden_results",
        sa.Column("run_number", sa.Integer(), nullable=False),
        sa.Column("golden_id", sa.Text(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("cited", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("run_number", "golden_id", name="pk_golden_results"),
        sa.ForeignKeyConstraint(
            ["run_number"],
            ["golden_runs.number"],
            name="fk_golden_results_run_number_golden_runs",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_golden_results_golden_id_run_number", "golden_results", ["golden_id", "run_number"])


def downgrade() -> None:
    """Drops them."""
    op.drop_table("golden_results")
    op.drop_table("golden_runs")
    op.drop_table("golden_questions")
