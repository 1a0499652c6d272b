"""`/metrics`: what it counts, who may read it, and that its names are those of dashboard, rules and page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from litestar.testing import TestClient
from prometheus_client.parser import text_string_to_metric_families

from server.app import WebOptions
from server.http.limits import LimitOptions
from server.http.metrics import _door
from tests.scripted_app import ScriptedParts, serving, web_app

KEY = {"Authorization": "Bearer scrape-me"}


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[TestClient[Any]]:
    options = WebOptions(limits=LimitOptions(site="6/minute", trusted_hops=1), metrics_token="scrape-me")
    with TestClient(web_app(options, parts), raise_server_exceptions=False) as client:
        yield client


def samples(client: TestClient[Any]) -> dict[tuple[str, ...], float]:
    """`(name, label's value, …)`, labels by the alphabet → value; without the buckets of histograms."""
    text = client.get("/metrics", headers=KEY).text
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith(("_bucket", "_created"))
    }


def test_every_outcome_of_a_question_is_counted(client: TestClient[Any]) -> None:
    for question in ("When?", "nobel", "simpler", "unready", "break", "explode", "one too many"):
        client.post("/api/ask", json={"question": question})
    seen = samples(client)
    assert seen["lodge_questions_total", "extractive", "no", "no", "main", "answer"] == 1
    assert seen["lodge_questions_total", "extractive", "no", "no_evidence", "main", "refusal"] == 1
    assert seen["lodge_questions_total", "extractive", "yes", "no", "main", "answer"] == 1
    assert seen["lodge_llm_trouble_total", "llm_down"] == 1
    assert seen["lodge_questions_failed_total", "not_ready"] == 2
    assert seen["lodge_questions_failed_total", "internal"] == 1
    assert seen["lodge_questions_failed_total", "too_many"] == 1
    assert seen["lodge_responses_total", "api", "429"] == 1
    assert seen["lodge_responses_total", "api", "503"] == 2
    assert seen["lodge_answer_seconds_count", "main"] == 3
    assert seen["lodge_step_seconds_count", "retrieve"] == 3
    assert seen["lodge_step_seconds_sum", "retrieve"] == pytest.approx(0.0045)


def test_the_state_is_looked_at_when_it_is_asked_for(client: TestClient[Any], parts: ScriptedParts) -> None:
    before = samples(client)
    assert before["lodge_ready",] == 1
    assert before["lodge_llm_resting",] == 0
    assert before["lodge_snapshot_chunks",] == 340
    assert before["lodge_snapshot_age_seconds",] > 0
    assert (before["lodge_workers",], before["lodge_workers_busy",], before["lodge_queue_depth",]) == (
        WebOptions().answer_workers,
        0,
        0,
    )
    parts.readiness.sentences = ["No snapshot has been published."]
    parts.readiness.figures = replace(parts.readiness.figures, llm_resting=True)
    after = samples(client)
    assert (after["lodge_ready",], after["lodge_llm_resting",]) == (0, 1)


def test_no_label_takes_what_a_caller_makes_up(client: TestClient[Any]) -> None:
    client.post("/api/ask", json={"question": "When?", "site": "marker-site", "strategy": "marker"})
    client.get("/marker/marker", headers={"X-Forwarded-For": "marker"})
    client.post("/chat?site=marker", data={"question": "marker", "conversation_id": "marker" * 4})
    assert "marker" not in client.get("/metrics", headers=KEY).text


@pytest.mark.parametrize("hops", [0, 1])
@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        ("scrape-me", {}, 401),
        ("scrape-me", {"X-Forwarded-For": "127.0.0.1"}, 401),
        ("scrape-me", {"Authorization": "Bearer scrape"}, 401),
        ("scrape-me", {"Authorization": "Bearer "}, 401),
        ("scrape-me", KEY, 200),
        ("", {}, 401),
        ("", {"Authorization": "Bearer "}, 401),
        ("", KEY, 401),
    ],
)
def test_it_is_for_who_has_the_token(
    parts: ScriptedParts, hops: int, token: str, headers: dict[str, str], status: int
) -> None:
    options = WebOptions(limits=LimitOptions(trusted_hops=hops), metrics_token=token)
    with TestClient(web_app(options, parts)) as client:
        answer = client.get("/metrics", headers=headers)
    assert answer.status_code == status
    if status == 401:
        assert (answer.json()["error"]["code"], answer.headers["www-authenticate"]) == ("no_token", "Bearer")


def test_this_machine_itself_needs_the_token_too(parts: ScriptedParts) -> None:
    """A proxy on it that nobody told us of, and that adds no header, passes on calls of anybody."""
    with serving(web_app(WebOptions(metrics_token="scrape-me"), parts)) as server:
        told = [httpx.get(f"{server}/metrics", headers=headers).status_code for headers in ({}, KEY)]
    assert told == [401, 200]


def test_who_guesses_is_shut_out_and_the_admin_api_stays_open(parts: ScriptedParts) -> None:
    options = WebOptions(limits=LimitOptions(guesses="2/minute"), metrics_token="scrape-me")
    wrong = {"Authorization": "Bearer wrong"}
    with TestClient(web_app(options, parts)) as client:
        told = [client.get("/metrics", headers=headers) for headers in ({}, {}, {}, wrong, wrong, wrong, KEY)]
        assert [answer.status_code for answer in told] == [401] * 5 + [429, 429]
        assert (told[-1].json()["error"]["code"], int(told[-1].headers["retry-after"]) > 0) == (
            "too_many",
            True,
        )
        admin = {"Authorization": f"Bearer {parts.records.tokens.create('ana', 'viewer', 1)}"}
        assert client.get("/admin/api/v1/me", headers=admin).status_code == 200


def test_an_address_without_a_slash_is_counted_like_any_other(client: TestClient[Any]) -> None:
    """`OPTIONS *`, and what speaks HTTP/2 to us."""
    assert _door("*") == _door("") == "other"
    assert _door("/api/ask") == "api"
