from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from litestar.testing import TestClient

from server.app import create_app, web_options
from server.settings import Settings
from tests.web.scripted import ScriptedParts


def test_serves_with_default_settings_and_closes_its_parts_at_the_end(tmp_path: Path) -> None:
    parts = ScriptedParts(tmp_path)
    with TestClient(create_app(Settings(), parts)) as client:
        assert client.get("/healthz").status_code == 200
        assert not parts.closed
    assert parts.closed


def test_the_settings_reach_the_web_layer() -> None:
    options = web_options(replace(Settings(), max_body_bytes=5, answer_workers=2))
    assert (options.max_body_bytes, options.answer_workers) == (5, 2)
