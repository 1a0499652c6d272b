"""What the server has to turn away on every route: other spellings of its path, parameters that come twice,
and writing from a page elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from http.client import HTTPConnection
from typing import NamedTuple

WRITING = ("POST", "PUT", "PATCH", "DELETE")
# Of a site, of a language and of nothing that is read, in one spelling and in two.
REPEATED = (
    b"site=main&site=library",
    b"site=main&%73ite=main",
    b"lang=en&a=b&lang=es",
    b"site=&site=main",
    b"x=1&x=1",
)
ELSEWHERE = ("cross-site", "Cross-Site", "same-site")


class Wrong(NamedTuple):
    """A request to be turned away: its method, what it asks for to the letter, its headers, the status."""

    method: str
    target: bytes
    headers: Mapping[str, str]
    status: int


def spellings(path: bytes) -> Iterator[bytes]:
    """As they stand in a request's first line; `path` begins with a slash, and is none of them."""
    yield from (b"/" + path, b"//" + path, path + b"/", path + b"//", path + b"/.", path + b"/x/..")
    yield from (b"/." + path, b"/x/.." + path, b"/.." + path, b"/%2e" + path, b"/x/%2E%2e" + path)
    yield from (b"/%2F" + path[1:], b"%2F" + path[1:], b"\\" + path[1:], b"/%5C" + path[1:])
    yield from (
        path + end for end in (b"%2F", b"%2f", b"%20", b"%00", b"%09", b"%0A", b";", b";a=b", b"#a", b"%3F")
    )
    yield from (path + b"%C0%AF", path + b"%EF%BC%8F", b"http://other" + path, b"/http:/" + path)
    for at, byte in enumerate(path):
        before, after = path[:at], path[at + 1 :]
        if byte == ord("/"):
            if at:
                yield from (
                    before + slash + after
                    for slash in (b"//", b"/./", b"/x/../", b"%2F", b"%2f", b"\\", b";/")
                )
            continue
        yield from (
            before + escaped + after for escaped in (b"%%%02X" % byte, b"%%%02x" % byte, b"%%25%02X" % byte)
        )


def wrong_spellings(method: str, path: bytes) -> Iterator[Wrong]:
    """This operation by other spellings of its path."""
    for other in dict.fromkeys(spellings(path)):
        yield Wrong(method, other, {}, 404)


def wrong_readings(method: str, path: bytes) -> Iterator[Wrong]:
    """This operation with parameters that come twice and, where it writes, sent by a page elsewhere."""
    for query in REPEATED:
        yield Wrong(method, path + b"?" + query, {}, 400)
    if method in WRITING:
        for came_from in ELSEWHERE:
            yield Wrong(method, path, {"Sec-Fetch-Site": came_from}, 403)


def let_in(server: str, wrong: Iterable[Wrong], headers: Mapping[str, str] | None = None) -> list[str]:
    """A line for each that got another status than it should; `server` is `http://host:port`."""
    found = []
    for one in wrong:
        status = status_of(server, one.method, one.target, {**(headers or {}), **one.headers})
        if status != one.status:
            found.append(
                f"{status} in place of {one.status} for {one.method} {one.target!r} {dict(one.headers)}"
            )
    return found


def status_of(server: str, method: str, target: bytes, headers: Mapping[str, str]) -> int:
    """What is answered to a request whose target is sent as it is."""
    connection = _Plain(server.removeprefix("http://"), timeout=30)
    try:
        connection.target = target
        connection.request(method, "*", headers=dict(headers))
        return connection.getresponse().status
    finally:
        connection.close()


class _Plain(HTTPConnection):
    """A connection whose request asks for `target`, which need not be an address."""

    target = b"*"

    def _encode_request(self, request: str) -> bytes:
        method, _, version = request.split(" ")
        return b" ".join((method.encode(), self.target, version.encode()))
