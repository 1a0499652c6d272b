"""The nouns of a crawl: what it may do, what it tells, and what travels between its steps and its store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from server.ingest.documents.read import DOCUMENTS, FEEDS, PLAIN

Kind = Literal["sitemap", "page"]
CUT = {  # why a page or sitemap was read, and yet not all that it leads to was taken
    "frontier": "Read; not all its links were taken, since a crawl of one site takes no more addresses.",
    "links": "Read; not all its links were taken, since it has more than are taken of a page.",
    "tags": "Read up to the last tag that is read of a page.",
    "sitemaps": "Read; not all the sitemaps it names were, since they are too many or lie too deep.",
}
NEEDS_BROWSER, UNRENDERED = "needs_browser", "unrendered"
AS_SENT = {  # why a page was read, and yet not as a visitor sees it
    NEEDS_BROWSER: "Needs a browser: scripts write its text. `render` in the table of sites has it rendered.",
    UNRENDERED: "Read as the server sends it, since it could not be rendered.",
}
PAGE_TYPES = ("text/html", "application/xhtml+xml", *PLAIN, *DOCUMENTS, *FEEDS)  # what is kept
LEADS_TO = "Leads to "  # begins the detail of a redirect; its target follows
Ending = Literal["done", "max_pages", "interrupted", "given_up"]
OutcomeName = Literal["fetched", "unchanged", "gone", "redirect", "skipped", "failed", "read"]


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """The limits of one crawl; each is explained at the setting of its name (`crawl_…`).

    Pages whose addresses begin with one of `render` are rendered in a browser.
    """

    delay_s: float
    max_pages: int
    max_depth: int
    max_page_bytes: int
    timeout_s: float
    retries: int
    private_hosts: frozenset[str]
    user_agent: str
    trap_misses: int
    max_urls: int
    prefixes: tuple[str, ...] = ()
    render: tuple[str, ...] = ()

    @property
    def agent(self) -> str:
        """The name that robots rules go by: the user agent without version and comment."""
        return self.user_agent.partition("/")[0].strip()


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """For a progress bar: responses so far, URLs waiting, failures, and the URL just done."""

    fetched: int
    queued: int
    errors: int
    url: str


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What a crawl came to: counts of all its runs, seconds and responses of the last.

    `ended`: "max_pages", "interrupted" and "given_up" leave a queue that the next run takes up. `failed`
    counts by reason what could not be read, `failed_now` those of which an earlier copy is held. `troubles`
    has a sentence for each site that was given up. `cut` counts pages and sitemaps that were read, and of
    which not everything that they lead to was taken, by reason. `as_sent`
    counts those that a visitor sees otherwise: they need a browser, or could not be rendered, by reason.
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
    failed_now: int
    cut: Mapping[str, int]
    as_sent: Mapping[str, int]
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
class FoundUrl:
    """A URL on its way into the frontier; with `skip`, only the reason why it is not followed is kept."""

    url: str
    shape: str
    depth: int
    found_on: str | None = None
    kind: Kind = "page"
    hops: int = 0
    lastmod: str | None = None
    skip: str | None = None


@dataclass(frozen=True, slots=True)
class QueuedUrl:
    """The next URL to fetch. `not_before` is a Unix time; the validators are those of the copy we hold."""

    id: int
    url: str
    kind: Kind
    shape: str
    depth: int
    hops: int
    tries: int
    not_before: float
    etag: str | None
    last_modified: str | None
    body_hash: str | None


@dataclass(frozen=True, slots=True)
class Copy:
    """A page as it was received. `headers` is a JSON object, `fetched_at` ISO 8601.

    `text_key` does not tell dates and numbers apart, `text_hash` does; both are of what a visitor reads.
    """

    content_type: str
    headers: str
    etag: str | None
    last_modified: str | None
    body: bytes
    body_hash: str
    text_key: str
    canonical: str | None
    noindex: bool
    fetched_at: str
    text_hash: str = ""


@dataclass(frozen=True, slots=True)
class CrawlOutcome:
    """What became of a URL: a stable `reason` and a `detail` for a person, as far as there is one."""

    name: OutcomeName
    reason: str | None = None
    detail: str | None = None
    status: int | None = None

    def cut(self, reason: str | None) -> CrawlOutcome:
        """The same of what was read, where not all it leads to was taken; `reason` is one of `CUT`."""
        if reason is None or self.reason is not None or self.name not in ("fetched", "unchanged", "read"):
            return self
        return replace(self, reason=reason, detail=CUT[reason])

    def sent(self, reason: str | None, trouble: str = "") -> CrawlOutcome:
        """The same of a page that a visitor sees otherwise; `trouble` says why."""
        if reason is None or self.name not in ("fetched", "unchanged"):
            return self
        return replace(self, reason=reason, detail=f"{AS_SENT[reason]} {trouble}".strip())

    @property
    def ends_copy(self) -> bool:
        """Whether an earlier copy is out of date now: the site took it away or asks us not to read it."""
        return self.name in ("gone", "redirect") or self.reason in ("robots", "type", "size", "feeds")


def http_date(text: str | None) -> datetime | None:
    """A header's date (RFC 9110, 5.6.7), as servers write it; None for what is none, as of the year 10²⁰."""
    try:
        return parsedate_to_datetime(text) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
