"""What comes of a Typesense that is slow, wrong, half there or gone."""

from __future__ import annotations

import logging
import socket
from dataclasses import replace

import pytest

from server.errors import BadInputError
from server.index.search import Index
from server.index.typesense.connection import Cluster, Connection, TypesenseError
from tests.clock import Clock
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import Fault, StandIn

SECRET = "very-secret-key"


@pytest.fixture
def search(rig: Rig, dressed: Index) -> dict[str, str]:
    """A search that finds something."""
    rig.publish(dressed, vectors=False)
    return {
        "collection": rig.names.collection(dressed.name),
        "q": "hours",
        "query_by": "text",
        "query_by_weights": "1",
    }


def impatient(rig: Rig, fault: Fault | None = None, rest_s: float = 0.0) -> Cluster:
    """Patient enough for a busy machine, and no more than a test of time-outs must be."""
    timeout_s = 2.0 if fault in ("slow", "drip") else rig.cluster.timeout_s
    return replace(rig.cluster, timeout_s=timeout_s, rest_s=rest_s)


def trouble(connection: Connection, search: dict[str, str]) -> TypesenseError:
    with pytest.raises(TypesenseError) as caught:
        connection.search([search], {"per_page": 1})
    return caught.value


def test_answers_come_in_the_order_of_the_searches(rig: Rig, search: dict[str, str]) -> None:
    connection = Connection(rig.cluster)
    hours, nothing = connection.search([search, {**search, "q": "zeppelin"}], {"per_page": 3})
    assert (len(hours.found), len(nothing.found)) == (3, 0)
    assert hours.documents == nothing.documents == rig_documents(rig, search)
    connection.close()


def rig_documents(rig: Rig, search: dict[str, str]) -> int:
    return int(rig.client.collections[search["collection"]].retrieve()["num_documents"])


FAULTS: dict[str, tuple[Fault, str]] = {
    "slow": ("slow", "timed out"),
    "a byte now and then": ("drip", "timed out"),
    "half an answer": ("half", "broke off in the middle of its answer"),
    "half a document": ("garbled", "gave an answer that cannot be read"),
    "nothing in it": ("empty", "gave an answer that cannot be read"),
    "a search that was cut off": ("cutoff", "ran out of time"),
    "500": (500, "answered 500: made to fail with 500"),
    "503": (503, "answered 503: made to fail with 503"),
    "429": (429, "answered 429: made to fail with 429"),
    "403": (403, "answered 403: made to fail with 403"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_server_in_trouble_is_told_in_a_few_words_and_left_alone(
    stand_in: StandIn, rig: Rig, search: dict[str, str], name: str
) -> None:
    fault, reason = FAULTS[name]
    stand_in.fail(fault, on="multi_search", delay_s=0.5 if fault == "drip" else 60.0)
    clock = Clock()
    connection = Connection(impatient(rig, fault, rest_s=10), clock)
    first = trouble(connection, search)
    assert (first.reason, first.ill) == (reason, True)
    asked = stand_in.sent("POST /multi_search")
    assert trouble(connection, search).reason == reason
    assert stand_in.sent("POST /multi_search") == asked
    stand_in.recover()
    clock.now = 10
    assert connection.search([search], {"per_page": 1})[0].found
    connection.close()


@pytest.mark.parametrize("status", [400, 404, 422])
def test_a_search_that_is_refused_does_not_speak_against_the_server(
    stand_in: StandIn, rig: Rig, search: dict[str, str], status: int
) -> None:
    stand_in.fail(status, on="odd")
    connection = Connection(impatient(rig, rest_s=10))
    odd = trouble(connection, {**search, "q": "odd"})
    assert (odd.reason, odd.ill) == (f"answered {status}: made to fail with {status}", False)
    assert connection.search([search], {"per_page": 1})[0].found
    connection.close()


def test_the_server_is_told_how_long_anyone_waits(
    stand_in: StandIn, rig: Rig, search: dict[str, str]
) -> None:
    connection = Connection(rig.cluster)
    connection.search([search], {"per_page": 1})
    assert "search_cutoff_ms=5000" in stand_in.requests[-1]
    connection.close()


def test_one_search_of_several_that_fails_is_told_with_its_own_status(
    rig: Rig, search: dict[str, str]
) -> None:
    connection = Connection(rig.cluster)
    with pytest.raises(TypesenseError, match="404") as caught:
        connection.search([search, {**search, "collection": "nowhere"}], {"per_page": 1})
    assert (caught.value.status, caught.value.ill) == (404, False)
    connection.close()


def test_a_server_that_is_gone_cannot_be_reached_and_is_used_again_when_it_is_back(
    stand_in: StandIn, rig: Rig, search: dict[str, str]
) -> None:
    connection = Connection(rig.cluster)
    connection.search([search], {"per_page": 1})
    stand_in.stop()
    assert trouble(connection, search).reason in (
        "cannot be reached",
        "broke off in the middle of its answer",
    )
    assert trouble(connection, search).reason == "cannot be reached"
    stand_in.start()
    assert connection.search([search], {"per_page": 1})[0].found
    connection.close()


@pytest.mark.parametrize("fault", [None, "slow", "half", 503])
def test_another_node_answers_when_one_fails(
    nodes: list[StandIn], rig: Rig, search: dict[str, str], fault: Fault | None
) -> None:
    """The official client goes to the next; no fault: the node is gone."""
    broken, well = nodes
    cluster = replace(impatient(rig, fault, rest_s=600), urls=(broken.url, well.url))
    connection = Connection(cluster)
    if fault is None:
        broken.stop()
    else:
        broken.fail(fault, delay_s=60.0)
    for _ in range(4):
        assert connection.search([search], {"per_page": 1})[0].found
    assert well.sent("POST /multi_search") == 4
    assert broken.sent("POST /multi_search") <= 1  # and remembers which it was
    connection.close()


def test_when_every_node_fails_that_is_one_failure(
    nodes: list[StandIn], rig: Rig, search: dict[str, str]
) -> None:
    for node in nodes:
        node.fail(503)
    connection = Connection(replace(rig.cluster, urls=tuple(node.url for node in nodes)))
    assert trouble(connection, search).reason == "answered 503: made to fail with 503"
    assert [node.sent("POST /multi_search") for node in nodes] == [1, 1]
    connection.close()


def test_the_log_tells_once_that_it_fails_and_once_that_it_is_back(
    stand_in: StandIn, rig: Rig, search: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    connection = Connection(rig.cluster)
    stand_in.fail(503)
    trouble(connection, search)
    trouble(connection, search)
    stand_in.recover()
    connection.search([search], {"per_page": 1})
    connection.search([search], {"per_page": 1})
    told = [record.getMessage() for record in caplog.records if record.name == "lodge.typesense"]
    assert len(told) == 2
    assert "answered 503" in told[0]
    assert "answers again" in told[1]
    connection.close()


def test_a_wrong_key_is_told_without_the_key(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    cluster = replace(rig.cluster, key=SECRET)
    connection = Connection(cluster)
    with caplog.at_level(logging.DEBUG):
        error = trouble(connection, {"collection": "any", "q": SECRET})
    assert error.reason.startswith("answered 401")
    assert error.ill
    for told in (str(error), repr(error), repr(cluster), *(r.getMessage() for r in caplog.records)):
        assert SECRET not in told
    connection.close()


def test_a_server_that_quotes_the_key_is_not_quoted(stand_in: StandIn, rig: Rig) -> None:
    stand_in.key = "503"  # which stands in the message that it is made to fail with
    stand_in.fail(503)
    connection = Connection(replace(rig.cluster, key="503"))
    assert trouble(connection, {"collection": "any"}).reason == "answered 503: made to fail with …"
    connection.close()


@pytest.mark.parametrize(
    ("url", "node"),
    [
        ("http://search1:8108", ("search1", 8108, "", "http")),
        ("http://search1", ("search1", 8108, "", "http")),
        ("https://search.example.edu", ("search.example.edu", 443, "", "https")),
        ("https://example.edu:8443/typesense/", ("example.edu", 8443, "/typesense", "https")),
        ("http://[::1]:8108", ("::1", 8108, "", "http")),
    ],
)
def test_an_address_becomes_a_node(url: str, node: tuple[object, ...]) -> None:
    [found] = Cluster((url,), "k").nodes()
    assert (found["host"], found["port"], found["path"], found["protocol"]) == node


@pytest.mark.parametrize(
    "url", ["search1:8108", "ftp://search1:21", "http://", "http://h:99999", "http://[::1", "http://h/?q=1"]
)
def test_what_is_no_address_is_named(url: str) -> None:
    with pytest.raises(BadInputError, match="LODGE_TYPESENSE_URLS"):
        Connection(Cluster((url,), "k"))


def test_a_password_in_an_address_is_turned_away_and_not_repeated() -> None:
    with pytest.raises(BadInputError) as caught:
        Connection(Cluster((f"http://me:{SECRET}@search1:8108",), "k"))
    assert SECRET not in str(caught.value)


def test_a_key_is_needed() -> None:
    with pytest.raises(BadInputError, match="LODGE_TYPESENSE_KEY is empty"):
        Connection(Cluster(("http://search1:8108",), ""))


def test_a_port_where_nobody_listens(rig: Rig) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    connection = Connection(replace(rig.cluster, urls=(f"http://127.0.0.1:{port}",)))
    assert trouble(connection, {"collection": "any"}).reason == "cannot be reached"
    connection.close()
