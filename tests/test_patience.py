"""Slow clients over real sockets, before a server that answers slowly itself."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from server.cli.http_server import patient

REQUEST_S = 0.8
ANSWER_S = 1.25 * REQUEST_S
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n"


async def slow_echo(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"so far", "more_body": True})
    await asyncio.sleep(ANSWER_S)
    await send({"type": "http.response.body", "body": b"[" + body + b"]"})


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    config = uvicorn.Config(
        slow_echo, log_level="error", http=patient(REQUEST_S), lifespan="off", timeout_keep_alive=60
    )
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    yield listener.getsockname()
    server.should_exit = True
    thread.join()


def talk(address: tuple[str, int], *parts: bytes, pause_s: float = 0.0) -> bytes:
    """What comes back until an answer's end or the connection's."""
    heard = b""
    with socket.create_connection(address, timeout=30) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause_s)
            while not heard.endswith(b"\r\n0\r\n\r\n") and (block := connection.recv(4096)):
                heard += block
        except (ConnectionResetError, BrokenPipeError):
            pass
    return heard


@pytest.mark.parametrize(
    "parts",
    [(), (GET[:10],), (POST, b"sl"), tuple(GET[i : i + 1] for i in range(len(GET)))],
    ids=["nothing at all", "half a head", "half a body", "a byte now and then"],
)
def test_a_request_that_does_not_come_in_is_given_up_without_an_answer(
    address: tuple[str, int], parts: tuple[bytes, ...]
) -> None:
    assert talk(address, *parts, pause_s=REQUEST_S / 4) == b""


def test_an_answer_may_take_longer_and_so_may_whoever_sends_the_next_request(
    address: tuple[str, int],
) -> None:
    assert talk(address, GET).endswith(b"[]\r\n0\r\n\r\n")
    with socket.create_connection(address, timeout=30) as connection:
        for body in (b"slowly", b"surely"):
            connection.sendall(POST)
            connection.sendall(body)
            heard = b""
            while not heard.endswith(b"\r\n0\r\n\r\n"):
                heard += connection.recv(4096)
            assert b"so far" in heard
            assert b"[" + body + b"]" in heard
            time.sleep(1.25 * REQUEST_S)
