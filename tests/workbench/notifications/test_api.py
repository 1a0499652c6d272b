"""Each person chooses what to be told of; a URL takes an editor, and its secret is shown once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from litestar.testing import TestClient

from server.wiring.notifying import build_notifications
from tests.http.conftest import OPTIONS
from tests.scripted_app import ScriptedParts, web_app
from tests.small_site import settings_for
from tests.workbench.notifications.receivers import Hook, web_server

API = "/admin/api/v1"
ALL = ["gaps", "golden"]


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as running:
        yield running


@pytest.fixture
def client(parts: ScriptedParts, hook: Hook, tmp_path: Any) -> Iterator[TestClient[Any]]:
    settings = replace(
        settings_for(tmp_path), webhook_private_hosts="127.0.0.1", smtp_host="mail.x", mail_from="l@x.edu"
    )
    notifications = build_notifications(settings, parts.records, parts.coverage)
    parts.notifications = cast("Any", notifications)
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield client


def let_in(client: TestClient[Any], parts: ScriptedParts, role: str) -> None:
    client.headers["Authorization"] = f"Bearer {parts.records.tokens.create(f'the {role}', role, 1)}"


def test_a_url_is_shown_without_its_path_and_its_secret_once(
    client: TestClient[Any], parts: ScriptedParts, hook: Hook
) -> None:
    let_in(client, parts, "editor")
    body = {"channel": "url", "target": hook.url, "topics": ALL, "cadence": "at_once"}
    made = client.post(f"{API}/subscriptions", json=body).json()
    assert made["secret"].startswith("whsec_")
    [told] = client.post(f"{API}/subscriptions/{made['id']}/test", json={}).json()["deliveries"]
    assert (told["state"], told["subject"]) == ("sent", "A test from Lodge")
    page = client.get(f"{API}/subscriptions")
    assert page.json()["subscriptions"] == [made | {"secret": ""}]
    log = client.get(f"{API}/audit", headers=_developer(parts))
    for text in (page.text, log.text):
        assert "secret-path" not in text
        assert made["secret"] not in text
    assert client.delete(f"{API}/subscriptions/{made['id']}").status_code == 204
    assert client.get(f"{API}/subscriptions").json()["subscriptions"] == []
    kinds = [one["kind"] for one in client.get(f"{API}/audit", headers=_developer(parts)).json()["changes"]]
    assert kinds.count("subscription") == 2


def test_a_viewer_has_mail_and_no_urls_and_nobody_sees_anothers(
    client: TestClient[Any], parts: ScriptedParts, hook: Hook
) -> None:
    let_in(client, parts, "viewer")
    mail = {"channel": "mail", "target": "ada@example.edu", "topics": ALL}
    made = client.post(f"{API}/subscriptions", json=mail).json()
    assert (
        client.post(f"{API}/subscriptions", json=mail | {"channel": "url", "target": hook.url}).status_code
        == 403
    )
    assert client.get(f"{API}/deliveries").status_code == 403
    let_in(client, parts, "editor")
    assert client.get(f"{API}/subscriptions").json()["subscriptions"] == []
    assert client.delete(f"{API}/subscriptions/{made['id']}").status_code == 404
    assert client.post(f"{API}/subscriptions/{made['id']}/test", json={}).status_code == 404
    assert client.get(f"{API}/deliveries", headers=_developer(parts)).json() == {"deliveries": []}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"target": "ada@example.edu, eve@example.edu"}, "no mail address"),
        ({"target": "ada@example.edu\nBcc: eve@example.edu"}, "no mail address"),
        ({"topics": []}, "topics"),
        ({"channel": "url", "target": "https://169.254.169.254/"}, "private network"),
        ({"channel": "url", "target": "javascript:alert(1)"}, "no http or https"),
    ],
)
def test_what_cannot_be_sent_to_is_refused(
    client: TestClient[Any], parts: ScriptedParts, wrong: dict[str, Any], told: str
) -> None:
    let_in(client, parts, "editor")
    body = {"channel": "mail", "target": "ada@example.edu", "topics": ALL} | wrong
    response = client.post(f"{API}/subscriptions", json=body)
    assert response.status_code == 400
    assert told in response.json()["error"]["message"]


def _developer(parts: ScriptedParts) -> dict[str, str]:
    known = {one.name for one in parts.records.tokens.all()}
    name = f"dev {len(known)}"
    return {"Authorization": f"Bearer {parts.records.tokens.create(name, 'developer', 1)}"}
