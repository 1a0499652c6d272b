"""`/metrics`: what it counts, who may read it, and that its names are those of dashboard, rules and page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from litestar.testing import TestClient
from prometheus_client.parser import text_string_to_metric_families

from server.web.application import web_app
from server.web.limiting import LimitOptions
from server.web.metrics import _door
from server.web.options import WebOptions
from tests.web.scripted import ScriptedParts

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
    assert seen["lodge_questions_total", "extractive", "no", "no", "main"] == 1
    assert seen["lodge_questions_total", "extractive", "no", "no_evidence", "main"] == 1
    assert seen["lodge_questions_total", "extractive", "yes", "no", "main"] == 1
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


@pytest.mark.parametrize(
    ("hops", "headers", "status"),
    [
        (1, {}, 403),  # the test's client is no loopback address
        (1, {"X-Forwarded-For": "127.0.0.1"}, 200),
        (1, {"X-Forwarded-For": "127.0.0.1, 192.0.2.7"}, 403),
        (0, {"X-Forwarded-For": "127.0.0.1"}, 403),
        (0, KEY, 200),
        (0, {"Authorization": "Bearer scrape"}, 403),
    ],
)
def test_it_is_for_this_machine_or_for_who_has_the_token(
    parts: ScriptedParts, hops: int, headers: dict[str, str], status: int
) -> None:
    options = WebOptions(limits=LimitOptions(trusted_hops=hops), metrics_token="scrape-me")
    with TestClient(web_app(options, parts)) as client:
        assert client.get("/metrics", headers=headers).status_code == status


def test_an_address_without_a_slash_is_counted_like_any_other(client: TestClient[Any]) -> None:
    """`OPTIONS *`, and what speaks HTTP/2 to us."""
    assert _door("*") == _door("") == "other"
    assert _door("/api/ask") == "api"
