"""Single requests that go wrong, each a reason in the report while the crawl goes on."""

from __future__ import annotations

import gzip
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from server.ingest.crawl.contents import read_pages
from server.ingest.crawl.fetch import MAX_HEAD_BYTES, FetchedResponse
from tests.ingest.crawl.loopback import HTML, CrawlProcess, Page, links, run_crawl, serving

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n" * 100


def test_a_gzip_bomb_and_a_page_of_50_mb_are_given_up(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<p>" + b"a" * 20_000_000)
    pages = {
        "/": links("/bomb", "/huge", "/packed"),
        "/bomb": Page(bomb, headers=HTML | {"Content-Encoding": "gzip"}),
        "/huge": Page(b"b" * 50_000_000),
        "/packed": Page(gzip.compress(b"<p>small</p>"), headers=HTML | {"Content-Encoding": "gzip"}),
    }
    with serving(pages) as site:
        report = run_crawl(site, tmp_path)
    assert report["skipped"] == {"size": 2}
    assert report["fetched"] == 2
    assert [page.body for page in read_pages(tmp_path) if page.url.endswith("/packed")] == [b"<p>small</p>"]


def test_a_slow_page_times_out_and_damaged_ones_fail(tmp_path: Path) -> None:
    pages = {
        "/": links("/slow", "/damaged", "/short", "/fine"),
        "/slow": Page("late", slow_s=1.5),
        "/damaged": Page(b"no gzip", headers=HTML | {"Content-Encoding": "gzip"}),
        "/short": Page("cut", headers=HTML | {"Transfer-Encoding": "chunked"}),
        "/fine": links(text="fine"),
    }
    with serving(pages) as site:
        report = run_crawl(site, tmp_path, timeout_s=0.5, retries=0)
    assert report["failed"].pop("timeout") >= 1
    assert sum(report["failed"].values()) >= 1
    assert report["fetched"] == 2


class Flooded(BaseHTTPRequestHandler):
    """A site whose page `/flood` has headers without end, in one way or another."""

    flood = b""
    sent = 0

    def do_GET(self) -> None:
        if self.path != "/flood":
            body = b"<p>start <a href=/flood>f</a> <a href=/fine>g</a>" if self.path == "/" else b"<p>fine"
            self.send_response(200 if self.path in ("/", "/fine") else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" if not self.flood.startswith(b"HTTP") else b"")
        while True:
            self.wfile.write(self.flood)
            type(self).sent += len(self.flood)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """The crawler hangs up, as it should."""


@pytest.mark.parametrize(
    "flood", [b"X: " + b"a" * 1_000 + b"\r\n", b"".join(b"X-%d: a\r\n" % n for n in range(999)), CONTINUE]
)
def test_headers_without_end_are_given_up_long_before_the_time_limit(flood: bytes, tmp_path: Path) -> None:
    handler: Any = type("Handler", (Flooded,), {"flood": flood, "sent": 0})
    with QuietServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        host = f"127.0.0.1:{server.server_address[1]}"
        report = CrawlProcess([f"http://{host}/"], tmp_path, private_hosts=[host], timeout_s=30.0).result()
        server.shutdown()
    assert (report["failed"], report["fetched"], report["ended"]) == ({"headers": 1}, 2, "done")
    assert handler.sent < 20 * MAX_HEAD_BYTES, "but for what the sockets hold, it was not taken"


def test_many_headers_that_end_are_taken(tmp_path: Path) -> None:
    many = {f"X-{number}": "a" * 1_000 for number in range(90)}
    with serving({"/": Page("<p>a page with cookies", headers=HTML | many)}) as site:
        assert run_crawl(site, tmp_path)["fetched"] == 1


def test_a_page_that_fails_at_first_is_tried_again(tmp_path: Path) -> None:
    answers = iter(
        [Page("", 503, {"Retry-After": "0"}), Page("", 503, {"Retry-After": "0"}), links(text="well")]
    )
    pages = {"/": links("/shaky"), "/robots.txt": Page("", 404), "/sitemap.xml": Page("", 404)}
    with serving(pages, lambda _: next(answers)) as site:
        report = run_crawl(site, tmp_path, retries=2)
    assert (report["fetched"], report["failed"]) == (2, {})


def test_reply_reads_its_content_type() -> None:
    reply = FetchedResponse("http://h/", 200, {"content-type": 'Text/HTML; charset="Latin-1"'}, b"")
    assert (reply.content_type, reply.charset) == ("text/html", "Latin-1")
    assert FetchedResponse("http://h/", 200, {}, b"").charset is None
