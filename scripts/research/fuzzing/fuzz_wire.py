"""What is hardly HTTP, on real sockets: requests to a server, and sites that mean no good to the crawler.

    .venv/bin/python -m scripts.research.fuzzing.fuzz_wire [--dropped N] [--only server|sites]

Prints each request whose answer is a 5xx, requests by odd paths, parameters and origins that were let in,
the server's unforeseen errors, its open files, threads and memory before and after dropped streams and slow
senders; then a row a site, with what its crawl took and left.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from scripts.research.fuzzing import sites
from scripts.research.fuzzing.boundary import let_in, wrong_readings, wrong_spellings
from scripts.research.fuzzing.server import Running, running
from server.settings import Settings
from server.terminal import print_table

REQUEST_S = Settings().request_s
HOST = b"Host: a\r\n"
PAGES = (
    b"/",
    b"/chat",
    b"/chat/events/1",
    b"/demo",
    b"/metrics",
    b"/schema",
    b"/sites/main/chat.css",
    b"/static/chat.css",
    b"/widget.js",
)
FORMS = (b"/chat", b"/chat/ask", b"/chat/erase", b"/chat/feedback", b"/chat/restore", b"/chat/save")
ASK = b'{"question": "When is the library open?"'
PATHS = (
    b"*",
    b"/%ff%fe",
    b"/%00",
    b"/a%00b",
    b"/../../etc/passwd",
    b"/static/%2e%2e/%2e%2e/etc/passwd",
    b"//etc//passwd",
    b"/\xff",
    b"http://other/healthz",
    b"/chat?site=%ff",
    b"/chat?lang=%00",
    b"/chat?" + b"a=1&" * 15_000,
    b"/chat/events/%00",
    b"/widget.js?site=%00",
    b"/" + b"a" * 200_000,
)
HEADERS = (
    b"X: " + b"a" * 200_000,
    b"".join(b"X%d: a\r\n" % n for n in range(20_000)) + b"X: a",
    b"Accept-Language: " + b"a-b-c;q=0.5," * 4_000,
    b"Accept-Language: \xff;q=\xd9\xa3",
    b"Origin: http://[::1",
    b"Origin: \xff\xfe",
    b"Authorization: Bearer \xff\xfe",
    b"Range: bytes=0-18446744073709551616,5-1",
    b"If-None-Match: " + b'"a",' * 5_000,
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YQ==",
    b"Host: b",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5",
    b"Content-Length: 5\r\nContent-Length: 6",
    b"Content-Length: -1",
    b"Content-Length: 99999999999999999999999",
)
BODIES = (
    b"[" * 60_000,
    b'{"a":' * 12_000,
    ASK + b',"conversation_id":' + b"9" * 5_000 + b"}",
    b'{"question":"\\ud800"}',
    b'{"question":"\\udc00\\ud800"}',
    b"\xef\xbb\xbf" + ASK + b"}",
    b'{"question":1,' + ASK[1:] + b"}",
    ASK + b',"filters":NaN}',
    ASK + b',"site":1e999}',
    (ASK + b"}").decode().encode("utf-16"),
    ASK + b',"\\u0000":1}',
    ASK + b"} x",
    b"",
    b"null",
    ASK + b"".join(b',"k%d":1' % n for n in range(4_000)) + b"}",
    b'{"question":"a' + "\u0301".encode() * 1_900 + b'"}',
    b'{"question":"' + "\ufdfa".encode() * 1_900 + b'"}',
    ASK + b',"filters":{"since":"9999-99-99"}}',
    ASK + b',"filters":{"hosts":[' + b",".join(b'"h%d"' % n for n in range(6_000)) + b"]}}",
    ASK + b',"history":[["user","' + b"weekends parking " * 3_000 + b'"]]}',
)
CHUNKS = (
    b"ZZ\r\nabc\r\n",
    b"-1\r\nabc\r\n",
    b"FFFFFFFFFFFFFFFFFF\r\nabc\r\n",
    (b"1000\r\n" + b"a" * 4_096 + b"\r\n") * 40,
)


def main() -> None:
    """Run, print, and end with 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dropped", type=int, default=500, help="streams to drop")
    parser.add_argument("--only", choices=("server", "sites"), help="one of the two")
    given = parser.parse_args()
    found = given.only != "sites" and _fuzz_server(given.dropped)
    if given.only != "server":
        found |= _fuzz_crawler()
    sys.exit(found)


def _fuzz_crawler() -> bool:
    """Crawl each of the sites; whether anything was found."""
    rows, found = [], False
    for row, finding in sites.findings():
        rows.append(row)
        if finding:
            found = True
            print(f"{row[0]}: {finding}")
    print_table(["site", "requests", "fetched", "s", "MB at most", "left, by reason"], rows)
    return found


def _fuzz_server(dropped: int) -> bool:
    """Send it all; whether anything was found."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        sent = bad = 0
        for request in _requests():
            sent += 1
            status = _status(server.port, request)
            if status.startswith("5"):
                bad += 1
                print(f"{status} for {request[:100]!r}")
        print(
            f"{sent} requests, {bad} of them answered with a 5xx. Unforeseen errors: {len(server.errors())}."
        )
        operations = _operations(server)
        wrong = [one for known in operations for one in (*wrong_spellings(*known), *wrong_readings(*known))]
        found = let_in(server.url, wrong, {"Authorization": f"Bearer {server.tokens['developer']}"})
        print(
            *found[:20],
            f"{len(operations)} operations, {len(wrong)} wrong requests, {len(found)} let in.",
            sep="\n",
        )
        before = server.figures()
        _drop_streams(server, dropped)
        after = server.figures()
        print(f"{dropped} streams dropped. Files, threads, MB: {before} before, {after} after.")
        slow = _slow(server)
        print(f"200 slow senders: {slow[0]} files open at first, {slow[1]} after {REQUEST_S:.0f} s.")
        print("Unforeseen errors at the end:", *server.errors()[:3], len(server.errors()))
        return bool(bad or found or server.errors() or after[0] > before[0] + 20 or slow[1] > before[0] + 20)


def _operations(server: Running) -> list[tuple[str, bytes]]:
    """Method and path of what is described, something in the place of each parameter, and of the pages."""
    with urllib.request.urlopen(f"{server.url}/schema/openapi.json", timeout=30) as answer:  # noqa: S310
        described = json.load(answer)["paths"]
    of_api = [(method.upper(), path) for path, item in described.items() for method in item]
    filled = [(method, re.sub(r"\{[^}]*\}", "1", path).encode()) for method, path in of_api]
    return [*filled, *(("GET", path) for path in PAGES), *(("POST", path) for path in FORMS)]


def _requests() -> Iterator[bytes]:
    yield os.urandom(300) + b"\r\n\r\n"
    yield b"GET /\r\n\r\n"
    yield b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    yield b"CONNECT a:80 HTTP/1.1\r\n" + HOST + b"\r\n"
    yield (b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n") * 3_000
    for path in PATHS:
        for method in (b"GET", b"OPTIONS", b"POST", b"BREW"):
            yield method + b" " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    for header in HEADERS:
        yield b"GET /chat HTTP/1.1\r\n" + HOST + header + b"\r\n\r\n"
        yield _posted(ASK + b"}", header)
    for body in BODIES:
        yield _posted(body)
        yield _posted(body, b"Content-Encoding: gzip")
        for path in (b"/chat", b"/chat/ask", b"/chat/save", b"/chat/feedback"):
            yield _posted(body, path=path, kind=b"application/x-www-form-urlencoded")
            yield _posted(body, path=path, kind=b"multipart/form-data; boundary=x")
    for chunks in CHUNKS:
        yield b"POST /api/ask HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + chunks


def _posted(
    body: bytes, header: bytes = b"X: a", path: bytes = b"/api/ask", kind: bytes = b"application/json"
) -> bytes:
    head = b"POST " + path + b" HTTP/1.1\r\n" + HOST + b"Content-Type: " + kind + b"\r\n" + header + b"\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _status(port: int, request: bytes) -> str:
    """The status of the first answer; none where the server only closes, or waits for more."""
    with socket.create_connection(("127.0.0.1", port), timeout=3) as visitor:
        try:
            visitor.sendall(request)
            return visitor.recv(4_096).split(b" ", 2)[1].decode("ascii", "replace")
        except (OSError, IndexError):
            return ""


def _drop_streams(server: Running, times: int) -> None:
    request = _posted(ASK + b"}", b"Accept: text/event-stream")
    for number in range(times):
        with socket.create_connection(("127.0.0.1", server.port)) as visitor:
            visitor.sendall(request)
            if number % 3 == 0:
                visitor.shutdown(socket.SHUT_WR)
            if number % 3 == 1:
                visitor.recv(10)
    time.sleep(8)


def _slow(server: Running) -> tuple[int, int]:
    begun = (b"", b"GET / HT", b"GET / HTTP/1.1\r\nX: a", _posted(ASK + b"}")[:-5])
    visitors = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for number, visitor in enumerate(visitors):
        visitor.sendall(begun[number % len(begun)])
    time.sleep(2)
    first = server.figures()[0]
    time.sleep(REQUEST_S + 2)
    last = server.figures()[0]
    for visitor in visitors:
        visitor.close()
    return first, last


if __name__ == "__main__":
    main()
