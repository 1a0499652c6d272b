from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.http.errors import problem_handlers
from server.sites.site import SiteDefaults
from server.sites.table import SiteStore
from server.workbench.records import open_records
from server.workbench.router import admin_router
from tests.scripted_app import CONTACT_URL, site_table
from tests.storage.empty import put_empty_store

PATH = "/admin/api/v1/sites"


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[tuple[TestClient[Litestar], dict[str, Any]]]:
    """A client, and a header that opens the API."""
    store = open_records(put_empty_store(tmp_path))
    token = store.tokens.create("reader", "viewer", 1)
    with TestClient(Litestar([admin_router(store, site_table())], openapi_config=None)) as client:
        yield client, {"Authorization": f"Bearer {token}"}
    store.close()


def test_the_table_of_sites_is_told_with_the_default_site_first(
    asking: tuple[TestClient[Litestar], dict[str, Any]],
) -> None:
    client, headers = asking
    sites = client.get(PATH, headers=headers).json()["sites"]
    assert [site["key"] for site in sites] == ["main", "library"]
    assert sites[0] == {
        "key": "main",
        "name": "Larkmoor University",
        "origins": ["https://www.larkmoor.example"],
        "languages": [],
        "content_language": "en",
        "contact_url": CONTACT_URL,
        "strategy": "",
        "max_question_chars": 200,
        "topics": ["admissions"],
        "position": "right",
    }


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[tuple[TestClient[Litestar], dict[str, dict[str, str]]]]:
    """A client over a real table, and a header for each role."""
    store = open_records(put_empty_store(tmp_path))
    roles = {
        role: {"Authorization": f"Bearer {store.tokens.create(role, role, 1)}"}
        for role in ("editor", "developer")
    }
    sites = SiteStore(None, tmp_path, SiteDefaults("Larkmoor University"))
    handlers = problem_handlers()
    app = Litestar([admin_router(store, sites)], openapi_config=None, exception_handlers=handlers)
    with TestClient(app) as client:
        yield client, roles
    store.close()


def test_a_developer_writes_reads_and_removes_a_site(
    writing: tuple[TestClient[Litestar], dict[str, dict[str, str]]],
) -> None:
    client, roles = writing
    entry = {"name": "Library", "origins": ["https://library.example.edu"], "theme": {"colour": "#17626b"}}
    url, headers = f"{PATH}/library", roles["developer"]
    assert client.put(url, json=entry, headers=headers).json() == entry
    assert client.get(url, headers=headers).json() == entry
    assert [site["key"] for site in client.get(PATH, headers=headers).json()["sites"]] == ["main", "library"]
    assert client.delete(url, headers=headers).status_code == 204
    assert [site["key"] for site in client.get(PATH, headers=headers).json()["sites"]] == ["main"]


def test_an_editor_changes_no_site(
    writing: tuple[TestClient[Litestar], dict[str, dict[str, str]]],
) -> None:
    client, roles = writing
    assert client.put(f"{PATH}/library", json={"name": "L"}, headers=roles["editor"]).status_code == 403
    assert client.delete(f"{PATH}/main", headers=roles["editor"]).status_code == 403


def test_what_is_wrong_with_an_entry_is_told(
    writing: tuple[TestClient[Litestar], dict[str, dict[str, str]]],
) -> None:
    client, roles = writing
    entry = {"theme": {"colour": "#eeeeee"}}
    response = client.put(f"{PATH}/library", json=entry, headers=roles["developer"])
    assert response.status_code == 400
    assert "contrast" in response.json()["error"]["message"]


def test_a_change_to_the_table_is_in_the_audit_log_and_one_that_fails_is_not(
    writing: tuple[TestClient[Litestar], dict[str, dict[str, str]]],
) -> None:
    client, roles = writing
    url, headers = f"{PATH}/library", roles["developer"]
    client.put(url, json={"name": "Library"}, headers=headers)
    client.put(url, json={"theme": {"colour": "#eeeeee"}}, headers=headers)
    client.delete(f"{PATH}/nowhere", headers=headers)
    client.delete(url, headers=headers)
    removed, made = client.get(f"{PATH.replace('sites', 'audit')}?kind=site", headers=headers).json()[
        "changes"
    ]
    assert (made["who"], made["id"], made["before"], made["after"]) == (
        "developer", "library", None, {"name": "Library"}
    )  # fmt: skip
    assert (removed["before"], removed["after"]) == ({"name": "Library"}, None)
