"""A small HTTP server over asyncio that a test writes the answers of."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

Answer = Callable[[bytes, bytes], Awaitable[bytes]]  # head and body of a request: the whole response
_LENGTH = re.compile(rb"(?i)content-length: *(\d+)")


@asynccontextmanager
async def answering(answer: Answer) -> AsyncIterator[int]:
    """A server on loopback that answers each request with these bytes; its port.

    A `ConnectionError` raised by `answer` ends the connection.
    """
    open_ones: set[asyncio.Task[Any] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones.add(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = _LENGTH.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                writer.write(await answer(head, body))
                await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        open_ones.discard(asyncio.current_task())

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port: int = server.sockets[0].getsockname()[1]
        yield port
        if open_ones:
            await asyncio.wait({task for task in open_ones if task}, timeout=5)


def whole(status: str, body: bytes) -> bytes:
    """A response with its length."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
