"""The admin API's addresses of snapshots, as the console calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

Json = dict[str, Any]
Call = Callable[..., Json]  # method, path, body, and the query by name


class SnapshotCalls:
    """What can be looked at and done; work that takes long comes back as a job."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def all(self) -> list[Json]:
        """Every snapshot, the newest first."""
        found: list[Json] = self._call("GET", "/snapshots")["snapshots"]
        return found

    def compare(self, before: str, after: str, kind: str | None, offset: int, limit: int) -> Json:
        """`counts` of pages in, out, changed and the same, some `pages`, and the `next` offset."""
        return self._call(
            "GET", "/snapshots/compare", before=before, after=after, kind=kind, offset=offset, limit=limit
        )

    def compare_page(self, before: str, after: str, url: str) -> Json:
        """The passages of a page that are `only_before` and `only_after`."""
        return self._call("GET", "/snapshots/compare/page", before=before, after=after, url=url)

    def compare_golden(self, before: str, after: str) -> Json:
        """A job that asks the golden questions over both."""
        return self._call("POST", "/snapshots/compare/golden", {"before": before, "after": after})

    def build(self) -> Json:
        """A job that makes a snapshot of everything crawled; visitors stay with the live one."""
        return self._call("POST", "/snapshots/build", {})

    def publish(self, name: str, override: str | None = None) -> Json:
        """A job that makes it live, if the golden questions allow it, or with a reason all the same."""
        path = f"/snapshots/{quote(name, safe='')}/publish"
        return self._call("POST", path, {"override": override})

    def roll_back(self, name: str) -> Json:
        """An earlier one is live again, at once."""
        return self._call("POST", "/snapshots/rollback", {"name": name})
