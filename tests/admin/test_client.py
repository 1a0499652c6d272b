"""What the admin API can answer, and what the console makes of it."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from admin import client
from admin.client import AdminApi, ApiError, MissingError, RefusedError, UnreachableError, connect
from tests.admin.conftest import Office
from tests.admin.test_console import console, shown
from tests.storage.exchanges import exchange


def test_it_reads_role_conversations_and_traces(office: Office) -> None:
    office.store.conversations.record(exchange())
    with connect(office.url + "/") as opened:
        api = AdminApi(opened, office.token)
        assert api.get("me")["role"] == "viewer"
        assert api.get("conversations", limit=10, before=None)["conversations"][0]["id"] == "c1"
        assert len(api.get("conversations", "c1")["messages"]) == 2
        assert api.get("traces", "t1")["trace_id"] == "t1"


@pytest.mark.parametrize("token", ["", "lodge_wrong", "a token\nwith a line", "jeton é"])
def test_a_wrong_token_is_refused(office: Office, token: str) -> None:
    with connect(office.url) as opened, pytest.raises(RefusedError):
        AdminApi(opened, token).get("me")


def test_an_id_cannot_reach_another_address(office: Office) -> None:
    with connect(office.url) as opened, pytest.raises(MissingError):
        AdminApi(opened, office.token).get("traces", "../conversations?x#y")


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with connect(url) as opened, pytest.raises(UnreachableError, match="No server answers at http://127"):
            AdminApi(opened, "lodge_any").get("me")


def test_a_connection_that_the_server_may_be_closing_is_not_used_again() -> None:
    """The server keeps its connections, and drops the one that a second call comes on."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def one_call_each() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                while not connection.recv(65536).endswith(b"{}"):
                    pass
                connection.sendall(answer)
                threading.Thread(
                    target=lambda given: (given.recv(1), given.close()), args=(connection,)
                ).start()

        server = threading.Thread(target=one_call_each, daemon=True)
        server.start()
        with connect(f"http://127.0.0.1:{listener.getsockname()[1]}") as opened:
            api = AdminApi(opened, "lodge_any")
            assert api.post("try") == {}
            time.sleep(client.IDLE_S + 0.2)
            assert api.post("publish") == {}
        server.join(10)


def test_a_server_that_hangs_is_given_up_within_five_seconds_and_can_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert client.TIMEOUT_S < 5
    monkeypatch.setattr(client, "TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("LODGE_API_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", "lodge_any")
        app = console(None)
        assert [error.value for error in app.error] == [r"The server did not answer within 0 seconds\."]
        assert "it may be busy, or hang" in shown(app)
        assert [button.label for button in app.button] == ["Try again"]


def test_something_else_at_the_address_is_told_apart(office: Office) -> None:
    with (
        connect(office.url + "/elsewhere") as opened,
        pytest.raises(ApiError, match="nothing at this address"),
    ):
        AdminApi(opened, office.token).get("me")


def test_it_asks_for_what_is_wanted_and_exports_it(office: Office) -> None:
    office.store.conversations.record(exchange(1))
    office.store.conversations.record(exchange(2, conversation="c2", refused=True))
    with connect(office.url) as opened:
        api = AdminApi(opened, office.token)
        assert [row["id"] for row in api.get("conversations", limit=9, refused="true")["conversations"]] == [
            "c2"
        ]
        assert api.get("conversations", "choices")["answerers"] == ["extractive"]
        assert api.file("conversations", "export", format="csv", refused="true").count(b'"c2"') == 1
        assert api.file("conversations", "export", format="parquet").startswith(b"PAR1")
        with pytest.raises(ApiError, match="spring"):
            api.file("conversations", "export", format="csv", since="spring")
