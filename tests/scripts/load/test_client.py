from __future__ import annotations

import asyncio

import pytest

from scripts.research.load.client import Client
from tests.scripts.load.loopback import answering, whole

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_every_way_to_end_a_body_is_read_to_its_end() -> None:
    ways = {
        b"/length": whole("200 OK", b"one"),
        b"/chunks": CHUNKED + b"3\r\none\r\n1;x=y\r\n!\r\n0\r\n\r\n",
        b"/none": b"HTTP/1.1 204 No Content\r\n\r\n",
    }

    async def answer(head: bytes, _body: bytes) -> bytes:
        return ways[head.split(b" ")[1]]

    async def ask() -> list[tuple[int, bytes]]:
        async with answering(answer) as port:
            client = Client("127.0.0.1", port)
            replies = [await client.send("GET", path.decode(), {}) for path in (*ways, b"/length")]
            await client.close()
        return [(reply.status, reply.body) for reply in replies]

    assert asyncio.run(ask()) == [(200, b"one"), (200, b"one!"), (204, b""), (200, b"one")]


def test_a_response_that_breaks_off_is_an_error_and_not_a_short_answer() -> None:
    async def answer(_head: bytes, _body: bytes) -> bytes:
        raise ConnectionError

    async def ask() -> None:
        async with answering(answer) as port:
            await Client("127.0.0.1", port).send("POST", "/", {}, b"{}")

    with pytest.raises((OSError, EOFError)):
        asyncio.run(ask())
