"""How a running server is, in figures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vitals:
    """The live snapshot, where there is one: when it was made (ISO 8601, UTC) and its counts.

    `llm_resting`: the language model is left in peace after failures; None: there is none. `disk_free_bytes`:
    under `LODGE_HOME`. `snapshot_trouble`: a sentence where an earlier snapshot stands in for the published
    one.
    """

    snapshot_created_at: str | None = None
    pages: int = 0
    chunks: int = 0
    snapshot_trouble: str | None = None
    llm_resting: bool | None = None
    disk_free_bytes: int = 0
