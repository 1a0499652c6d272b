"""A clock that goes when a test tells it to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Clock:
    """Seconds; they pass by setting `now`."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now
