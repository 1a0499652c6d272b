"""Golden questions over the admin API: kept, made of traces, asked, compared, and taken along."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from httpx import Response
from litestar.testing import TestClient

from server.evaluate.questions import read_questions
from server.models import TraceStep
from server.workbench.golden.service import golden_questions
from server.workbench.job_store import OPEN
from tests.http.conftest import OPTIONS
from tests.scripted_app import CITATIONS, ScriptedParts, web_app
from tests.storage.exchanges import DEADLINE, exchange

TRANSFER = {"question": "When do transfers apply?", "pages": [CITATIONS[0].url], "answers": ["March 1"]}
NOBEL = {"question": "Who won the Nobel prize?", "refuse": True}
Json = dict[str, Any]


@dataclass(frozen=True)
class Desk:
    """A client and three people's tokens by their roles."""

    client: TestClient[Any]
    parts: ScriptedParts
    tokens: dict[str, str]

    def send(self, method: str, path: str, body: Json | None = None, role: str = "editor") -> Response:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        return self.client.request(method, "/admin/api/v1" + path, headers=headers, json=body)

    def get(self, path: str) -> Any:
        found = self.send("GET", path, role="viewer")
        assert found.status_code == 200, found.text
        return found.json()

    def run(self, site: str = "main") -> Json:
        """Asks them all, and waits for the end."""
        job = self.send("POST", "/golden/run", {"site": site})
        assert job.status_code == 202, job.text
        for _ in range(10_000):
            now: Json = self.get(f"/jobs/{job.json()['id']}")
            if now["state"] not in OPEN:
                return now
            threading.Event().wait(0.001)
        raise AssertionError("the job does not end")


@pytest.fixture
def desk(parts: ScriptedParts) -> Iterator[Desk]:
    tokens = {role: parts.records.tokens.create(f"the {role}", role, 1) for role in ("viewer", "editor")}
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield Desk(client, parts, tokens)


def test_a_question_is_kept_changed_and_removed(desk: Desk) -> None:
    made = desk.send("POST", "/golden", TRANSFER).json()
    assert (made["id"], made["record"]) == ("when-do-transfers-apply", None)
    body = TRANSFER | {"topic": "admissions", "answers": []}
    assert desk.send("PUT", f"/golden/{made['id']}", body).json()["topic"] == "admissions"
    desk.send("PUT", "/golden/other", NOBEL | {"site": "library"})
    assert [one["id"] for one in desk.get("/golden")["golden"]] == ["other", made["id"]]
    assert [one["id"] for one in desk.get("/golden?site=main")["golden"]] == [made["id"]]
    assert desk.get(f"/golden/{made['id']}/history") == {"history": []}
    assert desk.send("DELETE", f"/golden/{made['id']}").status_code == 204
    assert desk.send("GET", f"/golden/{made['id']}").status_code == 404
    assert desk.send("GET", f"/golden/{made['id']}/history").status_code == 404


def test_all_are_asked_and_each_has_its_record_and_history(desk: Desk) -> None:
    desk.send("PUT", "/golden/transfer", TRANSFER)
    desk.send("PUT", "/golden/nobel", NOBEL)
    first = desk.run()
    assert first["state"] == "done", first
    assert (first["result"]["passed"], first["result"]["failed"], first["by"]) == (2, 0, "the editor")
    desk.send("PUT", "/golden/transfer", TRANSFER | {"answers": ["April 1"]})
    desk.send("PUT", "/golden/nobel", TRANSFER | {"question": "Who won the Nobel prize?"})
    second = desk.run()["result"]
    assert second["failed"] == 2
    record = desk.get("/golden/transfer")["record"]
    assert record == {
        "passed": 1, "failed": 1, "number": second["number"], "at": second["at"],
        "failure": "The answer has none of the right words.",
    }  # fmt: skip
    history = desk.get("/golden/transfer/history")["history"]
    assert [row["failure"] for row in history] == [record["failure"], None]
    assert history[0]["cited"] == [one.url for one in CITATIONS]
    assert [row["number"] for row in desk.get("/golden/runs?site=main")["runs"]] == [2, 1]
    assert desk.get("/golden/runs?site=library") == {"runs": []}
    shown = desk.get("/golden/runs/2")
    assert shown["run"] == second
    assert {one["question"] for one in shown["outcomes"]} == {TRANSFER["question"], NOBEL["question"]}


def test_two_runs_side_by_side_show_what_broke_and_what_was_mended(desk: Desk) -> None:
    desk.send("PUT", "/golden/breaks", TRANSFER)
    desk.send("PUT", "/golden/mends", TRANSFER | {"answers": ["April 1"]})
    desk.send("PUT", "/golden/stays", NOBEL)
    desk.send("PUT", "/golden/goes", NOBEL)
    desk.run()
    desk.send("PUT", "/golden/breaks", TRANSFER | {"refuse": True, "pages": [], "answers": []})
    desk.send("PUT", "/golden/mends", TRANSFER)
    desk.send("DELETE", "/golden/goes")
    desk.run()
    found = desk.get("/golden/runs/compare?before=1&after=2")
    [broke], [mended] = found["broke"], found["mended"]
    assert (broke["id"], broke["after"]["failure"]) == ("breaks", "It is answered, and should not be.")
    assert (mended["id"], mended["before"]["failure"]) == ("mends", "The answer has none of the right words.")
    assert (found["same"], found["only_before"], found["only_after"]) == (1, 1, 0)
    back = desk.get("/golden/runs/compare?before=2&after=1")
    assert ([one["id"] for one in back["broke"]], back["only_after"]) == (["mends"], 1)
    for query in ("before=1&after=9", "before=1", "before=first&after=1"):
        assert desk.send("GET", f"/golden/runs/compare?{query}").status_code in (400, 404)


def test_a_run_begins_only_where_there_is_something_to_ask(desk: Desk) -> None:
    assert desk.send("POST", "/golden/run", {}).status_code == 400
    desk.send("PUT", "/golden/nobel", NOBEL)
    assert desk.send("POST", "/golden/run", {"strategy": "guess"}).status_code == 400
    assert desk.get("/golden/runs") == {"runs": []}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/golden", TRANSFER),
        ("PUT", "/golden/transfer", TRANSFER),
        ("DELETE", "/golden/transfer", None),
        ("POST", "/golden/run", {}),
        ("POST", "/traces/t1/golden", {"page": DEADLINE.url}),
    ],
)
def test_viewers_only_read(desk: Desk, method: str, path: str, body: Json | None) -> None:
    desk.parts.records.conversations.record(exchange())
    assert desk.send(method, path, body, role="viewer").status_code == 403
    assert desk.parts.records.golden.all() == ()


@pytest.mark.parametrize(
    "body",
    [{"question": ""}, {"pages": ["the fees page"]}, {"refuse": True, "answers": ["no"]}, {"question": 5}],
)
def test_what_could_never_pass_is_a_400(desk: Desk, body: Json) -> None:
    assert desk.send("PUT", "/golden/permit", {"question": "How much?"} | body).status_code == 400
    assert desk.send("PUT", "/golden/Permit", {"question": "How much?"}).status_code == 400


def test_a_trace_becomes_a_golden_question_without_what_is_personal_in_it(desk: Desk) -> None:
    question = "I am ana@example.edu, when does add/drop end?"
    asked = exchange(question=question, topic="registrar")
    trace = replace(asked.trace, asked={"site": "library"})
    desk.parts.records.conversations.record(replace(asked, trace=trace))
    assert desk.get("/traces/t1/golden") == {
        "golden": [],
        "question": "I am [e-mail 1], when does add/drop end?",
    }
    made = desk.send("POST", "/traces/t1/golden", {"page": DEADLINE.url}).json()
    assert made == {
        "id": "i-am-e-mail-1-when-does-add-drop-end", "site": "library", "topic": "registrar",
        "question": "I am [e-mail 1], when does add/drop end?", "pages": [DEADLINE.url], "answers": [],
        "refuse": False, "from_trace": "t1", "record": None, "known_gap": "",
        "source": "",
    }  # fmt: skip
    assert desk.send("POST", "/traces/t1/golden", {"pages": [DEADLINE.url]}).json() == made
    assert desk.get("/traces/t1/golden")["golden"] == [made]
    changes = str(desk.parts.records.audit.changes(limit=9, kind="golden"))
    assert "ana@" not in changes
    assert "the editor" in changes


def test_a_follow_up_is_kept_as_it_was_understood(desk: Desk) -> None:
    asked = exchange(question="and by when?")
    parts = [{"relation": "follow_up", "question": "By when can I drop a course?"}]
    steps = (*(TraceStep("contextualize", 1.0, notes=part) for part in parts), *asked.trace.steps)
    desk.parts.records.conversations.record(replace(asked, trace=replace(asked.trace, steps=steps)))
    made = desk.send("POST", "/traces/t1/golden", {"refuse": True}).json()
    assert (made["question"], made["refuse"]) == ("By when can I drop a course?", True)


@pytest.mark.parametrize(("body", "status"), [({}, 400), ({"page": "the fees page"}, 400)])
def test_a_trace_needs_its_right_answer(desk: Desk, body: Json, status: int) -> None:
    desk.parts.records.conversations.record(exchange())
    assert desk.send("POST", "/traces/t1/golden", body).status_code == status
    assert desk.send("POST", "/traces/none/golden", {"refuse": True}).status_code == 404
    assert desk.parts.records.golden.all() == ()


def test_where_it_comes_from_goes_into_a_questions_file_and_back(desk: Desk, tmp_path: Path) -> None:
    desk.send("PUT", "/golden/transfer", TRANSFER | {"source": "visitors"})
    desk.send("PUT", "/golden/nobel", NOBEL)
    assert [one["source"] for one in desk.get("/golden")["golden"]] == ["", "visitors"]
    assert desk.send("PUT", "/golden/nobel", NOBEL | {"source": "hearsay"}).status_code == 400
    file = tmp_path / "golden.jsonl"
    file.write_bytes(desk.send("GET", "/golden/export", role="viewer").content)
    questions = read_questions(file, lambda line, why: pytest.fail(f"{line}: {why}"))
    kept = golden_questions(questions, file, "main", pytest.fail)
    assert {one.id: one.source for one in kept} == {"nobel": "", "transfer": "visitors"}


def test_the_export_is_a_questions_file(desk: Desk, tmp_path: Path) -> None:
    desk.send("PUT", "/golden/transfer", TRANSFER | {"topic": "admissions"})
    desk.send("PUT", "/golden/nobel", NOBEL)
    file = tmp_path / "golden.jsonl"
    exported = desk.send("GET", "/golden/export?site=main", role="viewer")
    assert "golden_questions.jsonl" in exported.headers["content-disposition"]
    file.write_bytes(exported.content)
    nobel, transfer = read_questions(file, lambda line, why: pytest.fail(f"{line}: {why}"))
    assert (nobel.id, nobel.answerable, nobel.gold_urls) == ("nobel", False, ())
    assert (transfer.gold_urls, transfer.answers) == ((CITATIONS[0].url,), ("March 1",))
    assert (transfer.topic, transfer.answerable) == ("admissions", True)
