"""URLs as the crawler compares them: one spelling each, the site they belong to, the scope of a crawl."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARS = 2000
_TRACKING = re.compile(
    r"(utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|_ga|_gl|igshid|phpsessid|jsessionid|aspsessionid\w*"
    r"|cfid|cftoken|sessionid|session_id|sid)",
    re.IGNORECASE,
)
_PATH_SESSION = re.compile(r";(jsessionid|phpsessid|sessionid)=[^/;]*", re.IGNORECASE)
_NO_PAGE = re.compile(
    r"\.(7z|avi|bmp|bz2|css|dmg|docx?|eps|exe|gif|gz|ico|ics|iso|jar|jpe?g|js|m4[av]|mov|mp[34]|mpe?g|ogg|png"
    r"|pptx?|ps|rar|rtf|svgz?|tar|tgz|tiff?|ttf|wav|web[mp]|woff2?|wmv|xlsx?|z|zip)$",
    re.IGNORECASE,
)


def normalise(url: str, base: str | None = None, encoding: str = "utf-8") -> str | None:
    """The one spelling of `url` (relative to `base`): what differs only in it is the same page.

    No fragment, default port, user name, tracking or session parameter; host in lower case; characters
    escaped as a browser would. None: not an http(s) URL with a host.
    """
    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        parts = urlsplit(safe_url_string(joined, encoding=encoding))
        port = parts.port
    except ValueError:
        return None
    name = (parts.hostname or "").rstrip(".")
    if parts.scheme not in DEFAULT_PORTS or not name:
        return None
    host = f"[{name}]" if ":" in name else name
    netloc = host if port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    path = _without_dots(_PATH_SESSION.sub("", parts.path)) or "/"
    return urlunsplit((parts.scheme, netloc, path, _without_tracking(parts.query), ""))


def _without_dots(path: str) -> str:
    """`/a/../b/./c` → `/b/c`; more `..` than there are segments are dropped, as browsers do."""
    if "/." not in path:
        return path
    kept: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    ends_open = path.endswith(("/.", "/.."))
    return "/" + "/".join(kept) + ("/" if ends_open and kept else "")


def _without_tracking(query: str) -> str:
    pairs = query.split("&") if query else []
    return "&".join(pair for pair in pairs if pair and not _TRACKING.fullmatch(pair.partition("=")[0]))


def site_of(url: str) -> str:
    """The site of a normalised URL: its host, with the port when that is not the scheme's own."""
    return urlsplit(url).netloc


def host_and_port(url: str) -> tuple[str, int]:
    """`http://h/` → `("h", 80)`."""
    parts: SplitResult = urlsplit(url)
    return parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]


def same_but_www(one: str, other: str) -> bool:
    """Whether two sites differ by a leading `www.` at most."""
    return one.removeprefix("www.") == other.removeprefix("www.")


def is_no_page(url: str) -> bool:
    """Whether the path's ending says image, sound, archive, style: nothing to read."""
    return _NO_PAGE.search(urlsplit(url).path) is not None


@dataclass(frozen=True, slots=True)
class Scope:
    """Which URLs of a crawled site are wanted. A prefix is a path (`/library/`) or the start of a URL."""

    prefixes: tuple[str, ...] = ()

    def covers(self, url: str) -> bool:
        """Whether the URL begins with one of the prefixes; without any, all do."""
        if not self.prefixes:
            return True
        path = urlsplit(url).path
        return any((path if prefix.startswith("/") else url).startswith(prefix) for prefix in self.prefixes)
