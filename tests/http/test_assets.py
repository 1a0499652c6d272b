from __future__ import annotations

import gzip
from typing import Any

from litestar.testing import TestClient

from server.visitor.assets import Assets

Client = TestClient[Any]


def test_a_file_asked_for_by_its_version_is_kept_for_good(client: Client) -> None:
    response = client.get(Assets.read().url("chat.css"))
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["content-type"] == "text/css; charset=utf-8"


def test_any_other_version_is_checked_each_time_and_not_sent_twice(client: Client) -> None:
    first = client.get("/static/chat.css?v=old")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/static/chat.css", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_text_is_compressed_for_those_who_take_it(client: Client) -> None:
    packed = client.get("/static/chat.js", headers={"Accept-Encoding": "gzip"})
    plain = client.get("/static/chat.js", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content
    assert packed.headers["vary"] == "Accept-Encoding"


def test_nothing_outside_the_folder_is_served(client: Client) -> None:
    for path in (
        "/static/../app.py",
        "/static/%2e%2e/options.py",
        "/static/..%2foptions.py",
        "/static//etc/passwd",
    ):
        assert client.get(path).status_code == 404


def test_compressed_bytes_are_the_same_file() -> None:
    asset = Assets.read()["chat.js"]
    assert asset.packed is not None
    assert gzip.decompress(asset.packed) == asset.body
