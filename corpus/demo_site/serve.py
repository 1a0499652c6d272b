"""Serves Larkmoor University's web site: python -m corpus.demo_site.serve --port 8090."""

import argparse
import hashlib
import logging
import mimetypes
import os
import re
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.message import Message
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from corpus.demo_site.site import Site, SiteError

log = logging.getLogger(__name__)

HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:]+\](:\d{1,5})?")
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Answer:
    """What the server sends back; validators only where `modified` is known."""

    status: int
    content_type: str = HTML
    body: bytes = b""
    modified: date | None = None
    location: str = ""

    @property
    def etag(self) -> str:
        """The body's fingerprint."""
        return f'"{hashlib.sha256(self.body).hexdigest()[:20]}"'

    @property
    def modified_at(self) -> datetime | None:
        """The start, in UTC, of the day the page was last changed."""
        day = self.modified
        return datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None


def answer(site: Site, target: str, origin: str) -> Answer:
    """What a request for an address is answered with."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return Answer(404, HTML, site.render_missing(origin))
    path, query = unquote(parts.path), dict(parse_qsl(parts.query))
    if path in site.redirects:
        moved = site.redirects[path]
        return Answer(moved.status, location=moved.to)
    page = site.page(path)
    if page is not None:
        return Answer(200, HTML, site.render(path, origin, query), page.modified)
    if path in site.files:
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        return Answer(200, kind, site.files[path].read_bytes(), site.newest)
    if site.page(f"{path}/") is not None:
        return Answer(301, location=quote(f"{path}/") + (f"?{parts.query}" if parts.query else ""))
    return _generated(site, path, origin)


def _generated(site: Site, path: str, origin: str) -> Answer:
    if path == "/robots.txt":
        return Answer(200, "text/plain; charset=utf-8", site.robots(origin), site.newest)
    if path == "/sitemap.xml":
        return Answer(200, "application/xml; charset=utf-8", site.sitemap(origin), site.newest)
    return Answer(404, HTML, site.render_missing(origin))


def unchanged(found: Answer, headers: Message) -> bool:
    """Whether the visitor already holds this answer."""
    if found.modified_at is None:
        return False
    held = headers.get("If-None-Match")
    if held is not None:
        tags = {tag.strip().removeprefix("W/") for tag in held.split(",")}
        return bool(tags & {found.etag, "*"})
    since = _read_date(headers.get("If-Modified-Since"))
    return since is not None and found.modified_at <= since


def _read_date(text: str | None) -> datetime | None:
    try:
        when = parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when and when.tzinfo is None else when


class Handler(BaseHTTPRequestHandler):
    """Answers one connection's requests."""

    protocol_version = "HTTP/1.1"
    server_version = "LarkmoorWeb/4.2"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = 60
    server: "SiteServer"

    def do_GET(self) -> None:
        """Send a page."""
        self._send(answer(self.server.site, self.path, self._origin()))

    def do_HEAD(self) -> None:
        """Send a page's headers."""
        self.do_GET()

    def _origin(self) -> str:
        host = self.headers.get("Host", "")
        return f"http://{host}" if HOST.fullmatch(host) else self.server.url

    def _send(self, found: Answer) -> None:
        not_modified = unchanged(found, self.headers)
        self.send_response(304 if not_modified else found.status)
        if found.modified_at is not None:
            self.send_header("ETag", found.etag)
            self.send_header("Last-Modified", format_datetime(found.modified_at, usegmt=True))
            self.send_header("Cache-Control", "no-cache")
        if found.location:
            self.send_header("Location", found.location)
        if not not_modified:
            self.send_header("Content-Type", found.content_type)
            self.send_header("Content-Length", str(len(found.body)))
        self.end_headers()
        if not not_modified and self.command != "HEAD":
            self.wfile.write(found.body)

    def log_message(self, *args: object) -> None:
        """Keep the log quiet: a request is worth a debug line only."""
        log.debug("%s %s", self.address_string(), args[1:])


class SiteServer(ThreadingHTTPServer):
    """The web server of one site."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], site: Site) -> None:
        super().__init__(address, Handler)
        self.site = site
        self.url = f"http://{address[0]}:{self.server_port}"

    def handle_error(self, *args: object) -> None:
        """Log what went wrong, except a visitor who hung up."""
        quiet = isinstance(sys.exception(), ConnectionError | TimeoutError)
        level = logging.DEBUG if quiet else logging.ERROR
        log.log(level, "request from %s failed", args[1:], exc_info=not quiet)


@dataclass(frozen=True)
class Running:
    """A server at work in its own thread."""

    server: SiteServer
    thread: threading.Thread

    @property
    def url(self) -> str:
        """Where the site is, without a slash at the end."""
        return self.server.url

    def close(self) -> None:
        """Stop serving and free the port."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def start(port: int = 0, host: str = "127.0.0.1", site: Site | None = None) -> Running:
    """Serve the site in a thread; port 0 takes any that is free."""
    server = SiteServer((host, port), site or Site())
    thread = threading.Thread(target=server.serve_forever, name="demo-site", daemon=True)
    thread.start()
    return Running(server, thread)


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m corpus.demo_site.serve", description=__doc__)
    parser.add_argument("--port", type=int, default=8090, help="the port to listen on (8090)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument(
        "--widget-src",
        default=os.environ.get("LODGE_WIDGET_SRC"),
        help="put this chat widget script on every page (or LODGE_WIDGET_SRC)",
    )
    options = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    try:
        server = SiteServer((options.host, options.port), Site(widget_src=options.widget_src))
    except SiteError as wrong:
        return _fail(str(wrong))
    except (OSError, OverflowError) as wrong:
        return _fail(f"cannot listen on {options.host}:{options.port}: {wrong}")
    sys.stdout.write(f"Larkmoor University is at {server.url}/ (Ctrl-C to stop)\n")
    sys.stdout.flush()
    return _serve(server)


def _serve(server: SiteServer) -> int:
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.stdout.write("\n")
    finally:
        server.server_close()
    return 0


def _fail(message: str) -> int:
    sys.stderr.write(f"serve: {message}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
