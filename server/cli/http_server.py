"""uvicorn as `lodge serve` runs it: how it goes, how long it waits for a request, what it logs.

At SIGTERM it first says so, then takes no more, then ends when its answers are given. An error's own words
may hold what a visitor typed (a database's do), so a line of the log has its kind and where it was raised.
"""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
import threading
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from server.http.middleware import SchemeMiddleware


class LeavingServer(uvicorn.Server):
    """uvicorn, which at the first SIGTERM goes on for a while, so that a proxy can see it leave."""

    def __init__(self, config: uvicorn.Config, leaving: threading.Event, drain_s: float) -> None:
        """It sets `leaving` `drain_s` seconds before it takes no more connections; a second signal cuts
        that short."""
        super().__init__(config)
        self._leaving = leaving
        self._drain_s = drain_s

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signal, on the main thread."""
        first = not self._leaving.is_set()
        self._leaving.set()
        if sig != signal.SIGTERM or not first or not self._drain_s:
            super().handle_exit(sig, frame)
            return
        timer = threading.Timer(self._drain_s, super().handle_exit, (sig, frame))
        timer.daemon = True
        timer.start()


def run_server(app: SchemeMiddleware, drain_s: float, **options: Any) -> None:
    """`uvicorn.run` for a server that leaves so; `options` are uvicorn's."""
    server = LeavingServer(uvicorn.Config(app, **options), app.leaving, drain_s)
    server.run()
    if not server.started:
        sys.exit(1)


COMING = (h11.IDLE, h11.SEND_BODY)  # of the client: nothing yet or part of the head; part of the body


def patient(request_s: float) -> type[H11Protocol]:
    """uvicorn's protocol, closing a connection whose request is not there `request_s` seconds after it began.

    uvicorn (0.54) has no time-out for a request that has begun: its `timeout_keep_alive` holds between two.
    Answering may take as long as it takes. A head of more than 16 KB is turned away by h11 itself.
    """

    class Patient(H11Protocol):
        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state in COMING:
                self._wait()
            else:
                self._rest()

        def connection_lost(self, exc: Exception | None) -> None:
            self._rest()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._patience is None:
                self._patience = self.loop.call_later(request_s, self.transport.abort)

        def _rest(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Patient


_NEAR = 8  # so many of the innermost calls


class PlainLines(logging.Formatter):
    """`12:00:00 WARNING lodge.web: … key=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        fields = _fields(record)
        head = f"{_at(record):%H:%M:%S} {fields.pop('level')} {fields.pop('logger')}: {fields.pop('message')}"
        del fields["at"]
        return " ".join([head, *(f"{key}={value}" for key, value in fields.items())])


class JsonLines(logging.Formatter):
    """A JSON object a line: `at` (ISO 8601, UTC), `level`, `logger`, `message`, the event's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        return json.dumps(_fields(record), ensure_ascii=False, default=str)


def set_up_logs(form: str) -> None:
    """Everything that is logged goes to standard error; `form` is "plain", "json" or empty: as fits it."""
    handler = logging.StreamHandler(sys.stderr)
    plain = form == "plain" or (not form and sys.stderr.isatty())
    handler.setFormatter(PlainLines() if plain else JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("lodge").setLevel(logging.INFO)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields = {
        "at": _at(record).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage(),
        **getattr(record, "fields", {}),
    }
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        frames = traceback.extract_tb(error.__traceback__)[-_NEAR:]
        fields["error"] = type(error).__name__
        fields["raised_at"] = [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames]
    return fields


def _at(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)
