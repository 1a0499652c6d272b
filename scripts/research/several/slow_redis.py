"""How long visitors wait for the first byte of an answer where Redis is slow.

    .venv/bin/python -m scripts.research.several.slow_redis --visitors 40 --delay-ms 150 --rounds 5

A server over the small college of the tests is asked by so many visitors at once: without Redis, then with a
real one behind a proxy that holds each of its answers back. Half come as the chat page does, in two requests,
half as a stream of the API. Meanwhile `/healthz`, which asks nobody, is called again and again: the
longest it takes is how long the event loop stood still.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import httpx
import redis

from scripts.research.load.figures import percentile
from scripts.research.load.subject import FOR_LOAD, free_port, serving

EVENTS = re.compile(r'sse-connect="([^"]+)"')
QUESTIONS = ("When is the library open?", "Where can visitors park?", "How much is tuition?")
LOOK_EVERY_S = 0.02


@contextmanager
def slowed(port: int, delay_s: float) -> Iterator[int]:
    """The port of a proxy on loopback, until the block ends. It has an event loop in a thread of its own.

    What is sent to the server on `port` is passed on at once, every answer after `delay_s`.
    """
    at = free_port()
    loops: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = SimpleQueue()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        with closing(back), closing(writer), suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(_pass(reader, back, 0.0), _pass(there, writer, delay_s))

    async def serve() -> None:
        over = asyncio.Event()
        async with await asyncio.start_server(connected, "127.0.0.1", at):
            loops.put((asyncio.get_running_loop(), over))
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="slow-proxy", daemon=True)
    thread.start()
    loop, over = loops.get()
    try:
        yield at
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float) -> None:
    """Everything is held back for as long, however much comes after it."""
    loop = asyncio.get_running_loop()
    while data := await reader.read(65_536):
        loop.call_later(delay_s, writer.write, data)
    await asyncio.sleep(delay_s)


async def first_byte(client: httpx.AsyncClient, number: int) -> float:
    """Seconds until a visitor of their own address has the first byte of an answer's events."""
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    headers = {"X-Forwarded-For": address, "HX-Request": "true", "Accept": "text/event-stream"}
    question = QUESTIONS[number % len(QUESTIONS)]
    began = time.perf_counter()
    if number % 2:
        body = {"question": question}
        async with client.stream("POST", "/api/ask", json=body, headers=headers) as answer:
            return await _seconds_to_first(answer, began)
    asked = await client.post("/chat/ask", data={"question": question}, headers=headers)
    [path] = EVENTS.findall(asked.raise_for_status().text)
    async with client.stream("GET", path.replace("&amp;", "&"), headers=headers) as answer:
        return await _seconds_to_first(answer, began)


async def _seconds_to_first(answer: httpx.Response, began: float) -> float:
    answer.raise_for_status()
    pieces = answer.aiter_raw()
    await anext(pieces)
    seconds = time.perf_counter() - began
    async for _ in pieces:
        pass
    return seconds


async def look(client: httpx.AsyncClient, took: list[float]) -> None:
    """How long `/healthz` takes, again and again until it is cancelled."""
    while True:
        began = time.perf_counter()
        await client.get("/healthz")
        took.append(time.perf_counter() - began)
        await asyncio.sleep(LOOK_EVERY_S)


async def visit(url: str, visitors: int, rounds: int) -> dict[str, Any]:
    """Ask in rounds, all visitors at once; the first round, in which models are warmed, is not counted."""
    limits = httpx.Limits(max_connections=None)
    async with (
        httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as client,
        httpx.AsyncClient(base_url=url, timeout=120) as looker,
    ):
        await asyncio.gather(*(first_byte(client, number) for number in range(visitors)))
        stood: list[float] = []
        looking = asyncio.create_task(look(looker, stood))
        waits: list[float] = []
        for turn in range(1, rounds + 1):
            numbers = range(turn * visitors, (turn + 1) * visitors)
            waits += await asyncio.gather(*(first_byte(client, number) for number in numbers))
        looking.cancel()
    return {"first_byte_ms": _figures(waits), "healthz_ms": _figures(stood)}


def _figures(seconds: list[float]) -> dict[str, int]:
    shares = {"p50": 0.5, "p95": 0.95, "max": 1.0}
    return {name: round(1_000 * percentile(seconds, share)) for name, share in shares.items()}


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print one JSON document."""
    from tests import small_site
    from tests.redis_server import running_redis

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--visitors", type=int, default=40)
    parser.add_argument("--delay-ms", type=float, default=150.0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="lodge-slow-") as folder, running_redis() as store:
        settings = small_site.settings_for(Path(folder))
        small_site.index_pages(settings, small_site.kept_pages() + small_site.dropped_pages())
        with slowed(store.port, options.delay_ms / 1_000) as port:
            for name, url in (("without", ""), ("with", f"redis://127.0.0.1:{port}/0")):
                with serving({**settings.as_environ(), **FOR_LOAD, "LODGE_LIMIT_URL": url}) as at:
                    address = f"http://{at.host}:{at.port}"
                    found[name] = asyncio.run(visit(address, options.visitors, options.rounds))
        with redis.Redis(port=store.port) as client:
            counted = len(set(client.scan_iter("*requests*/minute*")))
    found["visitors"] = options.visitors * (options.rounds + 1)
    found["counted_in_redis"] = counted
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
