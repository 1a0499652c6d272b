"""What the records store tells of all answers together: counts, gaps, the feedback queue, cited pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from server.models import ALL_TURNS, FeedbackFilter, FeedbackState, GapFilter, GapState, TurnFilter, Waiting
from server.storage import counting
from server.storage import feedback as feedback_queue
from server.storage import gaps as gap_rows
from server.storage import gaps as gap_table
from server.storage.audit import COMMAND_LINE
from server.storage.engine import Transactions


class InsightStore:
    """The part of the records store that counts and groups. Every method is one transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._reading, self._writing = transactions.reading, transactions.writing

    # --- counts ---

    def overview(self, wanted: TurnFilter = ALL_TURNS) -> dict[str, Any]:
        """`total`, and rows for `days`, `sites` and `topics`, in the order of their `name`.

        Keys of a row: name, questions, answered, refused, degraded, helpful, unhelpful, p50_ms, p95_ms (None
        where nothing was timed). A day that is none is a `BadInputError`, here and below.
        """
        with self._reading() as connection:
            return counting.read_overview(connection, wanted)

    def topics_asked(self, wanted: TurnFilter = ALL_TURNS) -> list[dict[str, Any]]:
        """A row for each topic (None: for questions without): topic, questions, refused."""
        with self._reading() as connection:
            return counting.read_topics_asked(connection, wanted)

    def cited(self, wanted: TurnFilter = ALL_TURNS) -> list[dict[str, Any]]:
        """A row for each page that was cited: url, times, helpful, unhelpful."""
        with self._reading() as connection:
            return counting.read_cited(connection, wanted)

    # --- feedback as a queue ---

    def feedback_queue(
        self, *, limit: int, before: str | None = None, wanted: FeedbackFilter | None = None
    ) -> list[dict[str, Any]]:
        """Feedback with a reason or a comment, newest first, before a row's `cursor`.

        Keys: message_id, helpful, reason, comment, given_at, state, note, handled_by, handled_at, question,
        site, topic, answer, refused, conversation_id, trace_id, cursor.
        """
        with self._reading() as connection:
            return feedback_queue.read_queue(connection, limit, before, wanted or FeedbackFilter())

    def feedback_states(self) -> dict[str, int]:
        """How much of it is in each state."""
        with self._reading() as connection:
            return feedback_queue.count_states(connection)

    def handle_feedback(
        self, message_id: str, state: FeedbackState, note: str, *, by: str = COMMAND_LINE
    ) -> None:
        """Notes what became of the feedback on an answer; `NotFoundError` when there is none."""
        with self._writing() as connection:
            feedback_queue.change_state(connection, message_id, state, note, by)

    # --- gaps ---

    def gaps(self, wanted: GapFilter, *, limit: int, offset: int = 0) -> list[dict[str, Any]]:
        """The gaps that are wanted, those with most of the wanted questions first.

        Keys: id, site, state, note, changed_by, changed_at, snapshot, again (an answer's JSON, or None),
        again_at, questions, kinds (questions of each kind), first_day, last_day, question (a typical one),
        topic, weeks (week, questions), samples (question, day, kind, times, conversation_id, trace_id),
        closest_pages (url, title).
        """
        with self._reading() as connection:
            return gap_rows.read_gaps(connection, wanted, limit, offset)

    def gap(self, gap_id: int) -> dict[str, Any]:
        """One of them, with all its questions; `NotFoundError`."""
        with self._reading() as connection:
            return gap_rows.read_gap(connection, gap_id)

    def gap_states(self) -> dict[str, int]:
        """How many gaps are in each state."""
        with self._reading() as connection:
            return gap_table.count_states(connection)

    def change_gap(
        self, gap_id: int, state: GapState, note: str, *, snapshot: str | None, by: str = COMMAND_LINE
    ) -> None:
        """Marks a gap as mended (over the snapshot that is live), ignored or reopened; `NotFoundError`."""
        with self._writing() as connection:
            gap_table.change_gap(connection, gap_id, state, note, snapshot=snapshot, by=by)

    def mended_gaps(self, live: str, *, limit: int) -> list[int]:
        """The ids of gaps that were marked as mended over an earlier snapshot than the live one."""
        with self._reading() as connection:
            return gap_table.read_mended(connection, live, limit)

    def note_again(self, gap_id: int, answer: dict[str, Any], *, by: str | None = None) -> None:
        """Keeps what a gap's question was answered when asked again; without `by`, only while mended."""
        with self._writing() as connection:
            gap_table.note_again(connection, gap_id, answer, by)

    # --- putting questions into gaps ---

    def count_waiting(self) -> int:
        """How many questions that were not answered well are in no gap yet."""
        with self._reading() as connection:
            return gap_table.count_waiting(connection)

    def waiting(self, limit: int) -> list[Waiting]:
        """Some of them, the latest first, each wording once."""
        with self._reading() as connection:
            return gap_table.read_waiting(connection, limit)

    def join_known(self) -> None:
        """Puts those that were asked before, in the same words, where the others are."""
        with self._writing() as connection:
            gap_table.join_known(connection)

    def place(self, site: str, keys: Sequence[str], places: gap_table.Places) -> None:
        """Puts those of these wordings into gaps of their site, as `places` says of the gaps' middles."""
        with self._writing() as connection:
            gap_table.place(connection, site, keys, places)
