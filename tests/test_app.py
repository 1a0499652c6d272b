from __future__ import annotations

from dataclasses import replace

import pytest
from litestar.testing import TestClient

from server.app import create_app, web_options
from server.errors import BadInputError
from server.settings import Settings
from tests.web.scripted import ScriptedParts


def test_serves_with_default_settings_and_closes_its_parts_at_the_end() -> None:
    parts = ScriptedParts()
    with TestClient(create_app(Settings(), parts)) as client:
        assert client.get("/healthz").status_code == 200
        assert not parts.closed
    assert parts.closed


def test_frame_origins_are_separated_by_spaces() -> None:
    settings = replace(Settings(), frame_origins=" https://www.example.edu  http://localhost:8090 ")
    assert web_options(settings).frame_origins == ("https://www.example.edu", "http://localhost:8090")


def test_a_frame_origin_that_is_none_is_refused_at_the_start() -> None:
    with pytest.raises(BadInputError, match=r"https://example[.]edu/path"):
        create_app(replace(Settings(), frame_origins="https://example.edu/path"), ScriptedParts())
