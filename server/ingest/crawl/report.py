"""What a crawl came to, counted from its stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from server.ingest.crawl.store import CrawlStore

Ending = Literal["done", "max_pages", "interrupted", "given_up"]
_VISITED = "FROM urls WHERE crawl = :crawl AND kind = 'page' AND NOT queued"
_OUTCOMES = f"SELECT outcome, count(*) {_VISITED} GROUP BY outcome"
_SKIPPED = f"SELECT reason, count(*) {_VISITED} AND outcome = 'skipped' GROUP BY reason"
_FAILED = f"SELECT reason, count(*) {_VISITED} AND outcome = 'failed' GROUP BY reason"
_KEPT = "FROM urls JOIN copies ON url_id = id WHERE crawl = :crawl AND live GROUP BY 1"
_BY_TYPE = f"SELECT content_type, count(*) {_KEPT}"
_BY_SIZE = (
    "SELECT CASE WHEN size < 10000 THEN 'under 10 kB' WHEN size < 100000 THEN '10 to 100 kB'"
    f" WHEN size < 1000000 THEN '100 kB to 1 MB' ELSE '1 MB and more' END, count(*) {_KEPT}"
)


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What a crawl came to: counts of all its runs, seconds and responses of the last.

    `ended`: "max_pages", "interrupted" and "given_up" leave a queue that the next run takes up. `troubles`
    has a sentence for each site that was given up. `cut` counts pages and sitemaps that were read, and of
    which not everything that they lead to was taken, by reason.
    """

    sites: tuple[str, ...]
    ended: Ending
    resumed: bool
    fetched: int
    unchanged: int
    gone: int
    redirects: int
    queued: int
    skipped: Mapping[str, int]
    failed: Mapping[str, int]
    cut: Mapping[str, int]
    by_type: Mapping[str, int]
    by_size: Mapping[str, int]
    troubles: Mapping[str, str]
    responses: int
    seconds: float
    pages_per_s: float

    def as_json(self) -> dict[str, Any]:
        """A JSON object of the same names."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run beside its stores."""

    ended: Ending
    resumed: bool
    troubles: Mapping[str, str]
    responses: int
    seconds: float


def make_report(stores: Sequence[CrawlStore], run: RunFacts) -> CrawlReport:
    """Count what the crawl that is open in these stores has done."""
    outcomes = _summed(stores, _OUTCOMES)
    return CrawlReport(
        sites=tuple(store.site for store in stores),
        ended=run.ended,
        resumed=run.resumed,
        fetched=outcomes.get("fetched", 0),
        unchanged=outcomes.get("unchanged", 0),
        gone=outcomes.get("gone", 0),
        redirects=outcomes.get("redirect", 0),
        queued=sum(store.queued() for store in stores),
        skipped=_summed(stores, _SKIPPED),
        failed=_summed(stores, _FAILED),
        cut=_total(store.cuts() for store in stores),
        by_type=_summed(stores, _BY_TYPE),
        by_size=_summed(stores, _BY_SIZE),
        troubles=dict(run.troubles),
        responses=run.responses,
        seconds=round(run.seconds, 2),
        pages_per_s=round(run.responses / run.seconds, 1) if run.seconds else 0.0,
    )


def _summed(stores: Sequence[CrawlStore], query: str) -> dict[str, int]:
    return _total(store.counts(query) for store in stores)


def _total(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total.most_common())
