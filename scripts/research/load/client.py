"""A lean HTTP/1.1 client over asyncio's streams.

The generator of load shares its machine with the server that it measures: what it costs itself is the
server's loss.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

IDLE_S = 3.0  # the server closes a connection that rests for five seconds
_BODILESS = (204, 304)
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole response. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class _Line:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    rested_since: float = 0.0


@dataclass(slots=True)
class Client:
    """Connections to one server, kept open between requests."""

    host: str
    port: int
    _resting: list[_Line] = field(default_factory=list)

    async def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """One request and its whole response; an `OSError` or `EOFError` where there is none."""
        line = await self._line()
        try:
            line.writer.write(self._head(method, path, headers, body) + body)
            reply, stays_open = await _read(line.reader)
        except BaseException:
            line.writer.transport.abort()
            raise
        if stays_open:
            line.rested_since = time.monotonic()
            self._resting.append(line)
        else:
            await _close(line.writer)
        return reply

    async def close(self) -> None:
        """Close the connections that rest."""
        while self._resting:
            await _close(self._resting.pop().writer)

    async def _line(self) -> _Line:
        while self._resting:
            line = self._resting.pop()
            if time.monotonic() - line.rested_since < IDLE_S and not line.reader.at_eof():
                return line
            await _close(line.writer)
        return _Line(*await asyncio.open_connection(self.host, self.port))

    def _head(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
        given = {"Host": f"{self.host}:{self.port}", **headers}
        if body:
            given["Content-Length"] = str(len(body))
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def _read(reader: asyncio.StreamReader) -> tuple[Reply, bool]:
    """The response, and whether the connection stays open."""
    head = (await reader.readuntil(_END)).decode("latin-1")
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    status = int(first.split(" ", 2)[1])
    stays_open = headers.get("connection", "").lower() != "close"
    if status in _BODILESS:
        body = b""
    elif headers.get("transfer-encoding", "").lower() == "chunked":
        body = await _chunks(reader)
    elif "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    else:
        body, stays_open = await reader.read(), False
    return Reply(status, headers, body), stays_open


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int((await reader.readline()).partition(b";")[0], 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readline()
    return b"".join(parts)
