from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from litestar.testing import TestClient

from server import settings
from server.app import web_options
from server.settings import Settings
from tests.scripted_app import ScriptedParts, web_app


def test_serves_with_default_settings_and_closes_its_parts_at_the_end(tmp_path: Path) -> None:
    parts = ScriptedParts(tmp_path)
    with TestClient(web_app(web_options(Settings()), parts)) as client:
        assert client.get("/healthz").status_code == 200
        assert not parts.closed
    assert parts.closed


def test_the_settings_reach_the_web_layer() -> None:
    options = web_options(replace(Settings(), max_body_bytes=5, answer_workers=2))
    assert (options.max_body_bytes, options.answer_workers) == (5, 2)


def test_there_are_as_many_workers_as_there_is_work_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's cores, up to four; a language model's places; or what the setting says."""
    monkeypatch.setattr(settings, "cores", lambda: 2)
    assert Settings().workers == 2
    assert Settings(llm_url="http://127.0.0.1:1", llm_concurrency=8).workers == 8
    assert Settings(llm_url="http://127.0.0.1:1", llm_concurrency=1).workers == 2
    assert Settings(llm_url="http://127.0.0.1:1", answer_workers=3).workers == 3
    monkeypatch.setattr(settings, "cores", lambda: 64)
    assert Settings().workers == 4
