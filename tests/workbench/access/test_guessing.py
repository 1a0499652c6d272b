"""Whoever guesses at admin tokens is shut out for a while; everybody else gets in."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import WebOptions
from server.http.limits import AuthThrottle, LimitOptions
from server.settings import Settings
from tests.scripted_app import ScriptedParts, web_app

ME = "/admin/api/v1/me"
WRONG = {"Authorization": "Bearer lodge_wrong"}
AS_SHIPPED = LimitOptions(guesses=Settings().limit_guesses, trusted_hops=1)


@pytest.fixture
def client(parts: ScriptedParts) -> Iterator[TestClient[Any]]:
    with TestClient(web_app(WebOptions(limits=AS_SHIPPED), parts)) as client:
        yield client


def guess(client: TestClient[Any], times: int, address: str) -> list[int]:
    headers = {**WRONG, "X-Forwarded-For": address}
    return [client.get(ME, headers=headers).status_code for _ in range(times)]


def test_ten_wrong_tokens_shut_an_address_out_with_a_right_one_too(
    client: TestClient[Any], parts: ScriptedParts, caplog: pytest.LogCaptureFixture
) -> None:
    right = {"Authorization": f"Bearer {parts.records.tokens.create('ana', 'viewer', 1)}"}
    with caplog.at_level(logging.WARNING, "lodge.web"):
        assert guess(client, 10, "198.51.100.1") == [401] * 10
    assert "shut out" in caplog.text
    assert "198.51.100.1" not in caplog.text
    for headers in (WRONG, right, {}):
        refused = client.get(ME, headers={**headers, "X-Forwarded-For": "198.51.100.1"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many")
        assert 1 <= int(refused.headers["retry-after"]) <= 600
    elsewhere = {**right, "X-Forwarded-For": "198.51.100.2"}
    assert client.get(ME, headers=elsewhere).status_code == 200
    asked = client.post("/api/ask", json={"question": "Why?"}, headers={"X-Forwarded-For": "198.51.100.1"})
    assert asked.status_code == 200  # visitors' questions have limits of their own


def test_a_missing_token_is_no_guess_and_right_ones_do_not_count(
    client: TestClient[Any], parts: ScriptedParts
) -> None:
    token = parts.records.tokens.create("ana", "viewer", 1)
    for _ in range(12):
        assert client.get(ME).status_code == 401
        assert client.get(ME, headers={"Authorization": f"Bearer {token}"}).status_code == 200


def test_without_a_trusted_proxy_every_caller_is_counted(tmp_path: Path) -> None:
    options = WebOptions(limits=LimitOptions(guesses="2/minute"))
    with TestClient(web_app(options, ScriptedParts(tmp_path))) as client:
        told = [guess(client, 1, f"198.51.100.{n}") for n in range(3)]  # the header is not believed
    assert told == [[401], [401], [429]]


class Caller:
    headers: dict[str, str] = {}  # noqa: RUF012

    def __init__(self, host: str | None) -> None:
        self.client = type("Client", (), {"host": host})() if host else None


@pytest.mark.parametrize(
    ("host", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("testclient", "testclient"),
        (None, "unknown"),
    ],
)
def test_a_whole_network_of_ipv6_is_one_guesser(host: str | None, counted_as: str) -> None:
    caller: Any = Caller(host)
    assert AuthThrottle(LimitOptions()).address_of(caller) == counted_as
