"""The admin API's addresses of crawls, as the console calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
Call = Callable[..., Json]  # method, path, body, and the query by name


class CrawlCalls:
    """What can be looked at and done."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def sites(self) -> list[Json]:
        """The last crawl of each site, the latest first."""
        found: list[Json] = self._call("GET", "/crawl")["sites"]
        return found

    def pages(self, site: str, limit: int, **wanted: str | int | None) -> Json:
        """Addresses of a site's last crawl: `pages`, and `next` for those after them."""
        return self._call("GET", "/crawl/pages", site=site, limit=limit, **wanted)

    def start(self, what: Mapping[str, Any]) -> Json:
        """A job that crawls: a `site` known from before, or from new `urls`."""
        return self._call("POST", "/crawl/start", dict(what))

    def schedules(self) -> list[Json]:
        """When sites are crawled by themselves."""
        found: list[Json] = self._call("GET", "/crawl/schedule")["schedules"]
        return found

    def put_schedule(self, schedule: Mapping[str, Any]) -> None:
        """Have a site crawled by itself, or no longer (`every` never)."""
        self._call("PUT", "/crawl/schedule", dict(schedule))
