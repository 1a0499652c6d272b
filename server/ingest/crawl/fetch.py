"""One request through Scrapy's engine: its downloader, proxy and decompression. The only import of Scrapy.

Queue, pace, robots and redirects are the crawler's own, so Scrapy's middlewares for them are off
(docs/architecture.md says what each would cost).

Literal addresses are checked before a request (`AddressGuard`); names where they are resolved, so that what
was checked is what is connected to and a name that changes its mind between the two (DNS rebinding) gains
nothing. Behind an HTTP proxy the proxy resolves, and only literals can be checked here.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
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
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IHostnameResolver, IHostResolution, IResolutionReceiver
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]  # it ships no types

from server.ingest.crawl.nouns import PAGE_TYPES
from server.ingest.crawl.urls import AddressGuard, host_and_port
from server.ingest.documents.read import XML_TYPES

MAX_HEAD_BYTES = 256 * 1024  # status line and headers of a response; Chrome takes as many, curl 300 kB
_QUIET = ("scrapy", "twisted", "asyncio", "py.warnings")


@implementer(IHostnameResolver)
class GuardedResolver:
    """A name resolver that gives no address of a host with one the guard refuses."""

    def __init__(self, inner: Any, guard: AddressGuard) -> None:
        self._inner = inner
        self._guard = guard

    def resolveHostName(  # noqa: N802  (Twisted's interface)
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        """Resolve as the inner resolver does; a refused host resolves to nothing."""
        receiver = _GuardedReceiver(resolutionReceiver, self._guard, hostName, portNumber)
        resolution: IHostResolution = self._inner.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return resolution


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """Holds the addresses back until all are known, then passes on all or none."""

    def __init__(self, receiver: Any, guard: AddressGuard, host: str, port: int) -> None:
        self._receiver = receiver
        self._guard = guard
        self._host = host
        self._port = port
        self._addresses: list[IPv4Address | IPv6Address] = []

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:  # noqa: N802, N803
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IPv4Address | IPv6Address) -> None:  # noqa: N802
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        if self._guard.allows_addresses(self._host, self._port, (a.host for a in self._addresses)):
            for address in self._addresses:
                self._receiver.addressResolved(address)
        self._receiver.resolutionComplete()


@dataclass(frozen=True, slots=True)
class FetchedResponse:
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
class FetchFailure:
    """No response: a stable reason, a sentence for a person, and whether trying again may help."""

    reason: str
    detail: str
    may_pass: bool = True


class Fetcher:
    """GETs one URL; no exception but cancellation comes out of it."""

    def __init__(self, guard: AddressGuard, spider: Spider) -> None:
        self.guard = guard
        self.spider = spider

    async def get(
        self, url: str, max_bytes: int, headers: Mapping[str, str] | None = None, *, pages_only: bool = True
    ) -> FetchedResponse | FetchFailure:
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


def _reply(response: Response) -> FetchedResponse:
    headers = {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    return FetchedResponse(response.url, response.status, headers, response.body)


def _private(host: str) -> FetchFailure:
    detail = (
        f"{host} is on this machine or a private network, which the crawler is not sent to unless told so."
    )
    return FetchFailure("private address", detail, may_pass=False)


def _trouble(error: Exception, max_bytes: int) -> FetchFailure:
    """Scrapy's exceptions in our words."""
    match error:
        case DownloadTimeoutError():
            return FetchFailure("timeout", "The answer took too long.")
        case CannotResolveHostError():
            return FetchFailure("no such host", "The host name could not be resolved.")
        case DownloadConnectionRefusedError():
            return FetchFailure("connection refused", "Nothing answers at this address.")
        case DownloadCancelledError() | IgnoreRequest():  # the latter only comes from decompression here
            return FetchFailure("size", f"The page is larger than {max_bytes:,} bytes.", may_pass=False)
        case _ if _is_head_too_long(error):
            detail = f"The response has more than {MAX_HEAD_BYTES:,} bytes of headers."
            return FetchFailure("headers", detail, may_pass=False)
        case _:
            return FetchFailure("connection", f"The connection broke ({type(error).__name__}).")


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
    if request.meta.get("pages_only") and kind and kind not in (*PAGE_TYPES, *XML_TYPES):
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
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "METAREFRESH_ENABLED": False,
        "COOKIES_ENABLED": False,
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
