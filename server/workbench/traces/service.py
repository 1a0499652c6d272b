"""What a developer does with a trace: ask it again, and look for the page that should have answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from server.ask.curated import SiteConfig
from server.ask.pipeline import Asker
from server.ask.trace import question_of
from server.errors import NotFoundError, NotReadyError
from server.index.manager import SnapshotManager
from server.inference.encoders import Embedder
from server.models.curation import RuleSet
from server.storage.store import RecordsStore
from server.wiring.opened import OpenedSnapshot
from server.workbench.curation.trial import drafted_site_config
from server.workbench.traces.explain import explain
from server.workbench.traces.replay import Changes, replay


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
    live: SnapshotManager[OpenedSnapshot]
    embedder: Embedder
    crawl_dir: Path
    records: RecordsStore

    def replay(self, trace: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
        """The question of a trace asked again, with these changes; nothing is recorded."""
        site = question_of(trace).site
        return replay(trace, changes, self.asker, self._site_config(site, changes.rules))

    def _site_config(self, site: str, rules: str | None) -> SiteConfig | None:
        """With nothing, or with the draft, in place of what editors have set; None: as it is."""
        if rules is None:
            return None
        draft = self.records.rulebooks.draft(site) if rules == "draft" else None
        if rules == "draft" and draft is None:
            raise NotFoundError("There is no draft for that site.")
        book = draft.book if draft else RuleSet(site)
        return drafted_site_config(self.asker.site_config, book, self.embedder)

    def page(self, trace: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Where a page's passages stood in a trace, or why they did not: the JSON of `Whereabouts`."""
        today = self.asker.options.terms.day()
        with self.live.lease() as opened:
            ruling = self.asker.site_config.ruling(question_of(trace).site, opened, today)
            return asdict(explain(trace, url, opened, self.embedder, self.crawl_dir, ruling))
