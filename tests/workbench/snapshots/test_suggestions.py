"""Suggested questions asked when a snapshot goes live, over the small college's two snapshots."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from litestar.testing import TestClient

from server.app import create_app
from server.cli import main
from server.models.curation import RuleSet
from server.settings import Settings
from server.wiring import serving as answering
from server.wiring.publishing import command_publisher
from server.wiring.snapshot_store import shelf
from server.workbench.records import Records, open_records
from tests.small_site import SITE

LIBRARY, TUITION = "When is the library open?", "How much is tuition for residents?"
SITES = f"""
[sites.main]
name = "Brackwater"
languages = ["en"]
questions = ["{LIBRARY}", {{ es = "¿Quién?" }}]
[sites.main.topics.costs]
title = "Costs"
questions = [{{ en = "{TUITION}" }}]
"""


@pytest.fixture
def settings(own_snapshots: Settings) -> Settings:
    (own_snapshots.home / "sites.toml").write_text(SITES, encoding="utf-8")
    return own_snapshots


@pytest.fixture
def records(settings: Settings) -> Iterator[Records]:
    store = open_records(settings.records_database_url)
    yield store
    store.close()


@pytest.fixture
def lodge(settings: Settings) -> Callable[..., Result]:
    environ = settings.as_environ()
    return lambda *arguments: CliRunner().invoke(main, list(arguments), env=environ)


def ask_over_live(settings: Settings) -> list[dict[str, str]]:
    with command_publisher(settings, print) as publisher:
        return publisher.ask_suggestions()


def test_what_is_wrong_over_the_new_snapshot_is_named_withheld_and_right_again_after_going_back(
    settings: Settings, records: Records, lodge: Callable[..., Result]
) -> None:
    first, second = shelf(settings).names()
    assert ask_over_live(settings) == []
    kept = {(one.lang, one.question): one.page for one in records.suggestions.all("main")}
    assert kept == {("", LIBRARY): SITE + "/library", ("en", TUITION): SITE + "/tuition"}
    published = lodge("publish", second, "--json")
    [withheld] = json.loads(published.stdout)["withheld"]
    assert (withheld["site"], withheld["lang"], withheld["question"]) == ("main", "en", TUITION)
    [line] = [line for line in published.stderr.splitlines() if "is not shown" in line]
    assert f"'{TUITION}' (main)" in line
    assert withheld["failure"] in line
    assert records.suggestions.withheld() == {"main": frozenset({TUITION})}
    assert records.search.conversations(limit=9) == [], "nobody has asked"
    back = lodge("rollback", first)
    assert back.stdout == f"{first} is live.\n"
    assert "is not shown" not in back.stderr
    assert records.suggestions.withheld() == {}


def test_what_editors_suggest_is_asked_in_place_of_the_tables_own(
    settings: Settings, records: Records
) -> None:
    records.rulebooks.put_draft(RuleSet("main", suggestions=("When are boats lent?",)))
    records.rulebooks.publish("main")
    [withheld] = [one for one in ask_over_live(settings) if one["question"] != TUITION]
    assert (withheld["question"], withheld["failure"]) == ("When are boats lent?", "It is not answered.")
    assert LIBRARY not in {one.question for one in records.suggestions.all()}


def test_a_question_too_long_for_its_site_is_withheld(settings: Settings, records: Records) -> None:
    limit = SITES.replace(
        'name = "Brackwater"', f'name = "Brackwater"\nlimits.max_question_chars = {len(LIBRARY)}'
    )
    (settings.home / "sites.toml").write_text(limit, encoding="utf-8")
    assert [one["question"] for one in ask_over_live(settings)] == [TUITION]


def test_where_they_cannot_be_asked_the_snapshot_is_live_and_what_was_known_holds(
    settings: Settings, records: Records
) -> None:
    _, second = shelf(settings).names()
    ask_over_live(settings)
    known, warnings = records.suggestions.all(), list[str]()
    with command_publisher(replace(settings, reranker="missing"), warnings.append) as publisher:
        assert publisher.publish(second).withheld == []
    assert shelf(settings).current_name == second
    assert [line.partition(":")[0] for line in warnings] == ["The suggested questions could not be asked"]
    assert records.suggestions.all() == known


def test_visitors_are_not_shown_it_until_it_is_right(settings: Settings, records: Records) -> None:
    """Published and gone back from as the console does it; the chat page looks again after a while."""
    ask_over_live(settings)
    serving = answering.build_serving(settings)
    _, second = serving.snapshots.shelf.names()
    with TestClient(create_app(settings, serving)) as client:
        assert is_shown(client)
        job = serving.snapshots.publish(second, None, by="ada")
        while is_shown(client):
            time.sleep(0.05)
        assert "<summary>Costs</summary>" not in client.get("/chat").text
        assert [one["question"] for one in serving.jobs.get(job.id).result["withheld"]] == [TUITION]
        assert serving.snapshots.roll_back(None, by="ada")["withheld"] == []
        while not is_shown(client):
            time.sleep(0.05)


def is_shown(client: TestClient[Any]) -> bool:
    page = client.get("/chat").text
    assert f'value="{LIBRARY}"' in page
    return f'value="{TUITION}"' in page
