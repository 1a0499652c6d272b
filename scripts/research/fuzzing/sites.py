"""Sites that mean no good, each on a socket of this machine and crawled by a process of its own.

.venv/bin/python -m scripts.research.fuzzing.fuzz_wire --only sites
"""

from __future__ import annotations

import json
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from encodings.aliases import aliases
from pathlib import Path
from typing import Any

from server.settings import PROJECT, Settings

MOST_S, MOST_MB = 120.0, 400  # more is a finding
MAX_URLS = Settings().crawl_max_urls
TIMEOUT_S = 10.0  # of one request
FINE = "/fine"  # a page behind the one that means no good
Answer = Callable[[str], "bytes | Iterable[bytes] | None"]

_LETTERS = str.maketrans("0123456789", "abcdefghij")
WAITS = ("\xb2", "Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "Mon, 32 Foo", "-1", "nan")
CHARSETS = sorted(
    {*aliases, *aliases.values(), "idna", "punycode", "undefined", "unicode_escape", "x", "\xe4"}
)


@dataclass(frozen=True, slots=True)
class Hostile:
    """A site: what it answers to a path, the limits of its crawl, and how many pages it brings at least."""

    name: str
    answer: Answer
    fetched: int = 2
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Crawled:
    """What came of one crawl; `report` is empty where it did not end."""

    seconds: float
    peak_mb: int
    requests: int
    report: Mapping[str, Any]

    def finding(self, site: Hostile) -> str:
        """What is wrong with it; empty where nothing is."""
        if not self.report:
            return f"did not end in {MOST_S:.0f} s"
        if "error" in self.report:
            return f"{self.report['error']}: {self.report['message']}"
        if self.report["fetched"] < site.fetched:
            return f"{self.report['fetched']} pages fetched, not {site.fetched}"
        return f"{self.peak_mb} MB" if self.peak_mb > MOST_MB else ""


def response(body: bytes = b"", head: bytes = b"Content-Type: text/html", status: bytes = b"200 OK") -> bytes:
    """One HTTP response, whose length is given."""
    length = b"Content-Length: %d" % len(body)
    return b"\r\n".join((b"HTTP/1.1 " + status, head, length, b"Connection: close", b"", body))


def hostile_sites() -> Iterator[Hostile]:
    """The sites, one after the other; each has `FINE` behind the page that means no good."""
    names = [name.encode("utf-8") for name in CHARSETS]
    pages = {_word(str(n)): b"Content-Type: text/html; charset=" + name for n, name in enumerate(names)}
    yield Hostile(
        "a charset of every name",
        lambda path: response(_page(*pages)) if path == "/" else _in_charset(path, pages),
        fetched=len(pages) + 1,
    )
    yield Hostile(
        "Retry-After that is none",
        lambda path: _start(path, *(f"/{n}" for n in range(len(WAITS)))) or _put_off(path),
        limits={"retries": 1},
    )
    yield Hostile("headers without end", lambda path: _start(path, "/bad") or _headers())
    yield Hostile("one header line without end", lambda path: _start(path, "/bad") or _line())
    yield Hostile("100 Continue without end", lambda path: _start(path, "/bad") or _continued())
    yield Hostile(
        "500,000 links in one page",
        lambda path: response(_page(FINE, *(f"/{n}" for n in range(500_000)))) if path == "/" else None,
        fetched=1,
        limits={"max_pages": 5, "max_page_bytes": 20_000_000},
    )
    yield Hostile(
        "5,000 new links in every page",
        lambda path: response(
            _page(FINE, *(_word(f"{zlib.crc32(path.encode())}/{n}") for n in range(5_000)))
        ),
        fetched=100,
        limits={"max_pages": 100, "max_page_bytes": 1_000_000},
    )
    yield Hostile(
        "8 MB of <p>a",
        lambda path: _start(path, "/bad") or response(b"<p>a" * 2_000_000),
        fetched=3,
        limits={"max_page_bytes": 10_000_000},
    )
    yield Hostile("a sitemap index names the next", lambda path: _chain(path, 1), limits={"max_pages": 5})
    yield Hostile(
        "a sitemap index names 1,000 others", lambda path: _chain(path, 1_000), limits={"max_pages": 5}
    )


def _page(*paths: str) -> bytes:
    return "".join(f"<a href={path}>{path}</a> " for path in paths).encode()


def _word(number: str) -> str:
    """A path of letters: numbers are nothing new to the crawler."""
    return "/" + number.translate(_LETTERS)


def _start(path: str, *bad: str) -> bytes | None:
    """The start page, the fine one, and no robots.txt or sitemap; None for any other."""
    if path == "/":
        return response(_page(*bad, FINE))
    if path == FINE:
        return response(b"<p>This page is fine.")
    return response(status=b"404 Not Found") if path in ("/robots.txt", "/sitemap.xml") else None


def _in_charset(path: str, pages: Mapping[str, bytes]) -> bytes:
    if path not in pages:
        return response(status=b"404 Not Found")
    return response(b"<p>\xfc\xa4 of page %s" % path.encode(), pages[path])


def _put_off(path: str) -> bytes:
    head = b"Retry-After: " + WAITS[int(path[1:])].encode("latin-1")
    return response(head=head, status=b"503 Service Unavailable")


def _headers() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"".join(b"X-%d: %s\r\n" % (n, b"a" * 1_000) for n in range(1_000))


def _line() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX: "
    while True:
        yield b"a" * 1_000_000


def _continued() -> Iterator[bytes]:
    while True:
        yield b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000


def _chain(path: str, wide: int) -> bytes:
    if path in ("/", FINE):
        return response(_page(FINE, "/"))
    if not path.startswith("/sitemap"):
        return response(status=b"404 Not Found")
    named = "".join(
        f"<sitemap><loc>/sitemap{time.monotonic_ns()}-{n}.xml</loc></sitemap>" for n in range(wide)
    )
    return response(f"<sitemapindex>{named}</sitemapindex>".encode(), b"Content-Type: application/xml")


# --- serving and crawling one


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, site: Hostile) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site
        self.requests = 0

    def handle_error(self, request: object, client_address: object) -> None:
        """A crawler hangs up, as it should."""


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        path = self.rfile.readline().split(b" ")[1].decode("ascii", "replace")
        while self.rfile.readline().strip():
            pass
        self.server.requests += 1
        answer = self.server.site.answer(path) or response(status=b"404 Not Found")
        for piece in [answer] if isinstance(answer, bytes) else answer:
            self.wfile.write(piece)


@contextmanager
def serving(site: Hostile) -> Iterator[_Server]:
    """The site, up for the length of a `with`."""
    with _Server(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def crawled(site: Hostile, most_s: float = MOST_S) -> Crawled:
    """Crawl it in a process of its own, which is killed when it takes too long."""
    with serving(site) as server, tempfile.TemporaryDirectory() as folder:
        host = f"127.0.0.1:{server.server_address[1]}"
        limits = {"private_hosts": [host], "timeout_s": TIMEOUT_S, "max_urls": MAX_URLS, **site.limits}
        job = {"urls": [f"http://{host}/"], "store_dir": folder, "limits": limits}
        began = time.monotonic()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "scripts.research.fuzzing.sites", json.dumps(job)],
                cwd=PROJECT, capture_output=True, text=True, timeout=most_s, check=False,
            )  # fmt: skip
            told = json.loads(done.stdout) if not done.returncode else _fallen(done.stderr)
        except subprocess.TimeoutExpired:
            told = {"report": {}, "peak_mb": 0}
        return Crawled(time.monotonic() - began, told["peak_mb"], server.requests, told["report"])


def _fallen(stderr: str) -> dict[str, Any]:
    last = (stderr.strip().splitlines() or ["it said nothing"])[-1]
    return {"report": {"error": "the crawl fell", "message": last[:200]}, "peak_mb": 0}


def findings() -> Iterator[tuple[list[str], str]]:
    """A row for the table and the finding, which is empty where nothing was found, of each site."""
    for site in hostile_sites():
        what = crawled(site)
        found = what.finding(site)
        reasons = {**what.report.get("cut", {}), **what.report.get("failed", {})}
        told = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
        fetched = str(what.report.get("fetched", ""))
        yield [site.name, str(what.requests), fetched, f"{what.seconds:.1f}", str(what.peak_mb), told], found


def _peak_mb() -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024


if __name__ == "__main__":
    from tests.ingest.crawl.run_crawl import crawl_job

    made = crawl_job(json.loads(sys.argv[1]))
    print(json.dumps({"report": made, "peak_mb": _peak_mb()}))
