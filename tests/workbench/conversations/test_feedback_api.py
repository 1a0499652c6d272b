"""The feedback queue over the admin API."""

from __future__ import annotations

import pytest

from server.models import Feedback
from tests.storage.exchanges import exchange
from tests.workbench.access.test_audit_api import Desk
from tests.workbench.access.test_audit_api import desk as desk  # noqa: PLC0414 - pytest finds a fixture by its name here


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for number, comment in ((1, "I am ana@example.edu"), (2, "Wrong year")):
        desk.store.conversations.record(
            exchange(number, conversation=f"c{number}", question="Where is ana@example.edu?")
        )
        at = f"2026-03-0{number}T12:00:00+00:00"
        desk.store.conversations.rate(Feedback(f"c{number}", f"m{number}", number == 1, "other", comment, at))
    return desk


def test_it_is_read_in_pages_with_how_much_there_is(filled: Desk) -> None:
    page = filled.send("viewer", "GET", "/feedback?limit=1").json()
    assert [row["message_id"] for row in page["feedback"]] == ["m2"]
    assert page["states"]["new"] == 2
    rest = filled.send("viewer", "GET", f"/feedback?limit=1&before={page['next'].replace('+', '%2B')}").json()
    assert ([row["message_id"] for row in rest["feedback"]], rest["next"]) == (["m1"], None)


@pytest.mark.parametrize(
    ("query", "found"), [("helpful=true", ["m1"]), ("state=done", []), ("since=2026-03-02", ["m2"])]
)
def test_it_is_filtered(filled: Desk, query: str, found: list[str]) -> None:
    page = filled.send("viewer", "GET", f"/feedback?{query}").json()
    assert [row["message_id"] for row in page["feedback"]] == found


@pytest.mark.parametrize("role", ["viewer", "editor", "developer"])
def test_what_is_personal_is_shown_to_developers_alone(filled: Desk, role: str) -> None:
    text = filled.send(role, "GET", "/feedback").text
    assert ("ana@example.edu" in text) == (role == "developer")
    assert ("[e-mail 1]" in text) == (role != "developer")


def test_an_editor_notes_what_became_of_it(filled: Desk) -> None:
    said = {"state": "done", "note": "Page corrected."}
    assert filled.send("editor", "PUT", "/feedback/m2", said).json() == said
    [row] = filled.send("viewer", "GET", "/feedback?state=done").json()["feedback"]
    assert (row["message_id"], row["note"], row["handled_by"]) == ("m2", "Page corrected.", "the editor")
    assert [(entry["who"], entry["id"]) for entry in filled.log("?kind=feedback")] == [("the editor", "m2")]


def test_what_cannot_be_done_is_said_and_not_noted(filled: Desk) -> None:
    assert filled.send("viewer", "PUT", "/feedback/m2", {"state": "done"}).status_code == 403
    assert filled.send("editor", "PUT", "/feedback/m2", {"state": "later"}).status_code == 400
    assert filled.send("editor", "PUT", "/feedback/m9", {"state": "done"}).status_code == 404
    assert filled.send("viewer", "GET", "/feedback?state=odd").status_code == 400
    assert filled.log("?kind=feedback") == []
