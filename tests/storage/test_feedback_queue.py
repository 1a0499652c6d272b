"""Feedback as a queue."""

from __future__ import annotations

import pytest

from server.errors import BadInputError, NotFoundError
from server.models import Feedback, FeedbackFilter
from server.workbench.conversations.feedback_store import EVERY_STATE
from server.workbench.records import Records
from tests.storage.exchanges import exchange


@pytest.fixture
def filled(store: Records) -> Records:
    """Four answers rated: down with a comment, up with a reason, down and up with neither."""
    said = ((False, "", "Last year's date."), (True, "clear", ""), (False, "", ""), (True, "", ""))
    for number, (helpful, reason, comment) in enumerate(said, 1):
        site = "library" if number == 2 else "main"
        store.conversations.record(exchange(number, conversation=f"c{number}", topic="aid", site=site))
        at = f"2026-03-0{number}T12:00:00+00:00"
        store.conversations.rate(Feedback(f"c{number}", f"m{number}", helpful, reason, comment, at))
    return store


def ids(store: Records, wanted: FeedbackFilter = EVERY_STATE) -> list[str]:
    return [row.message_id for row in store.feedback.queue(limit=10, wanted=wanted)]


def test_what_says_something_is_in_it_newest_first_with_its_answer(filled: Records) -> None:
    """A thumb down needs no words to be looked at; a thumb up without any says nothing to do."""
    assert ids(filled) == ["m3", "m2", "m1"]
    row = filled.feedback.queue(limit=10)[2]
    assert (row.asked, row.question) == ("When does add/drop end?", "When is the add/drop deadline?")
    assert (row.comment, row.state, row.conversation_id, row.trace_id, row.topic) == (
        "Last year's date.",
        "new",
        "c1",
        "t1",
        "aid",
    )
    assert row.answer == "The last day is 3 February. [1]"
    assert filled.feedback.states() == {"new": 3, "in_work": 0, "done": 0, "dismissed": 0}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (FeedbackFilter(helpful=False), ["m3", "m1"]),
        (FeedbackFilter(site="library"), ["m2"]),
        (FeedbackFilter(since="2026-03-02"), ["m3", "m2"]),
        (FeedbackFilter(until="2026-03-01"), ["m1"]),
        (FeedbackFilter(state="done"), []),
    ],
)
def test_it_is_filtered(filled: Records, wanted: FeedbackFilter, found: list[str]) -> None:
    assert ids(filled, wanted) == found


def test_it_is_read_in_pages(filled: Records) -> None:
    [first] = filled.feedback.queue(limit=1)
    [second] = filled.feedback.queue(limit=1, before=first.cursor)
    assert (first.message_id, second.message_id) == ("m3", "m2")


def test_what_became_of_it_is_kept_and_in_the_audit_log(filled: Records) -> None:
    filled.feedback.handle("m1", "done", " Page corrected. ", by="ana")
    [row] = filled.feedback.queue(limit=5, wanted=FeedbackFilter(state="done"))
    assert (row.note, row.handled_by, row.handled_at is None) == ("Page corrected.", "ana", False)
    [change] = filled.audit.changes(limit=1)
    assert (change.who, change.kind, change.id) == ("ana", "feedback", "m1")
    assert (change.before, change.after) == (
        {"state": "new", "note": ""},
        {"state": "done", "note": "Page corrected."},
    )


def test_what_its_visitor_says_later_is_new(filled: Records) -> None:
    filled.feedback.handle("m1", "done", "Corrected.", by="ana")
    filled.conversations.rate(
        Feedback("c1", "m1", False, "wrong", "Still wrong.", "2026-03-09T12:00:00+00:00")
    )
    row = filled.feedback.queue(limit=1)[0]
    assert (row.comment, row.state, row.note, row.handled_by) == ("Still wrong.", "new", "", "")


def test_what_cannot_be_kept_says_why_and_is_not_noted(filled: Records) -> None:
    with pytest.raises(BadInputError, match="in_work"):
        filled.feedback.handle("m1", "later", "")  # type: ignore[arg-type]  # what a client may send
    with pytest.raises(BadInputError, match="longer"):
        filled.feedback.handle("m1", "done", "x" * 2001)
    with pytest.raises(NotFoundError):
        filled.feedback.handle("m9", "done", "")
    assert filled.audit.changes(limit=5) == []
