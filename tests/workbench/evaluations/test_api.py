"""What `lodge eval` has kept, over the admin API."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from litestar.testing import TestClient

from server.evaluate.runs import RunStore
from tests.evaluate.kept_runs import small_run
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app

API = "/admin/api/v1/evaluations"
Client = TestClient[Any]


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[Client]:
    """With a viewer's token, and two kept runs: in the second, each strategy is the other."""
    shelf = RunStore(parts.evaluations.folder)
    one = small_run("monday", ["best", "worst"])
    best, worst = one.evaluation.strategies
    swapped = (replace(worst, strategy="best"), replace(best, strategy="worst"))
    shelf.save(one)
    shelf.save(replace(one, name="tuesday", evaluation=replace(one.evaluation, strategies=swapped)))
    os.utime(shelf.folder / "monday", (1, 1))
    token = parts.records.tokens.create("reader", "viewer", 1)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def test_the_list_has_the_newest_first_with_each_strategys_metrics(client: Client) -> None:
    [latest, first] = client.get(API).json()["evaluations"]
    assert (latest["name"], first["name"]) == ("tuesday", "monday")
    assert first["strategies"] == ["best", "worst"]
    assert latest["metrics"]["worst"] == first["metrics"]["best"]
    assert first["metrics"]["best"]["mrr"] == 1.0
    assert len(client.get(f"{API}?limit=1").json()["evaluations"]) == 1


def test_one_run_is_what_was_printed_with_its_circumstances(client: Client) -> None:
    run = client.get(f"{API}/monday").json()
    assert run["questions"] == 10
    assert set(run["strategies"][0]["metrics"]["mrr"]) == {"value", "low", "high"}
    assert "settings" not in run["made_with"]
    assert run["made_with"]["questions_file"]
    assert client.get(f"{API}/sunday").status_code == 404


def test_two_runs_are_compared_as_the_bench_does_it(client: Client) -> None:
    found = client.get(f"{API}/compare", params={"before": "monday", "after": "tuesday"}).json()
    assert found["questions"] == {"shared": 10, "only_a": 0, "only_b": 0}
    [mrr] = [one for one in found["comparisons"]["best"] if one["metric"] == "mrr"]
    assert mrr["verdict"] == "worse"
    assert mrr["low"] <= mrr["delta"] <= mrr["high"] < 0
    values = found["metrics"]["best"]
    assert values["b"]["mrr"]["value"] - values["a"]["mrr"]["value"] == mrr["delta"]
    worse = [one for one in found["changes"] if (one["strategy"], one["direction"]) == ("best", "worse")]
    assert len(worse) == 8
    assert {one["a"]["verdict"] for one in worse} == {"right"}
    again = client.get(f"{API}/compare", params={"before": "mon", "after": "latest"})
    assert again.json() == found


@pytest.mark.parametrize(("after", "status"), [("sunday", 404), ("", 404), (None, 400)])
def test_what_is_not_there_is_one_clear_error(client: Client, after: str | None, status: int) -> None:
    params = {"before": "monday"} if after is None else {"before": "monday", "after": after}
    response = client.get(f"{API}/compare", params=params)
    assert response.status_code in (status, 400)
    assert len(response.json()["error"]["message"]) > 10
