"""A sample of answers is judged by hand, and what share was right so far is told for each outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from litestar.testing import TestClient

from server.models import ALL_TURNS, TurnFilter
from server.workbench.records import Records
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import as_typed, exchange

API = "/admin/api/v1"
PERSONAL = "I am ana@example.edu, when does add/drop end?"


def fill(store: Records) -> None:
    """Three answered, one that seems to answer, one refused, one helped, a day each."""
    kinds: list[dict[str, Any]] = [{}, {}, {"question": PERSONAL}, {"tier": "seems"}, {"refused": True}]
    for number, kind in enumerate([*kinds, {"answerer": "help"}], 1):
        at = f"2026-03-0{number}T12:00:00+00:00"
        store.conversations.record(as_typed(exchange(number, conversation=f"c{number}", asked_at=at, **kind)))


def shares(store: Records, wanted: TurnFilter = ALL_TURNS) -> dict[str, tuple[int, int]]:
    return {one.outcome: (one.judged, one.right) for one in store.judgements.shares(wanted)}


def test_a_sample_is_of_one_outcome_and_of_what_nobody_has_judged(store: Records) -> None:
    fill(store)

    def drawn(outcome: Any, wanted: TurnFilter = ALL_TURNS) -> set[str]:
        return {one.message_id for one in store.judgements.sample(wanted, outcome, 10)}

    assert drawn("confident") == {"m1", "m2", "m3"}
    assert drawn("seems") == {"m4"}
    assert drawn("refused") == {"m5"}
    assert drawn("confident", TurnFilter(since="2026-03-02")) == {"m2", "m3"}
    store.judgements.judge("m2", right=True)
    assert drawn("confident") == {"m1", "m3"}
    assert len(store.judgements.sample(ALL_TURNS, "confident", 1)) == 1


def test_every_answer_is_drawn_sooner_or_later(store: Records) -> None:
    fill(store)
    draws = (store.judgements.sample(ALL_TURNS, "confident", 1)[0].message_id for _ in range(80))
    assert set(draws) == {"m1", "m2", "m3"}


def test_shares_follow_the_last_word_on_each_answer(store: Records) -> None:
    fill(store)
    assert shares(store) == {"confident": (0, 0), "seems": (0, 0), "refused": (0, 0)}
    for message_id, right in (("m1", True), ("m2", True), ("m2", False), ("m5", True)):
        store.judgements.judge(message_id, right=right, by="ana")
    assert shares(store) == {"confident": (2, 1), "seems": (0, 0), "refused": (1, 1)}
    assert shares(store, TurnFilter(until="2026-03-01"))["confident"] == (1, 1)
    changed = store.audit.changes(limit=9, kind="judgement")
    assert [(one.id, one.before, one.after) for one in changed][1] == (
        "m2",
        {"right": True},
        {"right": False},
    )


def test_a_judgement_goes_with_its_answer(store: Records) -> None:
    fill(store)
    store.judgements.judge("m1", right=True)
    store.retention.erase("c1")
    assert shares(store)["confident"] == (0, 0)


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[TestClient[Any]]:
    fill(parts.records)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield client


def test_viewers_look_editors_judge_and_nobody_reads_what_is_personal(
    client: TestClient[Any], parts: ScriptedParts
) -> None:
    tokens = {role: parts.records.tokens.create(role, role, 1) for role in ("viewer", "editor")}
    client.headers["Authorization"] = f"Bearer {tokens['viewer']}"
    page = client.get(f"{API}/judgements?since=2026-03-03&limit=9")
    [one] = page.json()["sample"]
    assert one["asked"] == "I am [e-mail 1], when does add/drop end?"
    assert "ana@example.edu" not in page.text
    judge = f"{API}/judgements/m3"
    assert client.put(judge, json={"right": True}).status_code == 403
    client.headers["Authorization"] = f"Bearer {tokens['editor']}"
    assert client.put(judge, json={"right": True}).status_code == 200
    assert client.put(f"{API}/judgements/nowhere", json={"right": True}).status_code == 404
    found = client.get(f"{API}/judgements?limit=0").json()
    assert found["sample"] == []
    assert found["shares"][0] == {"outcome": "confident", "judged": 1, "right": 1}
    assert client.get(f"{API}/overview").json()["help_lines"] == 1
