from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import WebOptions
from tests.scripted_app import ScriptedParts, web_app

OPTIONS = WebOptions(max_body_bytes=4_096, answer_workers=2)


@pytest.fixture
def parts(tmp_path: Path) -> ScriptedParts:
    return ScriptedParts(tmp_path)


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[TestClient[Any]]:
    with TestClient(web_app(OPTIONS, parts), raise_server_exceptions=False) as client:
        yield client
