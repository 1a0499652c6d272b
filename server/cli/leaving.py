"""How a server goes: first it says so, then it takes no more, then it ends when its answers are given."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any

import uvicorn

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
