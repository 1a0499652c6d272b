"""A web site on the loopback for the crawler's tests, and the crawler in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.ingest.crawl.run_crawl import run_job

HTML = {"Content-Type": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class Page:
    """One answer of the site; `slow_s` is how long it takes to come."""

    body: bytes | str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: HTML)
    slow_s: float = 0.0


def links(*paths: str, text: str = "", head: str = "") -> Page:
    """A page that links to the paths and says `text`."""
    anchors = "".join(f'<a href="{path}">to {path}</a> ' for path in paths)
    return Page(f"<html><head>{head}</head><body><p>{text or ' '.join(paths)}</p>{anchors}</body></html>")


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A crawler that is killed leaves its connections open."""


class Site:
    """Pages by path with query, or made by `rest`; every request is noted as (path, headers)."""

    def __init__(
        self, pages: Mapping[str, Page], rest: Callable[[str], Page | None] = lambda _: None
    ) -> None:
        self.pages = dict(pages)
        self.rest = rest
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.server = _Server(("127.0.0.1", 0), self._handler())
        self.port = int(self.server.server_address[1])
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"

    @property
    def paths(self) -> list[str]:
        """The paths asked for so far, robots.txt and sitemap left out."""
        return [path for path, _ in self.requests if path not in ("/robots.txt", "/sitemap.xml")]

    def answer(self, path: str, headers: Mapping[str, str]) -> Page:
        """The page of a path; 304 where the request's validator is the page's."""
        self.requests.append((path, dict(headers)))
        page = self.pages.get(path) or self.rest(path) or Page("not here", 404)
        time.sleep(page.slow_s)
        etag = page.headers.get("ETag")
        return Page("", 304) if etag and headers.get("If-None-Match") == etag else page

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                page = site.answer(self.path, dict(self.headers))
                body = page.body.encode() if isinstance(page.body, str) else page.body
                self.send_response(page.status)
                for name, value in page.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:  # the crawler hung up, as it should on a page that is too large
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        return Handler


@contextmanager
def serving(pages: Mapping[str, Page], rest: Callable[[str], Page | None] = lambda _: None) -> Iterator[Site]:
    """The site, up for the length of a `with`."""
    site = Site(pages, rest)
    thread = Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.server.shutdown()
        site.server.server_close()
        thread.join()


class CrawlProcess:
    """The crawler in a process of its own, since Scrapy's event loop starts once in each.

    The processes are forked from one that has imported Scrapy already, which saves most of their time.
    """

    def __init__(self, urls: list[str], store_dir: Path, **limits: Any) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.ingest.crawl.run_crawl"])
        self._results, sender = context.Pipe(duplex=False)
        job = {"urls": urls, "store_dir": str(store_dir), "limits": limits}
        self._process = context.Process(target=run_job, args=(job, sender))
        self._process.start()
        sender.close()

    def interrupt(self) -> None:
        """Ctrl-C."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """`kill -9`, with no chance to tidy up."""
        self._process.kill()
        self._process.join()
        self._results.close()

    def result(self) -> dict[str, Any]:
        """The report, or `{"error", "message"}`."""
        assert self._results.poll(60), "the crawl did not end"
        result: dict[str, Any] = self._results.recv()
        self._process.join()
        self._results.close()
        return result


def run_crawl(site: Site, store_dir: Path, *, start: str = "/", **limits: Any) -> dict[str, Any]:
    """Crawl one loopback site to the end, allowed to by its host and port."""
    limits.setdefault("private_hosts", [site.host])
    return CrawlProcess([site.url + start], store_dir, **limits).result()
