"""The small thread that looks whether something is due."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from server.errors import StorageError
from server.workbench.clock import Clock


def test_it_looks_again_whatever_a_look_raises_and_not_after_its_end() -> None:
    looks: list[datetime] = []
    enough = threading.Event()

    def look(now: datetime) -> None:
        looks.append(now)
        if len(looks) == 1:
            raise StorageError("The disk is full.")
        if len(looks) == 2:
            raise RuntimeError("unforeseen")
        enough.set()

    clock = Clock(look, every_s=0.0)
    clock.start()
    assert enough.wait(10)
    clock.close()
    seen = len(looks)
    assert looks[0].tzinfo == UTC
    assert len(looks) == seen


def test_one_that_was_never_started_can_be_closed() -> None:
    looks: list[datetime] = []
    Clock(looks.append).close()
    assert looks == []
