"""The end of a crawl in numbers."""

from __future__ import annotations

import json
from pathlib import Path

from server.ingest.crawl.job import make_report
from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore


def test_counts_are_of_this_crawl_over_all_sites(tmp_path: Path) -> None:
    stores = [CrawlStore(tmp_path, site) for site in ("one", "two")]
    outcomes = [
        CrawlOutcome("fetched"),
        CrawlOutcome("skipped", "robots"),
        CrawlOutcome("failed", "http 500"),
    ]
    for size, store in zip((5, 50_000), stores, strict=True):
        store.begin()
        store.add(FoundUrl(f"http://{store.site}/{number}", "/0", 1) for number in range(4))
        body = Copy("text/html", "{}", None, None, b"a" * size, "h", "t", None, False, "now")
        for one in outcomes:
            item = store.next()
            assert item is not None
            outcome = one.cut("sitemaps")
            store.settle(item, outcome, copy=body if outcome.name == "fetched" else None)
    report = make_report(stores, ended="max_pages", resumed=False, troubles={}, responses=4, seconds=2.0)
    for store in stores:
        store.close()
    assert (report.fetched, report.queued, report.pages_per_s) == (2, 2, 2.0)
    assert (report.skipped, report.failed) == ({"robots": 2}, {"http 500": 2})
    assert report.cut == {"sitemaps": 2}
    assert report.by_size == {"under 10 kB": 1, "10 to 100 kB": 1}
    assert json.loads(json.dumps(report.as_json()))["by_type"] == {"text/html": 2}
