"""URLs as the crawler compares them: one spelling, site, scope, traps, private addresses."""

from __future__ import annotations

import hashlib
import ipaddress
import re
import socket
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
_DOUBLE_SLASH = re.compile(r"(?<!:)//+")  # an address within a path keeps its own
_NO_PAGE = re.compile(
    r"\.(7z|avi|bmp|bz2|css|dmg|doc|eps|exe|gif|gz|ico|iso|jar|jpe?g|js|m4[av]|mov|mp[34]|mpe?g|ogg|png"
    r"|ppt|ps|rar|rtf|svgz?|tar|tgz|tiff?|ttf|wav|web[mp]|woff2?|wmv|xlsx?|z|zip)$",
    re.IGNORECASE,
)


def normalise(url: str, base: str | None = None, encoding: str = "utf-8") -> str | None:
    """The one spelling of `url` (relative to `base`): what differs only in it is the same page.

    No fragment, default port, user name, tracking or session parameter; host in lower case; characters
    escaped as a browser would, and those that need none not at all (RFC 3986, section 6.2.2); `//` in the
    path is `/`. None: not an http(s) URL with a host.
    """
    try:
        joined = urljoin(base, url.strip()) if base else url.strip()
        parts = urlsplit(safe_url_string(joined, encoding=encoding))
        port = parts.port
    except ValueError:
        return None
    name = (parts.hostname or "").rstrip(".")
    if parts.scheme not in DEFAULT_PORTS or not name or not name.isascii():  # IDNA has no spelling of it
        return None
    host = f"[{name}]" if ":" in name else name
    netloc = host if port in (None, DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    path = _PATH_SESSION.sub("", _DOUBLE_SLASH.sub("/", _one_escape(parts.path)))
    query = _without_tracking(_one_escape(parts.query))
    return urlunsplit((parts.scheme, netloc, _without_dots(path) or "/", query, ""))


def _one_escape(text: str) -> str:
    """`%7e%e2` → `~%E2`: escapes in capitals, and none for what may stand as it is."""
    return _ESCAPE.sub(_plainer, text) if "%" in text else text


def _plainer(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16))
    return char if char in _UNRESERVED else escape[0].upper()


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
class CrawlScope:
    """Which URLs of a crawled site are wanted. A prefix is a path (`/library/`) or the start of a URL."""

    prefixes: tuple[str, ...] = ()

    def covers(self, url: str) -> bool:
        """Whether the URL begins with one of the prefixes; without any, all do."""
        if not self.prefixes:
            return True
        path = urlsplit(url).path
        return any((path if prefix.startswith("/") else url).startswith(prefix) for prefix in self.prefixes)


_DIGITS = re.compile(r"\d+")
_REPEATED = re.compile(r"((?:/[^/]+){1,4}?)\1\1(?=/|$)")
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_DATE_WORDS = "|".join(f"{name}|{name[:3]}" for name in (_MONTHS + " " + _DAYS).split())
_DATED = re.compile(rf"\b(?:{_DATE_WORDS}|sept|tues|thur|thurs)\b\.?|[\W\d_]+", re.IGNORECASE)


def shape_of(url: str) -> str:
    """What a trap's URLs have in common: path and query names, with the numbers out.

    Under a query the last path segment is one of many (`/event/*?ical`): such views hang off every page.
    """
    parts = urlsplit(url)
    path = _DIGITS.sub("0", parts.path)
    if not parts.query:
        return path
    keys = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    folder, _, leaf = path.rstrip("/").rpartition("/")
    return f"{folder}/{'*' if leaf else ''}?{'&'.join(_DIGITS.sub('0', key) for key in keys)}"


def repeats_itself(url: str) -> bool:
    """Whether the path has the same one to four segments three times running (`/a/b/a/b/a/b`)."""
    return _REPEATED.search(urlsplit(url).path) is not None


def text_key(text: str) -> str:
    """A short hash of a page's words; two months of an empty calendar have the same."""
    words = _DATED.sub(" ", text.lower()).strip()
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=8).hexdigest()


@dataclass(slots=True)
class TrapWatch:
    """Counts, for one site, the pages in a row of each shape that brought nothing new."""

    limit: int
    seen: set[str] = field(default_factory=set)
    misses: dict[str, int] = field(default_factory=dict)

    @classmethod
    def resume(cls, limit: int, seen: Iterable[str], misses: Mapping[str, int]) -> TrapWatch:
        """The watch as an earlier run of the same crawl left it."""
        return cls(limit, set(seen), dict(misses))

    def is_closed(self, shape: str) -> bool:
        """Whether this shape is left alone by now."""
        return self.misses.get(shape, 0) >= self.limit

    def note(self, shape: str, text: str | None) -> int:
        """One page more of this shape, with its text's key or None when it had none. The misses so far."""
        if text is None or text in self.seen:
            self.misses[shape] = self.misses.get(shape, 0) + 1
        else:
            self.seen.add(text)
            self.misses[shape] = 0
        return self.misses[shape]


_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa")


@dataclass(slots=True)
class AddressGuard:
    """What may be connected to.

    `private_hosts` are `host` or `host:port`; `proxies` are host names, on any port; `refused` are the hosts
    that were stopped when they were resolved.
    """

    private_hosts: frozenset[str] = frozenset()
    proxies: frozenset[str] = frozenset()
    refused: set[str] = field(default_factory=set)

    def allows_host(self, host: str, port: int) -> bool:
        """Before a request: False for a literal address, or a name for this machine, that was not named."""
        if self._named(host, port):
            return True
        address = literal_address(host)
        if address is not None:
            return is_public(address)
        return not any(host == name or host.endswith("." + name) for name in _LOCAL_NAMES)

    def allows_addresses(self, host: str, port: int, addresses: Iterable[str]) -> bool:
        """After a look-up: every address must be public, else the host is refused."""
        if self._named(host, port) or host in self.proxies:
            return True
        if all(is_public(ipaddress.ip_address(text.partition("%")[0])) for text in addresses):
            return True
        self.refused.add(host)
        return False

    def _named(self, host: str, port: int) -> bool:
        bracketed = f"[{host}]" if ":" in host else host
        return bool({host, bracketed, f"{bracketed}:{port}"} & self.private_hosts)


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address a host name spells, in any way the system reads one (`127.1`, `0x7f000001`), or None."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether the address, or the IPv4 address inside it (mapped, 6to4, NAT64), is on the public Internet."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _nat64(address)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in ipaddress.IPv6Network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def proxy_hosts(proxies: Mapping[str, str]) -> frozenset[str]:
    """The host names of `urllib.request.getproxies()`."""
    urls = (url if "://" in url else f"http://{url}" for url in proxies.values())
    return frozenset(host for url in urls if (host := urlsplit(url).hostname))
