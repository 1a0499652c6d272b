"""What the web layer needs to know of its surroundings: a small part of the settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WebOptions:
    """A longer request body is turned away; at most so many questions are worked on at the same time."""

    max_body_bytes: int = 65_536
    answer_workers: int = 4
