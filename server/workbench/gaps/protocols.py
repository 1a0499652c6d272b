"""What the admin API needs to tell of all answers together: counts, and work over the live parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from server.models import FeedbackFilter, FeedbackState, GapFilter, GapState, TurnFilter
from server.workbench.jobs import Progress


class InsightRecords(Protocol):
    """What the records store counts and groups. Rows are JSON-ready dicts."""

    def overview(self, wanted: TurnFilter) -> dict[str, Any]:
        """`total`, and rows for `days`, `sites` and `topics`."""
        ...

    def feedback_queue(
        self, *, limit: int, before: str | None, wanted: FeedbackFilter | None
    ) -> list[dict[str, Any]]:
        """Feedback with a reason or a comment, newest first, before a row's `cursor`."""
        ...

    def feedback_states(self) -> dict[str, int]:
        """How much of it is in each state."""
        ...

    def handle_feedback(self, message_id: str, state: FeedbackState, note: str, *, by: str) -> None:
        """Note what became of the feedback on an answer; `NotFoundError`, `BadInputError`."""
        ...

    def gaps(self, wanted: GapFilter, *, limit: int, offset: int) -> list[dict[str, Any]]:
        """The gaps that are wanted, those with most of the wanted questions first."""
        ...

    def gap(self, gap_id: int) -> dict[str, Any]:
        """One of them; `NotFoundError`."""
        ...

    def gap_states(self) -> dict[str, int]:
        """How many gaps are in each state."""
        ...

    def count_waiting(self) -> int:
        """How many questions that were not answered well are in no gap yet."""
        ...

    def change_gap(self, gap_id: int, state: GapState, note: str, *, snapshot: str | None, by: str) -> None:
        """Mark a gap as mended, ignored or reopened; `NotFoundError`, `BadInputError`."""
        ...


class HasInsight(Protocol):
    """A records store that counts."""

    @property
    def insight(self) -> InsightRecords:
        """Counts, gaps and the feedback queue."""
        ...


class Insight(Protocol):
    """What takes the live snapshot, a model or the flow that answers; `NotReadyError` without one."""

    @property
    def live(self) -> str | None:
        """The name of the live snapshot, if there is one."""
        ...

    def has_work(self) -> bool:
        """Whether a question waits for its gap, or a gap to be asked again."""
        ...

    def work(self, progress: Progress) -> None:
        """Do it."""
        ...

    def ask_again(self, gap_id: int, by: str) -> None:
        """Ask a gap's question now, and keep the answer; `NotFoundError`."""
        ...

    def coverage(self, wanted: TurnFilter, months: int) -> dict[str, Any]:
        """Topics asked against topics written, and lists of pages."""
        ...

    def never_cited(self, wanted: TurnFilter, text: str) -> Sequence[dict[str, Any]]:
        """The pages that no answer cites."""
        ...
