"""The client against a real HTTP server that keeps to the protocol, or breaks it in every way we know of."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

import pytest

from server.errors import LlmUnavailableError
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.wire import ChatMessage, Finish
from tests.clock import Clock
from tests.llm.scripted import (
    STREAM,
    Line,
    Script,
    ScriptedServer,
    event,
    hangs,
    json_answer,
    repeats,
    says,
    sends,
    serving,
    status,
    waits_for,
)

MESSAGES = (ChatMessage("system", "You are a test."), ChatMessage("user", "When is the library open?"))
KEY = "sk-do-not-tell-2f1c"


@contextmanager
def client_of(
    server: ScriptedServer | str, clock: Callable[[], float] | None = None, **options: Any
) -> Iterator[ChatClient]:
    """A client with more time than a busy machine needs, but for what a test says itself."""
    patient = {
        "connect_s": 10.0,
        "first_token_s": 30.0,
        "stall_s": 30.0,
        "total_s": 60.0,
        "queue_wait_s": 30.0,
    }
    url = server if isinstance(server, str) else server.url
    chat_options = ChatOptions(url=url, **{**patient, **options})
    client = ChatClient(chat_options) if clock is None else ChatClient(chat_options, clock)
    try:
        yield client
    finally:
        client.close()


def trouble_of(client: ChatClient) -> str:
    """The word for why there is no answer; it must be one."""
    with pytest.raises(LlmUnavailableError) as caught:
        client.complete(MESSAGES)
    return caught.value.trouble


def drain(client: ChatClient) -> tuple[list[str], Finish]:
    """All the pieces of an answer, and its finish."""
    pieces, stream = [], client.stream(MESSAGES)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return pieces, end.value


# --- a good answer -------------------------------------------------------------------------------


def test_pieces_come_in_order_and_the_finish_says_how_it_went() -> None:
    with serving(says("The library ", "opens at nine.", " [1]")) as server, client_of(server) as client:
        pieces, finish = drain(client)
    assert pieces == ["The library ", "opens at nine.", " [1]"]
    assert (finish.reason, finish.attempts, finish.prompt_tokens, finish.answer_tokens) == ("stop", 1, 11, 3)
    assert 0 < finish.first_token_ms <= finish.total_ms


def test_a_piece_is_there_before_the_answer_is_whole() -> None:
    gate = threading.Event()
    rest = event(" and closes at five.", "stop") + "data: [DONE]\n\n"

    def script(line: Line) -> None:
        line.send(STREAM + event("It opens at nine"))
        assert gate.wait(60)
        line.send(rest)

    with serving(script) as server, client_of(server) as client:
        stream = client.stream(MESSAGES)
        assert next(stream) == "It opens at nine"
        gate.set()
        assert list(stream) == [" and closes at five."]


def test_the_request_is_what_the_servers_take() -> None:
    options: dict[str, Any] = {"model": "qwen", "key": KEY, "answer_tokens": 50, "temperature": 0.2}
    with serving(says("Yes. [1]")) as server, client_of(server, **options) as client:
        client.complete(MESSAGES)
        client.complete(MESSAGES, answer_tokens=7)
    first, second = server.chats
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert first.headers["accept-encoding"] == "identity"
    assert first.body == {
        "model": "qwen",
        "messages": [
            {"role": "system", "content": "You are a test."},
            {"role": "user", "content": "When is the library open?"},
        ],
        "max_tokens": 50,
        "temperature": 0.2,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert second.body["max_tokens"] == 7


def test_without_a_model_or_a_key_none_is_sent() -> None:
    with serving(says("Yes. [1]")) as server, client_of(server) as client:
        client.complete(MESSAGES)
    assert "authorization" not in server.chats[0].headers
    assert "model" not in server.chats[0].body


def test_the_address_may_come_without_its_version() -> None:
    with serving(says("Yes. [1]")) as server, client_of(server.url.removesuffix("v1")) as client:
        assert client.complete(MESSAGES) == "Yes. [1]"


def test_blocks_may_end_in_the_middle_of_a_line_and_of_a_character() -> None:
    stream = (
        STREAM + "data: " + event("Das Café öffnet um 9 – 图书馆. [1]", "stop")[6:] + "data: [DONE]\n\n"
    ).encode()
    bytes_apart = sends(*(stream[i : i + 1] for i in range(len(stream))))
    with serving(bytes_apart) as server, client_of(server) as client:
        assert client.complete(MESSAGES) == "Das Café öffnet um 9 – 图书馆. [1]"


def test_comments_roles_and_thoughts_are_no_text() -> None:
    thought = 'data: {"choices": [{"delta": {"role": "assistant", "reasoning_content": "Hm."}}]}\n\n'
    script = sends(STREAM + ": ping\n\n" + thought + event("Nine. [1]", "stop") + "data: [DONE]\n\n")
    with serving(script) as server, client_of(server) as client:
        assert drain(client)[0] == ["Nine. [1]"]


def test_a_server_that_does_not_say_done_but_gives_a_reason_is_believed() -> None:
    with serving(says("Nine. [1]", end="")) as server, client_of(server) as client:
        assert drain(client)[1].reason == "stop"


def test_a_server_that_hangs_after_the_last_word_costs_nothing_of_the_answer() -> None:
    with (
        serving(hangs(STREAM, event("Nine. [1]", "stop"))) as server,
        client_of(server, stall_s=0.2) as client,
    ):
        assert drain(client)[0] == ["Nine. [1]"]


def test_an_answer_that_ran_out_of_tokens_says_so() -> None:
    with serving(says("The library opens at", finish="length")) as server, client_of(server) as client:
        assert drain(client)[1].reason == "length"


def test_the_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(says("Nine. [1]")) as server, client_of(server) as client:
        assert client.complete(MESSAGES) == "Nine. [1]"


# --- every fault ---------------------------------------------------------------------------------

FLOOD = event("x" * 60_000)
FAULTS: dict[str, tuple[Script, str]] = {
    "429": (status(429), "full"),
    "500": (status(500), "broken"),
    "501": (status(501), "broken"),
    "502": (status(502), "down"),
    "503 while the model loads": (status(503), "down"),
    "504": (status(504), "down"),
    "400": (status(400), "refused"),
    "401": (status(401), "refused"),
    "404": (status(404), "refused"),
    "redirect": (status(307, "Location: /elsewhere"), "refused"),
    "json that is no stream": (json_answer({"choices": [{"message": {"content": "Nine. [1]"}}]}), "broken"),
    "a web page": (sends("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Welcome</h1>"), "broken"),
    "no HTTP at all": (sends(b"\x16\x03\x01 SSH-2.0-OpenSSH\r\n\r\n"), "broken"),
    "hangs up at once": (sends(), "broken"),
    "hangs up after the head": (sends(STREAM), "broken"),
    "half a head": (sends("HTTP/1.1 200 OK\r\nContent-Ty"), "broken"),
    "reset": (sends("HTTP", then=lambda line: line.reset()), "broken"),
    "no words": (says(), "broken"),
    "only done": (sends(STREAM, "data: [DONE]\n\n"), "broken"),
    "cut off": (sends(STREAM, event("The library opens")), "broken"),
    "half a chunk": (sends(STREAM, event("The library"), event(" opens")[:25]), "broken"),
    "half a chunk of chunked HTTP": (
        sends(STREAM.replace("close\r\n", "close\r\nTransfer-Encoding: chunked\r\n"), "ff\r\n", event("The")),
        "broken",
    ),
    "an error in the stream": (sends(STREAM, event("The"), 'data: {"error": {"code": 500}}\n\n'), "broken"),
    "garbage in the stream": (sends(STREAM, event("The"), "data: {]\n\n"), "broken"),
    "bytes in the stream": (sends(STREAM, bytes(range(256)) * 10), "broken"),
    "another JSON": (sends(STREAM, "data: [1, 2]\n\n"), "broken"),
    "text that is a number": (sends(STREAM, 'data: {"choices": [{"delta": {"content": 5}}]}\n\n'), "broken"),
    "a very deep JSON": (sends(STREAM, "data: " + "[" * 100_000 + "\n\n"), "broken"),
    "compressed": (
        sends(STREAM.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n"), b"\x1f\x8b\x08\x00"),
        "broken",
    ),
    "too much": (repeats(FLOOD, every_s=0.0001), "broken"),
    "too long a line": (repeats("x" * 60_000, every_s=0.0001), "broken"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_has_its_word(name: str) -> None:
    script, trouble = FAULTS[name]
    with serving(script) as server, client_of(server, retries=0) as client:
        assert trouble_of(client) == trouble


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_has_a_sentence_without_the_key_or_the_address(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with (
        serving(FAULTS[name][0]) as server,
        client_of(server, retries=0, key=KEY) as client,
        pytest.raises(LlmUnavailableError) as caught,
    ):
        client.complete(MESSAGES)
    assert caught.value.message.endswith(".")
    assert "127.0.0.1" not in caught.value.message
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {caplog.text}"


def test_an_answer_of_100_mb_is_given_up_early() -> None:
    lines = []
    rest = FLOOD.encode() * (100_000_000 // len(FLOOD))

    def script(line: Any) -> None:
        lines.append(line)
        line.send(STREAM)
        line.send(rest)

    with serving(script) as server, client_of(server, retries=0) as client:
        assert trouble_of(client) == "broken"
        assert server.left.wait(60)  # it could not get rid of it all
    assert lines[0].sent < len(rest)


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with client_of(f"http://127.0.0.1:{port}/v1") as client:
        assert trouble_of(client) == "down"


def test_a_name_that_nobody_has() -> None:
    with client_of("http://gpu-box.invalid/v1", retries=0) as client:
        assert trouble_of(client) == "down"


def test_a_connection_that_is_never_taken() -> None:
    """The backlog is full, so the handshake goes unanswered, as from a machine that has been switched off."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        address = deaf.getsockname()
        fillers = [socket.socket() for _ in range(3)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(address)
        with client_of(f"http://127.0.0.1:{address[1]}/v1", connect_s=0.1, retries=1) as client:
            assert trouble_of(client) == "down"
        for filler in fillers:
            filler.close()


@pytest.mark.parametrize(
    "script",
    [
        hangs(),
        hangs("HTTP/1.1 200 OK\r\n"),
        hangs(STREAM),
        repeats(": ping\n\n"),
        repeats(event("")),
        repeats('data: {"choices": [{"delta": {"reasoning_content": "Hm."}}]}\n\n'),
        repeats("x", head="HTTP/1.1 200 OK\r\nX-Slow: "),
    ],
    ids=["nothing", "half a head", "head", "pings", "empty pieces", "thoughts", "an endless head"],
)
def test_a_server_that_brings_no_first_word_is_slow(script: Script) -> None:
    with serving(script) as server, client_of(server, first_token_s=0.3) as client:
        assert trouble_of(client) == "slow"
        assert server.left.wait(60)
    assert len(server.chats) <= 1


def test_a_server_that_hangs_inside_the_stream_is_slow() -> None:
    with serving(hangs(STREAM, event("The library "))) as server, client_of(server, stall_s=0.3) as client:
        stream = client.stream(MESSAGES)
        assert next(stream) == "The library "
        with pytest.raises(LlmUnavailableError) as caught:
            next(stream)
        assert server.left.wait(60)
    assert caught.value.trouble == "slow"


def test_an_answer_that_trickles_ends_with_the_total_time() -> None:
    with serving(repeats(event("la "))) as server, client_of(server, total_s=0.5, stall_s=30) as client:
        assert trouble_of(client) == "slow"
        assert server.left.wait(60)


# --- tries ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["429", "500", "503 while the model loads", "hangs up at once"])
def test_what_passes_is_tried_again_before_the_first_word(name: str) -> None:
    with serving(FAULTS[name][0], says("Nine. [1]")) as server, client_of(server) as client:
        pieces, finish = drain(client)
    assert (pieces, finish.attempts, len(server.chats)) == (["Nine. [1]"], 2, 2)


def test_tries_come_to_an_end() -> None:
    with serving(status(503)) as server, client_of(server, retries=2) as client:
        assert trouble_of(client) == "down"
    assert len(server.chats) == 3


@pytest.mark.parametrize("name", ["400", "401", "404", "redirect", "a web page", "an error in the stream"])
def test_what_does_not_pass_is_not_tried_again(name: str) -> None:
    with serving(FAULTS[name][0]) as server, client_of(server) as client:
        trouble_of(client)
    assert len(server.seen) == 1


@pytest.mark.parametrize("name", ["cut off", "half a chunk", "half a chunk of chunked HTTP"])
def test_after_the_first_word_nothing_is_tried_again(name: str) -> None:
    with serving(FAULTS[name][0]) as server, client_of(server) as client:
        assert trouble_of(client) == "broken"
    assert len(server.chats) == 1


def test_the_time_that_a_server_asks_for_is_waited_if_there_is_as_much() -> None:
    with serving(status(429, "Retry-After: 1"), says("Nine. [1]")) as server, client_of(server) as client:
        _, finish = drain(client)
    assert finish.total_ms >= 1000


def test_a_server_that_asks_for_too_much_time_is_not_waited_for() -> None:
    busy = status(429, "Retry-After: 120")
    with serving(busy, says("Nine. [1]")) as server, client_of(server, first_token_s=60) as client:
        assert trouble_of(client) == "full"
    assert len(server.chats) == 1


# --- places --------------------------------------------------------------------------------------


def test_no_more_go_at_once_than_may() -> None:
    with (
        serving(says("Nine. [1]")) as server,
        client_of(server, concurrency=2, queue=20) as client,
        ThreadPoolExecutor(12) as pool,
    ):
        answers = list(pool.map(lambda _: client.complete(MESSAGES), range(24)))
    assert answers == ["Nine. [1]"] * 24
    assert server.most_at_once <= 2


def test_beyond_the_queue_it_is_full_at_once() -> None:
    gate = threading.Event()
    with (
        serving(waits_for(gate, says("Nine. [1]"))) as server,
        client_of(server, concurrency=1, queue=1) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        calls = [pool.submit(client.complete, MESSAGES) for _ in range(3)]
        refused = next(as_completed(calls))
        gate.set()
        answers = [call.result() for call in calls if call is not refused]
    error = refused.exception()
    assert isinstance(error, LlmUnavailableError)
    assert error.trouble == "full"
    assert answers == ["Nine. [1]"] * 2
    assert server.most_at_once == 1


def test_whoever_waits_too_long_for_a_place_gets_full() -> None:
    gate = threading.Event()
    with (
        serving(waits_for(gate, says("Nine. [1]"))) as server,
        client_of(server, concurrency=1, queue_wait_s=0.1) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        first = pool.submit(client.complete, MESSAGES)
        while not server.chats:
            pass
        assert trouble_of(client) == "full"
        gate.set()
        assert first.result() == "Nine. [1]"


# --- leaving -------------------------------------------------------------------------------------


def test_a_visitor_who_leaves_takes_the_request_along() -> None:
    """The server sees the connection close, and the place is free for the next."""
    script = hangs(STREAM, event("The library "))
    with serving(script, says("Nine. [1]")) as server, client_of(server, concurrency=1, queue=0) as client:
        stream = client.stream(MESSAGES)
        next(stream)
        stream.close()
        assert server.left.wait(60)
        assert client.complete(MESSAGES) == "Nine. [1]"


def test_a_stream_that_is_forgotten_is_left_too() -> None:
    with serving(hangs(STREAM, event("The library "))) as server, client_of(server) as client:
        next(client.stream(MESSAGES))
        assert server.left.wait(60)


def test_closing_the_client_ends_what_is_under_way() -> None:
    with serving(hangs(STREAM)) as server, client_of(server) as client, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(trouble_of, client)
        while not server.chats:
            pass
        client.close()
        assert waiting.result() == "down"
        assert server.left.wait(60)
        assert trouble_of(client) == "down"
        client.close()


# --- the breaker ---------------------------------------------------------------------------------


def test_after_failures_in_a_row_the_server_is_left_in_peace_and_then_tried() -> None:
    clock = Clock(100.0)
    options: dict[str, Any] = {"retries": 0, "breaker_failures": 2, "breaker_rest_s": 10}
    with (
        serving(status(500), status(500), status(500), says("Nine. [1]")) as server,
        client_of(server, clock, **options) as client,
    ):
        assert [trouble_of(client) for _ in range(4)] == ["broken", "broken", "down", "down"]
        assert len(server.chats) == 2
        clock.now += 10
        assert [trouble_of(client) for _ in range(2)] == ["broken", "down"]  # the probe fails
        assert len(server.chats) == 3
        clock.now += 10
        assert [client.complete(MESSAGES) for _ in range(2)] == ["Nine. [1]"] * 2


def test_time_outs_open_the_breaker() -> None:
    options: dict[str, Any] = {"first_token_s": 0.2, "breaker_failures": 1, "breaker_rest_s": 1000}
    with serving(hangs()) as server, client_of(server, **options) as client:
        assert [trouble_of(client) for _ in range(2)] == ["slow", "down"]
    assert len(server.chats) == 1


@pytest.mark.parametrize("name", ["429", "400", "401"])
def test_a_server_that_says_no_is_alive(name: str) -> None:
    with serving(FAULTS[name][0]) as server, client_of(server, retries=0, breaker_failures=1) as client:
        assert len({trouble_of(client) for _ in range(3)}) == 1
    assert len(server.chats) == 3


def test_visitors_who_leave_are_no_failures() -> None:
    with (
        serving(hangs(STREAM, event("The "))) as server,
        client_of(server, breaker_failures=1, breaker_rest_s=1000) as client,
    ):
        for _ in range(3):
            stream = client.stream(MESSAGES)
            assert next(stream) == "The "
            stream.close()
