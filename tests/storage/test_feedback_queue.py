"""Feedback as a queue."""

from __future__ import annotations

import pytest

from server.errors import BadInputError, NotFoundError
from server.models import Feedback, FeedbackFilter
from server.storage.store import RecordsStore
from tests.storage.exchanges import exchange


@pytest.fixture
def filled(store: RecordsStore) -> RecordsStore:
    """Three answers rated: with a comment, with a reason, and with neither."""
    said = ((False, "", "Last year's date."), (True, "clear", ""), (False, "", ""))
    for number, (helpful, reason, comment) in enumerate(said, 1):
        site = "library" if number == 2 else "main"
        store.record(exchange(number, conversation=f"c{number}", topic="aid", site=site))
        at = f"2026-03-0{number}T12:00:00+00:00"
        store.rate(Feedback(f"c{number}", f"m{number}", helpful, reason, comment, at))
    return store


def ids(store: RecordsStore, wanted: FeedbackFilter | None = None) -> list[str]:
    return [row["message_id"] for row in store.insight.feedback_queue(limit=10, wanted=wanted)]


def test_what_says_something_is_in_it_newest_first_with_its_answer(filled: RecordsStore) -> None:
    assert ids(filled) == ["m2", "m1"]
    row = filled.insight.feedback_queue(limit=10)[1]
    assert (row["comment"], row["state"], row["conversation_id"], row["trace_id"], row["topic"]) == (
        "Last year's date.",
        "new",
        "c1",
        "t1",
        "aid",
    )
    assert row["answer"] == "The last day is 3 February. [1]"
    assert filled.insight.feedback_states() == {"new": 2, "in_work": 0, "done": 0, "dismissed": 0}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (FeedbackFilter(helpful=False), ["m1"]),
        (FeedbackFilter(site="library"), ["m2"]),
        (FeedbackFilter(since="2026-03-02"), ["m2"]),
        (FeedbackFilter(until="2026-03-01"), ["m1"]),
        (FeedbackFilter(state="done"), []),
    ],
)
def test_it_is_filtered(filled: RecordsStore, wanted: FeedbackFilter, found: list[str]) -> None:
    assert ids(filled, wanted) == found


def test_it_is_read_in_pages(filled: RecordsStore) -> None:
    [first] = filled.insight.feedback_queue(limit=1)
    [second] = filled.insight.feedback_queue(limit=1, before=first["cursor"])
    assert (first["message_id"], second["message_id"]) == ("m2", "m1")


def test_what_became_of_it_is_kept_and_in_the_audit_log(filled: RecordsStore) -> None:
    filled.insight.handle_feedback("m1", "done", " Page corrected. ", by="ana")
    [row] = filled.insight.feedback_queue(limit=5, wanted=FeedbackFilter(state="done"))
    assert (row["note"], row["handled_by"], row["handled_at"] is None) == ("Page corrected.", "ana", False)
    [change] = filled.changes(limit=1)
    assert (change["who"], change["kind"], change["id"]) == ("ana", "feedback", "m1")
    assert (change["before"], change["after"]) == (
        {"state": "new", "note": ""},
        {"state": "done", "note": "Page corrected."},
    )


def test_what_its_visitor_says_later_is_new(filled: RecordsStore) -> None:
    filled.insight.handle_feedback("m1", "done", "Corrected.", by="ana")
    filled.rate(Feedback("c1", "m1", False, "wrong", "Still wrong.", "2026-03-09T12:00:00+00:00"))
    row = filled.insight.feedback_queue(limit=1)[0]
    assert (row["comment"], row["state"], row["note"], row["handled_by"]) == ("Still wrong.", "new", "", "")


def test_what_cannot_be_kept_says_why_and_is_not_noted(filled: RecordsStore) -> None:
    with pytest.raises(BadInputError, match="in_work"):
        filled.insight.handle_feedback("m1", "later", "")  # type: ignore[arg-type]  # what a client may send
    with pytest.raises(BadInputError, match="longer"):
        filled.insight.handle_feedback("m1", "done", "x" * 2001)
    with pytest.raises(NotFoundError):
        filled.insight.handle_feedback("m9", "done", "")
    assert filled.changes(limit=5) == []
