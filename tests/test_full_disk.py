"""A whole server whose records cannot be written: nothing is said to be kept that is not, and it recovers."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import create_app
from server.settings import Settings
from server.wiring.serving import build_serving
from server.workbench.records import open_records
from tests.full_disk import full_disk

QUESTION = {"question": "When is the library open?"}


def asked_until_full(client: TestClient[Any]) -> list[dict[str, Any]]:
    """The answers that were given before the first 503."""
    answers = []
    while (response := client.post("/api/ask", json=QUESTION)).status_code == 200:
        answers.append(response.json())
        assert len(answers) < 200, "the disk did not fill up"
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "storage_failed"
    assert int(response.headers["retry-after"]) > 0
    return answers


def test_a_full_disk_is_told_and_logged_and_over_when_there_is_room(
    small_home: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "records.sqlite"
    settings = replace(small_home, records_url=f"sqlite:///{path}", limit_address="", limit_conversation="")
    open_records(settings.records_database_url).close()
    with closing(sqlite3.connect(path)) as other:
        pages = other.execute("PRAGMA page_count").fetchone()[0]
    caplog.set_level(logging.INFO, "lodge.access")
    with (
        full_disk(pages + 8) as disk,
        TestClient(create_app(settings, build_serving(settings))) as client,
    ):
        answers = asked_until_full(client)
        last = [record.__dict__["fields"] for record in caplog.records if record.name == "lodge.access"][-1]
        assert last["status"] == "failed:storage_failed"
        assert last["why"] == "The records store cannot be written: the disk is full."
        ids = {name: answers[0][name] for name in ("conversation_id", "message_id")}
        assert client.get("/readyz").status_code == 200  # what is there can be read, and pages be shown
        disk.make_room()
        answers.append(client.post("/api/ask", json=QUESTION).json())
        assert client.post("/api/feedback", json={**ids, "helpful": True}).status_code == 204
    with closing(open_records(settings.records_database_url)) as store:
        assert all(store.conversations.trace(answer["trace_id"]) for answer in answers)
        assert sum(row.messages for row in store.search.conversations(limit=500)) == 2 * len(answers)
