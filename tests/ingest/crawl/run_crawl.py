"""The crawl that a `CrawlProcess` runs: a job in, a report or an error out; by itself, as JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from server.errors import LodgeError
from server.ingest.crawl.job import crawl
from server.ingest.crawl.nouns import CrawlLimits
from server.ingest.crawl.render import ChromiumRenderer, RenderLimits


def limits_of(**changes: Any) -> CrawlLimits:
    """Limits for a test: no delay, one retry, small pages."""
    given: dict[str, Any] = {
        "delay_s": 0.0, "max_pages": 1000, "max_depth": 30, "max_page_bytes": 200_000, "timeout_s": 5.0,
        "retries": 1, "private_hosts": (), "user_agent": "LodgeBot/0.1", "trap_misses": 5, "max_urls": 10_000,
        "prefixes": (), "render": (),
    } | changes  # fmt: skip
    hosts, *tuples = frozenset(given["private_hosts"]), tuple(given["prefixes"]), tuple(given["render"])
    return CrawlLimits(**(given | {"private_hosts": hosts, "prefixes": tuples[0], "render": tuples[1]}))


def crawl_job(job: dict[str, Any]) -> dict[str, Any]:
    """Crawl; among the limits are `http_proxy`, and `max_file_bytes`, at which this disk is full.

    So are the `browser` that renders pages, and `render_s`, how long one may take.
    """
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    if proxy := job["limits"].pop("http_proxy", None):
        os.environ["http_proxy"] = proxy
    if full_at := job["limits"].pop("max_file_bytes", None):
        resource.setrlimit(resource.RLIMIT_FSIZE, (full_at, full_at))
    browser, render_s = job["limits"].pop("browser", None), job["limits"].pop("render_s", 10.0)
    limits = limits_of(**job["limits"])
    most = RenderLimits(render_s, limits.max_page_bytes)
    renderer = ChromiumRenderer(most, limits.user_agent, browser) if browser else None
    try:
        return crawl(job["urls"], Path(job["store_dir"]), limits, renderer=renderer).as_json()
    except LodgeError as error:
        return {"error": type(error).__name__, "message": error.message}


def run_job(job: dict[str, Any], results: Connection[Any, Any]) -> None:
    """Crawl and send the result back."""
    results.send(crawl_job(job))


if __name__ == "__main__":
    print(json.dumps(crawl_job(json.loads(sys.argv[1]))))
