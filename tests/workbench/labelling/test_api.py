"""A sample of visitors' questions is drawn, labelled and kept as golden questions, over the admin API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from httpx import Response
from litestar.testing import TestClient
from sqlalchemy import delete

from server.evaluate.significance import share_interval
from server.models import Exchange, Feedback, TraceStep
from server.storage.tables.running import StoredChange
from server.workbench.records import Records
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import DEADLINE, TUITION, as_typed, exchange

Json = dict[str, Any]
DAYS = {"since": "2026-03-01", "until": "2026-03-31"}
KEPT = {"pages": [DEADLINE.url], "words": ["3 February"]}
PERSONAL = "I am ana@example.edu, when does add/drop end?"


@dataclass(frozen=True)
class Desk:
    """A client and the tokens of two editors and a viewer."""

    client: TestClient[Any]
    store: Records
    tokens: dict[str, str]

    def send(self, method: str, path: str, body: Json | None = None, by: str = "ada") -> Response:
        headers = {"Authorization": f"Bearer {self.tokens[by]}"}
        return self.client.request(method, "/admin/api/v1" + path, headers=headers, json=body)

    def ask(self, number: int, question: str, **other: Any) -> Exchange:
        """A visitor's question, recorded, in a conversation of its own."""
        made = as_typed(exchange(number, conversation=f"c{number}", question=question, **other))
        self.store.conversations.record(made)
        return made

    def rate(self, number: int, helpful: bool) -> None:
        given = Feedback(f"c{number}", f"m{number}", helpful, "", "", "2026-03-02T00:00:00+00:00")
        self.store.conversations.rate(given)

    def draw(self, **other: Any) -> Json:
        drawn = self.send("POST", "/samples", DAYS | other)
        assert drawn.status_code == 201, drawn.text
        found: Json = drawn.json()
        return found

    def drawn(self, **other: Any) -> list[Json]:
        """All questions of a sample, each as it is shown."""
        own = self.draw(**other)["sample"]["id"]
        ids = [row.message_id for row in self.store.labels.questions(own)]
        return [self.send("GET", f"/samples/{own}?question={one}").json()["next"] for one in ids]

    def label(self, own: int, number: int, label: str, by: str = "ada", **kept: Any) -> Response:
        return self.send("PUT", f"/samples/{own}/labels/m{number}", {"label": label, **kept}, by=by)


@pytest.fixture
def desk(parts: ScriptedParts) -> Iterator[Desk]:
    store = parts.records
    tokens = {name: store.tokens.create(name, "editor", 1) for name in ("ada", "ben")}
    tokens["reader"] = store.tokens.create("reader", "viewer", 1)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield Desk(client, store, tokens)


def test_a_question_comes_with_its_reasons_its_answer_and_its_pages_and_without_personal_data(
    desk: Desk,
) -> None:
    desk.ask(1, PERSONAL)
    desk.rate(1, helpful=False)
    [one] = desk.drawn()
    assert (one["asked"], one["question"]) == ("I am [e-mail 1], when does add/drop end?",) * 2
    assert (one["reasons"], one["at_random"], one["times"]) == (["sure_unhelpful"], True, 1)
    assert one["answer"]["answer"] == "The last day is 3 February. [1]"
    assert [(page["url"], page["cited"]) for page in one["pages"]][:2] == [
        (DEADLINE.url, True),
        (TUITION.url, False),
    ]
    assert one["pages"][0]["text"] == "The last day to add or drop a course is 3 February."
    assert "ana@" not in str(one)


def test_the_words_that_the_reader_marked_are_proposed(desk: Desk) -> None:
    made = exchange(1)
    steps = [
        replace(step, notes={**step.notes, "span": "3 February"}) if step.step == "extract" else step
        for step in made.trace.steps
    ]
    desk.store.conversations.record(replace(made, trace=replace(made.trace, steps=tuple(steps))))
    assert [one["words"] for one in desk.drawn()] == [["3 February"]]


@pytest.mark.parametrize(
    "left_out",
    [
        {"question": "hello", "answerer": "courtesy"},
        {"question": "I want to die", "answerer": "help"},
        {"question": "How do I hack it?", "refused": True, "refusal_reason": "unsafe"},
        {"question": "ana@example.edu"},
        {"question": "When does add/drop end?", "asked_at": "2026-04-01T12:00:00+00:00"},
        {"question": "When does add/drop end?", "site": "library"},
    ],
    ids=["small talk", "help lines", "unsafe", "nothing but personal data", "another day", "another site"],
)
def test_what_is_no_question_worth_keeping_is_left_out(desk: Desk, left_out: Json) -> None:
    desk.ask(1, **left_out)
    assert desk.send("POST", "/samples", DAYS).status_code == 404
    desk.ask(2, "How much is tuition?")
    assert [one["message_id"] for one in desk.drawn()] == ["m2"]


@pytest.mark.parametrize(
    "step",
    [TraceStep("challenge", 1.0), TraceStep("triage", 1.0, notes={"may_be_distress": 0.4}),
     TraceStep("moderate", 1.0, notes={"matter": "weapons"})],
    ids=["are you sure", "may be distress", "unsafe in a part"],
)  # fmt: skip
def test_neither_is_what_its_trace_tells(desk: Desk, step: TraceStep) -> None:
    made = as_typed(exchange(1))
    told = replace(made.trace, steps=(step, *made.trace.steps))
    desk.store.conversations.record(replace(made, trace=told))
    assert desk.send("POST", "/samples", DAYS).status_code == 404


def test_what_is_golden_or_labelled_already_does_not_come_again(desk: Desk) -> None:
    for number, question in enumerate(
        ("How much is tuition?", "When is spring break?", "Is there a gym?"), 1
    ):
        desk.ask(number, question)
    desk.ask(4, "is there a GYM")
    desk.send("POST", "/golden", {"question": "how much is tuition"})
    desk.send("POST", "/traces/t2/golden", {"page": DEADLINE.url})
    found = desk.draw()
    assert (found["sample"]["questions"], found["next"]["times"]) == (1, 2)
    desk.label(found["sample"]["id"], int(found["next"]["message_id"][1:]), "not_worth")
    assert desk.send("POST", "/samples", DAYS | {"seed": 2}).status_code == 404


def test_a_sample_stays_while_one_works_on_it(desk: Desk) -> None:
    for number in range(1, 13):
        desk.ask(number, f"Question {number} about fees?")
    first = desk.draw(size=6)
    before = [row.message_id for row in desk.store.labels.questions(first["sample"]["id"])]
    desk.ask(13, "What is new?")
    desk.rate(13, helpful=False)
    again = desk.draw(size=6)
    assert again["sample"]["id"] == first["sample"]["id"]
    assert [row.message_id for row in desk.store.labels.questions(again["sample"]["id"])] == before
    assert desk.draw(size=6, seed=2)["sample"]["id"] != first["sample"]["id"]
    assert [one["seed"] for one in desk.send("GET", "/samples?site=main").json()["samples"]] == [2, 1]
    assert desk.send("GET", "/samples?site=library").json()["samples"] == []


def test_a_right_answer_becomes_a_golden_question_and_undoing_takes_it_back(desk: Desk) -> None:
    desk.ask(1, PERSONAL, topic="registrar")
    own = desk.draw()["sample"]["id"]
    kept = desk.label(own, 1, "right", by="ada", **KEPT).json()
    [golden] = desk.store.golden.all()
    assert kept == {"label": "right", "golden_id": golden.id}
    assert (golden.question, golden.source, golden.from_trace, golden.topic) == (
        "I am [e-mail 1], when does add/drop end?",
        "visitors",
        "t1",
        "registrar",
    )
    assert (golden.pages, golden.answers, golden.refuse) == ((DEADLINE.url,), ("3 February",), False)
    found = desk.send("GET", f"/samples/{own}", by="reader").json()
    assert (found["next"], found["sample"]["labelled"]) == (None, 1)
    [labelled] = found["labelled"]
    assert (labelled["label"], labelled["by"], labelled["golden_id"]) == ("right", "ada", golden.id)
    assert labelled["at"].startswith("20")
    assert desk.send("DELETE", f"/samples/{own}/labels/m1").status_code == 204
    assert desk.store.golden.all() == ()
    found = desk.send("GET", f"/samples/{own}").json()
    assert (found["next"]["message_id"], found["labelled"], found["share"]) == ("m1", [], None)
    told = desk.store.audit.changes(limit=9, kind="label")
    assert [(one.who, one.before, one.after) for one in told] == [
        ("ada", kept, None),
        ("ada", None, kept),
    ]
    assert "ana@" not in str(desk.store.audit.changes(limit=9))


def test_a_change_of_mind_replaces_the_golden_question(desk: Desk) -> None:
    desk.ask(1, "When does add/drop end?")
    own = desk.draw()["sample"]["id"]
    desk.label(own, 1, "right", by="ada", **KEPT)
    desk.label(own, 1, "unanswered", by="ben")
    [golden] = desk.store.golden.all()
    assert (golden.refuse, golden.pages, golden.answers) == (True, (), ())
    desk.label(own, 1, "wrong", pages=[TUITION.url], words=["in full"])
    assert [one.pages for one in desk.store.golden.all()] == [(TUITION.url,)]
    desk.store.golden.remove(desk.store.golden.all()[0].id)
    assert desk.label(own, 1, "not_worth").json() == {"label": "not_worth", "golden_id": None}
    assert desk.store.golden.all() == ()


def test_a_golden_question_that_was_changed_since_outlives_its_label(desk: Desk) -> None:
    desk.ask(1, "When does add/drop end?")
    own = desk.draw()["sample"]["id"]
    desk.label(own, 1, "right", by="ada", **KEPT)
    [made] = desk.store.golden.all()
    changed = replace(made, answers=("3 February", "Feb 3"))
    desk.store.golden.put(changed, by="ben")
    assert desk.label(own, 1, "unanswered").json() == {"label": "unanswered", "golden_id": made.id}
    assert desk.store.golden.all() == (changed,)
    assert desk.send("DELETE", f"/samples/{own}/labels/m1").status_code == 204
    assert desk.store.golden.all() == (changed,)


def test_a_golden_question_of_which_the_log_knows_nothing_any_more_stays(desk: Desk) -> None:
    desk.ask(1, "When does add/drop end?")
    own = desk.draw()["sample"]["id"]
    desk.label(own, 1, "right", by="ada", **KEPT)
    [made] = desk.store.golden.all()
    with desk.store.transactions.writing() as connection:
        connection.execute(delete(StoredChange))
    assert desk.send("DELETE", f"/samples/{own}/labels/m1").status_code == 204
    assert desk.store.golden.all() == (made,)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"label": "right", "pages": [DEADLINE.url]}, "which words"),
        ({"label": "right", "pages": [DEADLINE.url], "words": [" "]}, "which words"),
        ({"label": "wrong", "words": ["June 1"]}, "Choose the page"),
        ({"label": "wrong", "pages": ["https://elsewhere.example/"], "words": ["June 1"]}, "were found"),
        ({"label": "not_worth", **KEPT}, "Neither"),
        ({"label": "unanswered", **KEPT}, "Neither"),
        ({"label": "best"}, ""),
    ],
)
def test_what_cannot_be_kept_says_why_and_nothing_is_kept(desk: Desk, body: Json, sentence: str) -> None:
    desk.ask(1, "When does add/drop end?")
    own = desk.draw()["sample"]["id"]
    told = desk.send("PUT", f"/samples/{own}/labels/m1", body)
    assert told.status_code == 400
    assert sentence in told.json()["error"]["message"]
    assert desk.store.golden.all() == ()
    assert desk.send("GET", f"/samples/{own}").json()["sample"]["labelled"] == 0


def test_a_refusal_is_right_where_the_site_does_not_say_and_is_no_right_answer(desk: Desk) -> None:
    desk.ask(1, "Who won the cup?", refused=True)
    own = desk.draw()["sample"]["id"]
    assert desk.label(own, 1, "right").status_code == 400
    assert desk.label(own, 1, "unanswered").status_code == 200
    share = desk.send("GET", f"/samples/{own}").json()["share"]
    assert (share["n"], share["right"]) == (1, 1)


def test_the_share_is_of_those_drawn_at_random_and_labelled(desk: Desk) -> None:
    for number in range(1, 41):
        desk.ask(number, f"Question {number} about fees?")
        if number <= 20:
            desk.rate(number, helpful=False)
    own = desk.draw(size=12)["sample"]["id"]
    rows = desk.store.labels.questions(own)
    drawn = [row for row in rows if row.draws]
    assert (len(rows), len(drawn)) == (12, 4)
    labels = iter(("right", "partly", "unanswered", "not_worth"))
    for row in rows:
        desk.label(own, int(row.message_id[1:]), next(labels) if row.draws else "right")
    share = desk.send("GET", f"/samples/{own}").json()["share"]
    interval = share_interval(1, 3)
    assert share == {
        "n": 3, "right": 1, "partly": 1,
        "value": interval.value, "low": interval.low, "high": interval.high,
    }  # fmt: skip


def test_a_label_goes_with_its_conversation_and_the_golden_question_stays(desk: Desk) -> None:
    desk.ask(1, "When does add/drop end?")
    desk.ask(2, "Is there a gym?")
    own = desk.draw()["sample"]["id"]
    desk.label(own, 1, "right", by="ada", **KEPT)
    desk.store.retention.erase("c1")
    found = desk.send("GET", f"/samples/{own}").json()
    assert (found["sample"]["questions"], found["sample"]["labelled"]) == (1, 0)
    assert len(desk.store.golden.all()) == 1
    desk.store.retention.erase("c2")
    assert desk.send("GET", f"/samples/{own}").status_code == 404


def test_viewers_look_and_editors_label_and_what_is_not_there_says_so(desk: Desk) -> None:
    desk.ask(1, "When does add/drop end?")
    assert desk.send("POST", "/samples", DAYS, by="reader").status_code == 403
    own = desk.draw()["sample"]["id"]
    assert desk.send("GET", f"/samples/{own}", by="reader").status_code == 200
    assert desk.label(own, 1, "right", by="reader").status_code == 403
    assert desk.send("DELETE", f"/samples/{own}/labels/m1", by="reader").status_code == 403
    assert desk.label(own, 7, "right").status_code == 404
    assert desk.label(own + 1, 1, "right").status_code == 404
    assert desk.send("GET", f"/samples/{own}?question=m7").status_code == 404
    assert desk.send("POST", "/samples", {"size": 0}).status_code == 400
    assert desk.send("POST", "/samples", {"since": "tomorrow"}).status_code == 400
