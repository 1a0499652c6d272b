"""A small thread that looks every minute whether something is due."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from server.errors import LodgeError

logger = logging.getLogger("lodge.schedule")

LOOK_EVERY_S = 60.0


class Clock:
    """Calls `look` with the time, every minute from `start` to `close`. What it raises is logged."""

    def __init__(self, look: Callable[[datetime], object], every_s: float = LOOK_EVERY_S) -> None:
        self._look = look
        self._every_s = every_s
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lodge-clock", daemon=True)

    def start(self) -> None:
        """Look now, and every minute from now on."""
        self._thread.start()

    def close(self) -> None:
        """Look no more, and wait for the look that is under way."""
        self._stopped.set()
        with suppress(RuntimeError):  # it was never started
            self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                self._look(datetime.now(UTC))
            except LodgeError as error:
                logger.warning("What is due was not looked for: %s", error.message)
            except Exception:
                logger.exception("what is due was not looked for")
            if self._stopped.wait(self._every_s):
                return
