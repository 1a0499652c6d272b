"""Other people's web sites, on an origin of their own: pages from `hosts/`, or written by a test."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

HOSTS = Path(__file__).parent / "hosts"
WIDGET_MODULES = Path(__file__).parents[2] / "widget" / "node_modules"
NAMES = sorted(path.stem for path in HOSTS.glob("*.html"))
PLAIN = "<!doctype html><html lang='en'><title>Host</title><h1>Host</h1>{body}{script}"

_HEADER = re.compile(r"<!-- header (?P<name>[\w-]+): (?P<value>.+?) -->")
_SCRIPT = re.compile(r"%SCRIPT(?P<attributes>[^%]*)%")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_TYPES = {".css": "text/css", ".js": "text/javascript", ".html": "text/html; charset=utf-8"}


class HostSite(http.server.ThreadingHTTPServer):
    """A web site. A page of `hosts/` says in comments which headers it is sent with.

    In a page `%SCRIPT%` becomes the widget's line, `%SCRIPT nonce="a"%` the line with that attribute, and
    `%LODGE%` the server's address.
    """

    daemon_threads = True
    lodge = ""
    page = ""
    policy = ""
    with_widget = True

    @property
    def url(self) -> str:
        """Its address, without a slash."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def script(self) -> str:
        """The widget's line, or nothing."""
        return script_line(self.lodge) if self.with_widget else ""

    def content(self, path: str) -> tuple[str, str, dict[str, str]] | None:
        """(media type, text, headers) of an address."""
        if path == "/":
            page = self.page or PLAIN.format(body="", script=self.script)
            return _TYPES[".html"], page, {"Content-Security-Policy": self.policy} if self.policy else {}
        file = _file(path)
        if file is None or not file.is_file():
            return None
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".html":
            text = _SCRIPT.sub(self._line, text).replace("%LODGE%", self.lodge)
        headers = {match["name"]: match["value"] for match in _HEADER.finditer(text)}
        return _TYPES[file.suffix], text, headers

    def _line(self, place: re.Match[str]) -> str:
        if not self.with_widget:
            return ""
        attributes = {"data-site": "main"} | dict(_ATTRIBUTE.findall(place["attributes"]))
        return script_tag(self.lodge, attributes)


def _file(path: str) -> Path | None:
    """`/hosts/spa.html`, `/modules/bootstrap/dist/css/bootstrap.css`."""
    folder, _, name = path.removeprefix("/").partition("/")
    root = {"hosts": HOSTS, "modules": WIDGET_MODULES}.get(folder)
    return root / name if root and ".." not in name else None


class _Page(http.server.BaseHTTPRequestHandler):
    server: HostSite

    def do_GET(self) -> None:
        found = self.server.content(self.path.partition("?")[0])
        media_type, text, headers = found or ("text/plain", "", {})
        self.send_response(200 if found else 404)
        for name, value in {"Content-Type": media_type, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing to say."""


@contextmanager
def host_site() -> Iterator[HostSite]:
    """One, running."""
    with HostSite(("127.0.0.1", 0), _Page) as site:
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        yield site
        site.shutdown()
        thread.join()


def script_line(server: str, **data: str) -> str:
    """The one line."""
    return script_tag(server, {f"data-{name}": value for name, value in ({"site": "main"} | data).items()})


def script_tag(server: str, attributes: Mapping[str, str]) -> str:
    """The line with these attributes."""
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<script src="{server}/widget.js"{more} async></script>'
