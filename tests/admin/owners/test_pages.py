"""Owners and notifications in the console, driven without a browser against a real admin API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

import pytest

from server.models.notifications import Notification
from server.wiring.notifying import build_notifications
from server.workbench.access.auth import Role
from server.workbench.owners.service import OwnerService
from server.workbench.records import open_records
from tests.admin.conftest import Office, running
from tests.admin.test_console import console, shown
from tests.scripted_app import ScriptedCoverage, ScriptedGaps
from tests.small_site import settings_for
from tests.storage.exchanges import as_typed, exchange
from tests.workbench.notifications.receivers import Hook, web_server

POOL = "When is the pool open?"


def upkeep(_now: datetime) -> list[Notification]:
    return [Notification("p", "upkeep", "An old page", ("Fees", "https://x.example/fees"), subject="sport")]


@pytest.fixture(scope="module")
def hook() -> Iterator[Hook]:
    with web_server() as opened:
        yield opened


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, hook: Hook) -> Iterator[Office]:
    """An editor's, over records with one missing answer; webhooks to this machine are allowed."""
    folder = tmp_path_factory.mktemp("owners")
    store = open_records(f"sqlite:///{folder / 'records.sqlite'}")
    store.conversations.record(as_typed(exchange(question=POOL, refused=True, topic="sport")))
    gaps = ScriptedGaps(store)
    gaps.work_off()
    settings = replace(settings_for(folder), webhook_private_hosts="127.0.0.1")
    telling = build_notifications(settings, store, ScriptedCoverage(store))
    with running(
        store, "editor", notifications=telling, owners=OwnerService(store, upkeep), gaps=gaps
    ) as opened:
        yield opened
    store.close()


@pytest.fixture(autouse=True)
def signed_in(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_API_URL", office.url)
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)


def as_another(office: Office, monkeypatch: pytest.MonkeyPatch, name: str, role: Role) -> None:
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.store.tokens.create(name, role, 1))


def test_an_editor_says_who_looks_after_a_topic_and_the_owner_sees_that_alone(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = console("owners")
    app.text_input[0].set_value("sport")
    app.text_input[1].set_value("Recreation")
    app.text_input[2].set_value("rec@example.edu")
    next(one for one in app.button if one.label == "Keep it").click().run()
    assert not app.exception
    assert "Recreation" in shown(app)
    as_another(office, monkeypatch, "Recreation", "owner")
    app = console(None)
    assert not app.exception
    page = shown(app)
    assert "What waits for Recreation" in page
    assert r"When is the pool open\?" in page
    assert "An old page" in page
    assert "Signed in as owner" in page
    assert app.get("page_link") == []


def test_an_editor_is_told_at_a_url_tries_it_and_ends_it(office: Office, hook: Hook) -> None:
    app = console("notifications")
    assert "You are told of nothing yet." in shown(app)
    app.text_input[0].set_value(hook.url)
    app.checkbox(key="t-upkeep").uncheck()
    next(one for one in app.button if one.label == "Tell me").click().run()
    assert not app.exception
    [secret] = app.code
    assert secret.value.startswith("whsec_")
    assert "secret-path" not in shown(app)
    next(one for one in app.button if one.label == "Send a test").click().run()
    assert [one.value for one in app.success] == ["It arrived."]
    assert len(hook.posts) == 1
    next(one for one in app.button if one.label == "Tell me no more").click().run()
    assert "You are told of nothing yet." in shown(app)
    assert office.store.subscriptions.all() == []


def test_a_viewer_is_told_before_the_click_what_cannot_be_chosen(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_another(office, monkeypatch, "another reader", "viewer")
    app = console("notifications")
    assert "to be told at a URL takes an editor" in shown(app)
    assert next(one for one in app.button if one.label == "Tell me").disabled
    app = console("owners")
    assert "To change this takes an editor." in shown(app)
    assert [one.label for one in app.button] == []
