"""Who asks too much waits, and is told how long; nobody else notices."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from litestar.datastructures import Headers
from litestar.testing import TestClient

from server.app import WebOptions
from server.counting import Counted, Counter, parsed_limits
from server.errors import BadInputError, TooManyError
from server.http.limits import Limiter, LimitOptions
from server.settings import Settings
from tests.scripted_app import ScriptedParts, web_app

ONE_A_MINUTE = LimitOptions(address="1/minute")


class Caller:
    """As much of a connection as an address is told by."""

    def __init__(self, host: str | None, forwarded: str = "") -> None:
        self.client = type("Client", (), {"host": host})() if host else None
        self.headers = Headers(
            [(b"x-forwarded-for", line.encode()) for line in forwarded.split("\n") if line]
        )


@pytest.mark.parametrize(
    ("hops", "host", "forwarded", "address"),
    [
        (0, "192.0.2.7", "", "192.0.2.7"),
        (0, "192.0.2.7", "198.51.100.1", "192.0.2.7"),
        (0, "127.0.0.1", "", None),
        (0, "::1", "198.51.100.1", None),
        (1, "127.0.0.1", "10.9.9.9, 198.51.100.1", "198.51.100.1"),
        (1, "127.0.0.1", "10.9.9.9\n198.51.100.1", "198.51.100.1"),  # HAProxy adds a line of its own
        (2, "127.0.0.1", "203.0.113.4, 198.51.100.1", "203.0.113.4"),
        (2, "192.0.2.7", "198.51.100.1", "192.0.2.7"),
        (0, None, "", None),
    ],
)
def test_an_address_is_believed_as_far_as_the_proxies_are(
    hops: int, host: str | None, forwarded: str, address: str | None
) -> None:
    caller: Any = Caller(host, forwarded)
    assert Limiter(LimitOptions(trusted_hops=hops)).address_of(caller) == address


def admit(limiter: Limiter, address: str | None, site: str, conversation: str | None) -> None:
    asyncio.run(limiter.admit(address, site, conversation))


def test_each_address_conversation_and_site_is_counted_by_itself() -> None:
    limiter = Limiter(LimitOptions(address="2/minute", conversation="1/minute", site="3/hour"))
    admit(limiter, "a", "main", "c1")
    with pytest.raises(TooManyError):
        admit(limiter, "b", "main", "c1")  # its conversation is full
    admit(limiter, "a", "main", "c2")
    with pytest.raises(TooManyError) as full:
        admit(limiter, "a", "main", "c3")
    assert 1 <= full.value.retry_after_s <= 120
    admit(limiter, "b", "main", "c4")  # what was turned away counted for nothing
    with pytest.raises(TooManyError):
        admit(limiter, "c", "main", "c5")  # the site is full
    admit(limiter, "d", "library", None)


class NotedCounter(Counter):
    """Keeps what it was asked to count."""

    def __init__(self) -> None:
        super().__init__("")
        self.noted: list[Counted] = []

    async def admit(self, wanted: Sequence[Counted]) -> None:
        self.noted += wanted
        await super().admit(wanted)


@pytest.mark.parametrize(("options", "counted"), [(LimitOptions(), 0), (ONE_A_MINUTE, 1)])
def test_without_limits_nothing_is_counted(options: LimitOptions, counted: int) -> None:
    counter = NotedCounter()
    admit(Limiter(options, counter), "a", "main", "c")
    assert len(counter.noted) == counted


def test_a_store_that_is_away_lets_each_server_count_alone() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    limiter = Limiter(replace(ONE_A_MINUTE, store=f"redis://127.0.0.1:{port}/0"))
    admit(limiter, "a", "main", None)
    with pytest.raises(TooManyError):
        admit(limiter, "a", "main", None)


@pytest.mark.parametrize("options", [LimitOptions(address="many"), LimitOptions(store="mysql://x")])
def test_a_setting_that_cannot_be_used_is_named(options: LimitOptions) -> None:
    with pytest.raises(BadInputError, match=r"LODGE_LIMIT_(ADDRESS|URL)"):
        Limiter(options)


def test_a_visitor_is_told_how_long_to_wait(tmp_path: Path) -> None:
    parts = ScriptedParts(tmp_path)
    options = WebOptions(limits=LimitOptions(site="1/minute"))
    with TestClient(web_app(options, parts)) as client:
        assert client.post("/api/ask", json={"question": "When does term begin?"}).status_code == 200
        again = client.post("/api/ask", json={"question": "When does term begin?"})
        assert (again.status_code, again.json()["error"]["code"]) == (429, "too_many")
        assert 1 <= int(again.headers["retry-after"]) <= 120
        partial = client.post("/chat/ask", data={"question": "Why?"}, headers={"hx-request": "true"})
        assert partial.status_code == 429
        assert f'data-wait="{partial.headers["retry-after"]}"' in partial.text
        assert 'class="unseen">That was too many questions at once.' in partial.text
        page = client.post("/chat", data={"question": "Why?"}, headers={"accept": "text/html"})
        assert page.status_code == 429
        assert "data-wait" in page.text
        assert "Why?" in page.text


def test_who_finds_the_queue_full_is_told_at_once_and_counted_for_nothing(
    tmp_path: Path,
) -> None:
    parts = ScriptedParts(tmp_path)
    options = WebOptions(answer_workers=1, answer_queue=0, limits=LimitOptions(site="2/hour"))
    with TestClient(web_app(options, parts)) as client, ThreadPoolExecutor(1) as visitor:
        first = visitor.submit(client.post, "/api/ask", json={"question": "gate"})
        assert parts.asker.waiting.wait(10)
        try:
            for _ in range(3):
                refused = client.post("/api/ask", json={"question": "When?"})
                assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
                assert int(refused.headers["retry-after"]) >= 1
            partial = client.post("/chat/ask", data={"question": "Why?"}, headers={"hx-request": "true"})
            assert partial.status_code == 503
            assert f'data-wait="{partial.headers["retry-after"]}"' in partial.text
            assert """data-says='{"one": "Very many people are asking at the moment.""" in partial.text
            page = client.post("/chat", data={"question": "Why?"}, headers={"accept": "text/html"})
            assert page.status_code == 503
            assert "Very many people are asking at the moment." in page.text
            assert "Why?" in page.text
        finally:
            parts.asker.gate.set()
        assert first.result(30).status_code == 200
        again = 503
        while again == 503:  # the place comes free a moment after the answer
            again = client.post("/api/ask", json={"question": "When?"}).status_code
        assert again == 200


REQUESTS = [
    ("GET", "/"),
    ("GET", "/chat"),
    ("GET", "/demo"),
    ("POST", "/chat"),
    ("POST", "/chat/ask"),
    ("POST", "/chat/feedback"),
    ("POST", "/chat/restore"),
    ("POST", "/chat/save"),
    ("POST", "/chat/erase"),
    ("POST", "/api/ask"),
    ("POST", "/api/feedback"),
]


def test_every_request_of_a_visitor_counts_for_its_address(tmp_path: Path) -> None:
    limits = LimitOptions(requests="3/minute", trusted_hops=1)
    with TestClient(web_app(WebOptions(limits=limits), ScriptedParts(tmp_path))) as client:
        for number, (method, path) in enumerate(REQUESTS):
            mine = {"X-Forwarded-For": f"198.51.100.{number}"}
            before = [client.request(method, path, headers=mine, follow_redirects=False) for _ in range(3)]
            assert all(answer.status_code != 429 for answer in before), path
            full = client.request(method, path, headers=mine)
            assert (full.status_code, full.json()["error"]["code"]) == (429, "too_many"), path
            assert 1 <= int(full.headers["retry-after"]) <= 120
        page = client.get("/chat", headers={**mine, "Accept": "text/html"})
        assert (page.status_code, "You can ask again in" in page.text) == (429, True)
        for path in ("/widget.js", "/static/chat.css", "/healthz", "/readyz", "/chat/events/1"):
            assert client.get(path, headers=mine).status_code == 200, path
        others = {"X-Forwarded-For": "203.0.113.9"}
        assert client.get("/chat", headers=others).status_code == 200


def test_pages_of_a_visitor_are_one_allowance(tmp_path: Path) -> None:
    limits = LimitOptions(requests="3/minute", trusted_hops=1)
    with TestClient(web_app(WebOptions(limits=limits), ScriptedParts(tmp_path))) as client:
        client.headers["X-Forwarded-For"] = "198.51.100.1"
        told = [client.request(method, path, follow_redirects=False) for method, path in REQUESTS[1:6]]
    assert [answer.status_code == 429 for answer in told] == [False] * 3 + [True] * 2


def test_as_shipped_a_visitors_requests_have_a_limit_that_questions_do_not_reach() -> None:
    shipped = {
        name: {limit.get_expiry(): limit.amount for limit in parsed_limits(name, getattr(Settings(), name))}
        for name in ("limit_address", "limit_requests")
    }
    assert shipped["limit_requests"].keys() == shipped["limit_address"].keys()
    for window, questions in shipped["limit_address"].items():
        assert shipped["limit_requests"][window] > 2 * questions  # a page and its conversation for each
