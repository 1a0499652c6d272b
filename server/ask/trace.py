"""The trace of one question: what each step saw, scored and dropped, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from server.models import Hit, Passage, Trace, TraceStep

# Every step a trace may hold, in the order of the pipeline. A dotted name is a part of its step:
# "retrieve.semantic", "retrieve.keyword", "retrieve.excluded".
STEPS = (
    "normalize",
    "triage",
    "challenge",
    "decompose",
    "contextualize",
    "moderate",
    "curated",
    "rewrite",
    "classify",
    "retrieve",
    "scope",
    "boost",
    "rerank",
    "extract",
    "generate",
    "ground",
    "refuse",
    "freshness",
)


@dataclass(slots=True)
class OpenStep:
    """A step under way; it fills in what it saw."""

    ranking: Sequence[Hit] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


class TraceLog:
    """Collects one question's steps. A step may hold others; each is listed when it ends."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._steps: list[TraceStep] = []
        self._passages: dict[int, Passage] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[OpenStep]:
        """Time a step and keep what it fills in."""
        opened, start = OpenStep(), time.perf_counter()
        yield opened
        ms = (time.perf_counter() - start) * 1000
        self._steps.append(TraceStep(name, round(ms, 3), tuple(opened.ranking), dict(opened.notes)))

    @property
    def passages(self) -> Mapping[int, Passage]:
        """Every passage that a step ranked, by chunk id."""
        return self._passages

    def add_passages(self, passages: Mapping[int, Passage]) -> None:
        """Keep the text of what was ranked, so that the trace can be read when the snapshot is gone."""
        self._passages.update(passages)

    def timings_ms(self) -> dict[str, float]:
        """Milliseconds by step, and `total` until now; a step's time holds that of its dotted parts."""
        timings: dict[str, float] = {}
        for step in self._steps:
            timings[step.step] = round(timings.get(step.step, 0.0) + step.ms, 3)
        timings["total"] = round((time.perf_counter() - self._start) * 1000, 3)
        return timings

    def finish(  # noqa: PLR0913  (all that a trace names, each by its name)
        self,
        *,
        trace_id: str,
        question: str,
        strategy: str,
        snapshot: str,
        versions: Mapping[str, str],
        asked: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Trace:
        """The whole trace. Only passages that the log was given are kept of the rankings' members."""
        steps = tuple(self._steps)
        return Trace(
            trace_id,
            question,
            strategy,
            snapshot,
            versions,
            steps,
            self._passages,
            asked or {},
            settings or {},
        )
