"""What the web layer needs to know of its surroundings: a small part of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from server.web.texts import MESSAGES_DIR


@dataclass(frozen=True, slots=True)
class WebOptions:
    """A longer request body is turned away; at most so many questions are worked on at the same time.

    `messages_dir` may hold languages beside those that ship.
    """

    max_body_bytes: int = 65_536
    answer_workers: int = 4
    messages_dir: Path = MESSAGES_DIR
