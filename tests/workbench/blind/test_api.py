"""Head to head by hand, over the admin API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from litestar.testing import TestClient

from server.evaluate.runs import RunStore
from tests.evaluate.kept_runs import run_of_two_voices
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app

API = "/admin/api/v1/head-to-head"
SIDES = {"a": "monday", "a_strategy": "best", "b": "monday", "b_strategy": "worst"}
Client = TestClient[Any]


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    """With one kept run of two strategies, which put almost every answer otherwise."""
    RunStore(parts.evaluations.folder).save(run_of_two_voices())
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield client


def caller(parts: ScriptedParts, name: str, role: str = "editor") -> dict[str, str]:
    return {"Authorization": f"Bearer {parts.records.tokens.create(name, role, 1)}"}


def next_pair(client: Client, headers: Mapping[str, str], **also: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{API}/next", params={**SIDES, **also}, headers=headers).json()
    return found


def prefer(client: Client, headers: Mapping[str, str], question: str, choice: str) -> int:
    return client.put(f"{API}/{question}", json={**SIDES, "choice": choice}, headers=headers).status_code


def answers(client: Client, parts: ScriptedParts) -> dict[str, tuple[str, str]]:
    """What either strategy answered, by question."""
    best, worst = RunStore(parts.evaluations.folder).load("monday").evaluation.strategies
    return {
        one.question.id: (one.answer, other.answer)
        for one, other in zip(best.outcomes, worst.outcomes, strict=True)
    }


def test_each_pair_comes_once_and_says_nothing_of_whose_it_is(client: Client, parts: ScriptedParts) -> None:
    own = caller(parts, "ada")
    seen: list[str] = []
    while (found := next_pair(client, own))["pair"]:
        pair = found["pair"]
        assert "best" not in str(pair)
        assert found["judged"] == len(seen)
        assert {pair["first"], pair["second"]} == set(answers(client, parts)[pair["question_id"]])
        seen.append(pair["question_id"])
        assert prefer(client, own, pair["question_id"], "first") == 200
    assert len(seen) == len(set(seen)) == found["pairs"] == 8
    assert found["same"] == 1
    assert found["pairs"] + found["refused"] + found["same"] == 10


def test_an_answer_wins_wherever_it_stands(client: Client, parts: ScriptedParts) -> None:
    known, places = answers(client, parts), set()
    for name in ("ada", "ben"):
        own = caller(parts, name)
        while pair := next_pair(client, own)["pair"]:
            is_first = pair["first"] == known[pair["question_id"]][0]
            places.add(is_first)
            prefer(client, own, pair["question_id"], "first" if is_first else "second")
    assert places == {True, False}
    found = client.get(API, params=SIDES, headers=caller(parts, "reader", "viewer")).json()
    assert found["shares"]["a_wins"]["value"] + found["shares"]["neither"]["value"] == 1
    assert found["shares"]["b_wins"]["value"] == 0
    assert found["people"] == {"ada": 8, "ben": 8}
    assert found["cohen"] == [{"people": ["ada", "ben"], "n": 8, "kappa": 1.0}]
    assert found["fleiss"] is None


def test_three_people_have_a_majority_and_fleiss_kappa(client: Client, parts: ScriptedParts) -> None:
    known = answers(client, parts)
    question = next_pair(client, caller(parts, "zoe"))["pair"]["question_id"]
    for name, wanted in (("ada", 0), ("ben", 0), ("cleo", 1)):
        own = caller(parts, name)
        pair = next_pair(client, own, question=question)["pair"]
        choice = "first" if pair["first"] == known[question][wanted] else "second"
        prefer(client, own, question, choice)
        assert next_pair(client, own, question=question)["pair"]["chosen"] == choice
    found = client.get(API, params=SIDES, headers=caller(parts, "reader", "viewer")).json()
    assert (found["judged"], found["fleiss"]["n"]) == (1, 1)
    assert found["shares"]["a_wins"]["value"] == pytest.approx(1 / (1 + found["same"]))


def test_a_change_of_mind_is_kept_in_place_and_in_the_log(client: Client, parts: ScriptedParts) -> None:
    own = caller(parts, "ada")
    question = next_pair(client, own)["pair"]["question_id"]
    prefer(client, own, question, "first")
    prefer(client, own, question, "neither")
    found = client.get(API, params=SIDES, headers=own).json()
    assert (found["judged"], found["people"]) == (1, {"ada": 1})
    latest, first = parts.records.audit.changes(limit=2, kind="preference")
    assert latest.after == {"preferred": "neither"}
    assert latest.before == first.after


@pytest.mark.parametrize(
    "change",
    [{"a": "sunday"}, {"b_strategy": "wisest"}, {"question": "who"}],
    ids=["run", "strategy", "question"],
)
def test_what_is_not_there_is_one_clear_error(
    client: Client, parts: ScriptedParts, change: dict[str, str]
) -> None:
    response = client.get(f"{API}/next", params={**SIDES, **change}, headers=caller(parts, "ada"))
    assert response.status_code == 404
    assert len(response.json()["error"]["message"]) > 10


def test_a_viewer_does_not_judge_and_a_wrong_word_is_none(client: Client, parts: ScriptedParts) -> None:
    question = next_pair(client, caller(parts, "ada"))["pair"]["question_id"]
    assert prefer(client, caller(parts, "reader", "viewer"), question, "first") == 403
    assert prefer(client, caller(parts, "ben"), question, "best") == 400
    assert prefer(client, caller(parts, "cleo"), "who", "first") == 404
