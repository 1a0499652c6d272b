from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from server.records_db.store import open_records
from server.web.admin_api import admin_router
from tests.web.scripted import CONTACT_URL, site_table

PATH = "/admin/api/v1/sites"


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[tuple[TestClient[Litestar], dict[str, Any]]]:
    """A client, and a header that opens the API."""
    store = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    token = store.create_token("reader", "viewer", 1)
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
