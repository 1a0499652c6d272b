"""What a developer does with a trace: ask it again, and look for the page that should have answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from server.ask.pipeline import Asker
from server.ask.tracing.asked import question_of
from server.ask.tracing.replay import Changes, replay
from server.errors import NotReadyError
from server.inference.embedder import Embedder
from server.parts.opened import OpenedSnapshot
from server.parts.whereabouts import whereabouts
from server.search.live import Live


class UnreadyWorkshop:
    """Stands in while a part is missing, and says which."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def replay(self, trace: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
        """`NotReadyError`, always."""
        raise NotReadyError(self._reason)

    def page(self, trace: Mapping[str, Any], url: str) -> dict[str, Any]:
        """`NotReadyError`, always."""
        raise NotReadyError(self._reason)


@dataclass(frozen=True, slots=True)
class Workshop:
    """Replays and look-ups over the live snapshot, on the models of the flow that answers visitors."""

    asker: Asker
    live: Live[OpenedSnapshot]
    embedder: Embedder
    crawl_dir: Path

    def replay(self, trace: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
        """The question of a trace asked again, with these changes; nothing is recorded."""
        return replay(trace, changes, self.asker)

    def page(self, trace: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Where a page's passages stood in a trace, or why they did not: the JSON of `Whereabouts`."""
        today = self.asker.options.terms.day()
        with self.live.lease() as opened:
            ruling = self.asker.office.ruling(question_of(trace).site, opened, today)
            return asdict(whereabouts(trace, url, opened, self.embedder, self.crawl_dir, ruling))
