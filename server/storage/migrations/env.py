"""Alembic's entry: runs the migrations inside the transaction that `migrate.py` has begun."""

from __future__ import annotations

from alembic import context

from server.storage.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite changes a column only by rebuilding the table
)
context.run_migrations()
