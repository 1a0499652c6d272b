"""One request through Scrapy's engine: its downloader, proxy and decompression. The only import of Scrapy.

Queue, pace, robots and redirects are the crawler's own, so Scrapy's middlewares for them are off.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies

from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK
from twisted.internet.interfaces import IAddress
from twisted.python.failure import Failure

from server.ingest.crawl.addresses import AddressGuard, GuardedResolver
from server.ingest.crawl.urls import host_and_port

PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml", "text/plain", "application/pdf"))
MAX_HEAD_BYTES = 256 * 1024  # status line and headers of a response; Chrome takes as many, curl 300 kB
_QUIET = ("scrapy", "twisted", "asyncio", "py.warnings")
_OFF = (
    "offsite.OffsiteMiddleware", "robotstxt.RobotsTxtMiddleware",
    "httpauth.HttpAuthMiddleware", "retry.RetryMiddleware",
    "redirect.MetaRefreshMiddleware", "redirect.RedirectMiddleware",
    "cookies.CookiesMiddleware", "httpcache.HttpCacheMiddleware",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reply:
    """A response, whatever its status. Header names are in lower case; `body` is decompressed.

    The body of a page of no wanted type is not downloaded.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """The media type without parameters, in lower case; empty when the server gave none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The charset parameter of the content type."""
        for part in self.headers.get("content-type", "").split(";")[1:]:
            name, _, value = part.partition("=")
            if name.strip().lower() == "charset":
                return value.strip().strip("\"'") or None
        return None


@dataclass(frozen=True, slots=True)
class Trouble:
    """No response: a stable reason, a sentence for a person, and whether trying again may help."""

    reason: str
    detail: str
    may_pass: bool = True


@dataclass(slots=True)
class Fetcher:
    """GETs one URL; no exception but cancellation comes out of it."""

    guard: AddressGuard
    spider: Spider

    async def get(
        self, url: str, max_bytes: int, headers: Mapping[str, str] | None = None, *, pages_only: bool = True
    ) -> Reply | Trouble:
        """The reply, or why there is none. Redirects are replies too."""
        host, port = host_and_port(url)
        if not self.guard.allows_host(host, port):
            return _private(host)
        meta = {"download_maxsize": max_bytes, "pages_only": pages_only}
        try:
            request = Request(
                url, headers=dict(headers or {}), meta=meta, callback=NO_CALLBACK, dont_filter=True
            )
            return _reply(await self.spider.crawler.engine.download_async(request))
        except Exception as error:  # whatever one page does must not end the crawl
            return _private(host) if host in self.guard.refused else _trouble(error, max_bytes)


class _HeadTooLongError(Exception):
    """A response had more bytes of headers than are taken."""


class _Connection(_LenientHTTP11ClientProtocol):
    """Scrapy's connection, given up when the headers of a response, or `100 Continue`, do not end."""

    _head_bytes = 0

    def request(self, request: Any) -> Any:
        """Count anew for each request."""
        self._head_bytes = 0
        return super().request(request)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802  (Twisted's name)
        """Count what came while no body had begun."""
        super().dataReceived(data)  # type: ignore[no-untyped-call]  # Twisted has no types
        if self._parser is not None and self._parser.state in ("STATUS", "HEADER"):
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES:
                self._giveUp(Failure(_HeadTooLongError()))  # type: ignore[no-untyped-call]  # as above


class _Connections(_LenientHTTP11ClientFactory):
    """Builds such connections."""

    def buildProtocol(self, addr: IAddress | None) -> _Connection:  # noqa: N802  (Twisted's name)
        """One connection."""
        return _Connection(self._quiescentCallback)  # type: ignore[no-untyped-call]  # as above


class _DownloadHandler(HTTP11DownloadHandler):
    """Scrapy's handler of http and https, over such connections: it has no bound for headers of its own."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool._factory = _Connections


def _reply(response: Response) -> Reply:
    headers = {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    return Reply(response.url, response.status, headers, response.body)


def _private(host: str) -> Trouble:
    detail = (
        f"{host} is on this machine or a private network, which the crawler is not sent to unless told so."
    )
    return Trouble("private address", detail, may_pass=False)


def _trouble(error: Exception, max_bytes: int) -> Trouble:
    """Scrapy's exceptions in our words."""
    match error:
        case DownloadTimeoutError():
            return Trouble("timeout", "The answer took too long.")
        case CannotResolveHostError():
            return Trouble("no such host", "The host name could not be resolved.")
        case DownloadConnectionRefusedError():
            return Trouble("connection refused", "Nothing answers at this address.")
        case DownloadCancelledError() | IgnoreRequest():  # the latter only comes from decompression here
            return Trouble("size", f"The page is larger than {max_bytes:,} bytes.", may_pass=False)
        case _ if _is_head_too_long(error):
            detail = f"The response has more than {MAX_HEAD_BYTES:,} bytes of headers."
            return Trouble("headers", detail, may_pass=False)
        case _:
            return Trouble("connection", f"The connection broke ({type(error).__name__}).")


def _is_head_too_long(error: Exception) -> bool:
    reasons: list[Failure] = getattr(error.__cause__, "reasons", [])
    return any(isinstance(reason.value, _HeadTooLongError) for reason in reasons)


class _CrawlSpider(Spider):
    """Carries the crawl into Scrapy's event loop; it never yields a request of its own."""

    name = "lodge"
    run: _Run

    async def start(self) -> AsyncIterator[Any]:
        """Do the whole crawl inside the engine's start phase."""
        await self.run.inside(self)
        requests: tuple[Request, ...] = ()
        for request in requests:
            yield request


@dataclass(slots=True)
class _Run:
    """One crawl: the work to do, and how it ended."""

    work: Callable[[Fetcher], Awaitable[None]]
    guard: AddressGuard
    done: bool = False
    error: Exception | None = None

    async def inside(self, spider: Spider) -> None:
        """Do the work once Scrapy's loop runs, and keep what it raises: Scrapy would only log it."""
        from twisted.internet import reactor  # noqa: PLC0415  (its import installs one: Scrapy chooses first)

        reactor.installNameResolver(GuardedResolver(reactor.nameResolver, self.guard))
        spider.crawler.signals.connect(_stop_at_headers, signal=signals.headers_received)
        try:
            await self.work(Fetcher(self.guard, spider))
            self.done = True
        except Exception as error:
            self.error = error


def _stop_at_headers(headers: Headers, request: Request) -> None:
    """Leave the body of what is no page where it is."""
    kind = (headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
    if request.meta.get("pages_only") and kind and kind not in PAGE_TYPES:
        raise StopDownload(fail=False)


def run_in_scrapy(
    work: Callable[[Fetcher], Awaitable[None]], guard: AddressGuard, user_agent: str, timeout_s: float
) -> bool:
    """Run `work` in Scrapy's event loop, which a process can start once. False: Ctrl-C ended it early."""
    run = _Run(work, guard)
    with _own_signals():
        process = AsyncCrawlerProcess(_settings(user_agent, timeout_s))
        for name in _QUIET:
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        process.crawl(_CrawlSpider, run=run)
        process.start()
    if run.error is not None:
        raise run.error
    return run.done


def _settings(user_agent: str, timeout_s: float) -> dict[str, Any]:
    return {
        "USER_AGENT": user_agent,
        "DOWNLOAD_TIMEOUT": timeout_s,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), _DownloadHandler),
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        "TWISTED_DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver",  # IPv6 too
        "DOWNLOADER_MIDDLEWARES": {f"scrapy.downloadermiddlewares.{name}": None for name in _OFF},
        "HTTPPROXY_ENABLED": bool(getproxies()),
        "REFERER_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "MEMUSAGE_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "STATS_DUMP": False,
        "LOGSTATS_INTERVAL": 0,
    }


@contextmanager
def _own_signals() -> Iterator[None]:
    """Scrapy leaves its Ctrl-C handler behind; afterwards the program's own counts again."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
        asyncio.set_event_loop(None)
