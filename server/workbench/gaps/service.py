"""What visitors need and do not get: gaps over the flow that answers, coverage over the live snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.ask.pipeline import Asker
from server.errors import NotReadyError
from server.index.manager import SnapshotManager
from server.inference.encoders import Embedder
from server.models import TurnFilter
from server.storage.insight import InsightStore
from server.wiring.opened import OpenedSnapshot
from server.workbench.coverage.coverage import CoverageBook, LivePage
from server.workbench.gaps.gap_book import GapBook
from server.workbench.golden.service import asked
from server.workbench.jobs import Progress


class UnreadyInsight:
    """Stands in while a part is missing: what is kept can be read, and nothing is done."""

    live = None

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def has_work(self) -> bool:
        """False: nothing could do it."""
        return False

    def work(self, progress: Progress) -> None:
        """`NotReadyError`, always, as what follows."""
        raise NotReadyError(self._reason)

    def ask_again(self, gap_id: int, by: str) -> None:
        """`NotReadyError`."""
        raise NotReadyError(self._reason)

    def coverage(self, wanted: TurnFilter, months: int) -> dict[str, Any]:
        """`NotReadyError`."""
        raise NotReadyError(self._reason)

    def never_cited(self, wanted: TurnFilter, text: str) -> list[dict[str, Any]]:
        """`NotReadyError`."""
        raise NotReadyError(self._reason)


class Insight:
    """Gaps and coverage of a running server."""

    def __init__(
        self,
        counts: InsightStore,
        asker: Asker,
        live: SnapshotManager[OpenedSnapshot],
        embedder: Embedder,
    ) -> None:
        quiet = asker.otherwise(asker.options)
        pages = SnapshotPages(live)
        self._gaps = GapBook(
            counts, embedder, lambda text, site: asked(quiet, text, site).answer.as_json(), pages.name
        )
        self._coverage = CoverageBook(counts, pages)
        self._today = asker.options.terms.day

    @property
    def live(self) -> str | None:
        """The name of the live snapshot, if there is one."""
        return self._gaps.live

    def has_work(self) -> bool:
        """Whether a question waits for its gap, or a gap to be asked again."""
        return self._gaps.has_work()

    def work(self, progress: Progress) -> None:
        """Do it."""
        self._gaps.work(progress)

    def ask_again(self, gap_id: int, by: str) -> None:
        """Ask a gap's question now; `NotFoundError`."""
        self._gaps.ask_again(gap_id, by)

    def coverage(self, wanted: TurnFilter, months: int) -> dict[str, Any]:
        """See `CoverageBook.coverage`."""
        return self._coverage.coverage(wanted, months, self._today())

    def never_cited(self, wanted: TurnFilter, text: str) -> list[dict[str, Any]]:
        """See `CoverageBook.never_cited`."""
        return self._coverage.never_cited(wanted, text)


@dataclass(frozen=True, slots=True)
class SnapshotPages:
    """The live snapshot's pages, for coverage."""

    live: SnapshotManager[OpenedSnapshot]

    def name(self) -> str | None:
        """The snapshot's name, if there is one."""
        try:
            with self.live.lease() as opened:
                return opened.name
        except NotReadyError:
            return None

    def pages(self) -> tuple[str, Sequence[LivePage]]:
        """Its name and all its pages; `NotReadyError`."""
        with self.live.lease() as opened:
            rows = opened.snapshot.rows("SELECT url, title, topic, published, modified, terms FROM pages")
            return opened.name, [_page(*row) for row in rows]


def _page(url: str, title: str, topic: str | None, *rest: Any) -> LivePage:
    published, modified, terms = rest
    return LivePage(url, title, topic, published, modified, tuple(terms or ()))
