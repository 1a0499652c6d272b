"""What the web layer needs to know of its surroundings: a small part of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from server.http.limits import LimitOptions
from server.masking import PATTERNS, Pattern
from server.visitor.i18n import MESSAGES_DIR


@dataclass(frozen=True, slots=True)
class WebOptions:
    """A longer request body is turned away; at most so many questions are worked on at the same time, and at
    most `answer_queue` wait. While `hurry_from` wait, they are answered by words alone; 0: never.

    `messages_dir` may hold languages beside those that ship. `metrics_token` lets its holder read
    `/metrics`; empty: nobody. `masked` says what is personal in visitors' words; with none,
    nothing is masked. `allowed_hosts` are the names that the server goes by, separated by spaces; empty: any.
    """

    max_body_bytes: int = 65_536
    answer_workers: int = 2
    answer_queue: int = 64
    hurry_from: int = 0
    limits: LimitOptions = field(default_factory=LimitOptions)
    messages_dir: Path = MESSAGES_DIR
    metrics_token: str = field(default="", repr=False)
    masked: Sequence[Pattern] = PATTERNS
    allowed_hosts: str = ""
