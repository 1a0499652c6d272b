"""The stand-in does what Typesense's manual says, and notices what its description of the API forbids."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.index.typesense.description import ABSENT, ViolationError, description
from tests.index.typesense.stand_in import StandIn

STEMMED = {"name": "title", "type": "string", "stem": True}
FIELDS = [
    STEMMED,
    {"name": "text", "type": "string", "stem": True},
    {"name": "day", "type": "int32"},
    {"name": "keys", "type": "int64[]"},
    {"name": "old", "type": "bool"},
    {"name": "note", "type": "string", "optional": True},
    {"name": "v", "type": "float[]", "num_dim": 2},
]
TEXTS = ["red door", "red door and green door", "green window", "blue window frame", "add/drop"]
KEY = {"X-TYPESENSE-API-KEY": "stand-in-key"}


@pytest.fixture(scope="module")
def node() -> Iterator[StandIn]:
    """A node with a small collection. Tests only read it, or send what it refuses."""
    node = StandIn()
    schema = {"name": "c", "fields": FIELDS, "synonym_sets": ["s"], "token_separators": ["/"]}
    assert send(node, "POST", "/collections", schema)[0] == 201
    lines = "\n".join(json.dumps(document(i, text)) for i, text in enumerate(TEXTS))
    send(node, "POST", "/collections/c/documents/import?action=create", lines)
    items = [
        {"id": "1", "synonyms": ["door", "add drop"]},
        {"id": "2", "root": "glass", "synonyms": ["window"]},
    ]
    send(node, "PUT", "/synonym_sets/s", {"items": items})
    assert node.violations == []
    yield node
    node.stop()


def document(i: int, text: str) -> dict[str, Any]:
    title = "door" if i == 3 else f"Nr {i}"
    vector = [1.0, float(i)]
    return {"id": str(i), "title": title, "text": text, "day": i, "keys": [i, 100], "old": i > 2, "v": vector}


def send(
    node: StandIn, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    connection = HTTPConnection(urlsplit(node.url).netloc, timeout=30)
    data = body if isinstance(body, str) or body is None else json.dumps(body)
    try:
        connection.request(method, path, data, KEY if headers is None else headers)
        response = connection.getresponse()
        text = response.read().decode()
    finally:
        connection.close()
    return response.status, text if "import" in path else json.loads(text)


def search(node: StandIn, common: str = "", **parameters: str) -> dict[str, Any]:
    body = {"collection": "c", "query_by": "title,text", "query_by_weights": "2,1", "include_fields": "id"}
    _, answer = send(node, "POST", f"/multi_search?{common}", {"searches": [{**body, **parameters}]})
    result: dict[str, Any] = answer["results"][0]
    return result


def ids(result: dict[str, Any]) -> list[int]:
    return [int(hit["document"]["id"]) for hit in result["hits"]]


def test_all_words_must_be_there(node: StandIn) -> None:
    assert ids(search(node, "drop_tokens_threshold=0", q="green door")) == [1]


def test_words_are_left_out_from_the_right_and_then_from_the_left_until_there_is_enough(
    node: StandIn,
) -> None:
    assert sorted(ids(search(node, "drop_tokens_threshold=1", q="blue red"))) == [3]
    assert sorted(ids(search(node, "drop_tokens_threshold=2", q="blue red"))) == [0, 1, 3]
    assert ids(search(node, "drop_tokens_threshold=9", q="green window"))[0] == 2


def test_a_match_in_the_heavier_field_comes_first(node: StandIn) -> None:
    assert ids(search(node, q="door"))[0] == 3
    assert ids(search(node, q="door", query_by_weights="1,2"))[0] != 3


def test_endings_do_not_matter(node: StandIn) -> None:
    assert ids(search(node, q="frames")) == [3]


def test_a_sign_parts_words_only_as_a_separator(node: StandIn) -> None:
    assert ids(search(node, q="drop")) == [4]
    assert ids(search(node, q="add-drop", num_typos="0")) == []


@pytest.mark.parametrize(("q", "typos", "found"), [("windwo", "1", 2), ("windwo", "0", 0), ("rad", "2", 0)])
def test_typing_errors_by_the_length_of_the_word(node: StandIn, q: str, typos: str, found: int) -> None:
    assert len(ids(search(node, q=q, num_typos=typos))) == found


def test_synonyms_both_ways_and_one_way(node: StandIn) -> None:
    assert set(ids(search(node, q="add drop"))) == set(ids(search(node, q="door"))) == {0, 1, 3, 4}
    assert set(ids(search(node, q="glass"))) == {2, 3}
    assert ids(search(node, "drop_tokens_threshold=0", q="window glass")) == [3, 2]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("day:=[1..2,4]", [1, 2, 4]),
        ("day:=3", [3]),
        ("day:=[-1]", []),
        ("keys:=[3,4]", [3, 4]),
        ("old:=false && keys:=[100] && day:=[1..9]", [1, 2]),
    ],
)
def test_filters(node: StandIn, where: str, found: list[int]) -> None:
    vector = {"q": "*", "vector_query": "v:([1,0], k:9)"}
    assert ids(search(node, filter_by=where, **vector)) == found


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"q": "door", "filter_by": "nowhere:=1"}, 404),
        ({"q": "door", "filter_by": "day:=x"}, 400),
        ({"q": "door", "filter_by": "old:=perhaps"}, 400),
        ({"q": "door", "filter_by": "day = 3"}, 400),
        ({"q": "door", "query_by": "nowhere", "query_by_weights": "1"}, 404),
        ({"q": "door", "collection": "nowhere"}, 404),
        ({"q": "*", "vector_query": "v:([1,0,0], k:9)"}, 400),
        ({"q": "*", "vector_query": "nowhere:([1,0], k:9)"}, 404),
        ({"q": "*", "vector_query": "v:([1,0], k:many)"}, 400),
        ({"q": "*", "vector_query": "v:[1,0]"}, 400),
    ],
)
def test_what_typesense_refuses_is_refused(node: StandIn, parameters: dict[str, str], status: int) -> None:
    result = search(node, **parameters)
    assert result["code"] == status
    assert result["error"]


def test_no_more_than_a_page_at_once(node: StandIn) -> None:
    assert search(node, "per_page=251", q="door")["code"] == 422
    pages = [ids(search(node, f"per_page=2&page={page}", q="door")) for page in (1, 2, 3)]
    assert [len(page) for page in pages] == [2, 2, 0]


def test_documents_are_judged_one_by_one(node: StandIn) -> None:
    good = document(9, "x")
    lines = [
        {**good, "day": "monday"},
        {**good, "v": [1.0]},
        {name: value for name, value in good.items() if name != "old"},
        {**good, "id": "0"},
    ]
    body = "\n".join([*(json.dumps(line) for line in lines), "{broken"])
    status, text = send(node, "POST", "/collections/c/documents/import?action=create", body)
    results = [json.loads(line) for line in text.split("\n")]
    assert status == 200
    assert [result["success"] for result in results] == [False] * 5
    assert [result["error"] for result in results] == [
        "Field `day` must be an int32.",
        "Field `v` must have 2 dimensions.",
        "Field `old` has been declared in the schema, but is not found in the document.",
        "A document with id 0 already exists.",
        "Bad JSON.",
    ]


def test_a_collection_is_made_once(node: StandIn) -> None:
    assert send(node, "POST", "/collections", {"name": "c", "fields": FIELDS})[0] == 409


def test_the_key_is_asked_for(node: StandIn) -> None:
    status, answer = send(node, "GET", "/health", headers={"X-TYPESENSE-API-KEY": "wrong"})
    assert (status, "must be sent" in answer["message"]) == (401, True)


BODY = {"collection": "c", "q": "door"}
FORBIDDEN: dict[str, tuple[str, str, Any]] = {
    "no such path": ("GET", "/nowhere", None),
    "no such parameter": ("POST", "/multi_search?pre_page=3", {"searches": []}),
    "a parameter that is no number": ("POST", "/multi_search?per_page=many", {"searches": []}),
    "a number as text in a body": (
        "POST",
        "/multi_search",
        {"searches": [{**BODY, "per_page": "3"}]},
    ),
    "a misspelt name in a body": (
        "POST",
        "/multi_search",
        {"searches": [{**BODY, "qeury_by": "t"}]},
    ),
    "a misspelt field setting": (
        "POST",
        "/collections",
        {"name": "d", "fields": [{**STEMMED, "stems": True}]},
    ),
    "a schema without fields": ("POST", "/collections", {"name": "d"}),
    "an action that is none": ("POST", "/collections/c/documents/import?action=push", "{}"),
    "an alias of nothing": ("PUT", "/aliases/a", {}),
    "a synonym without words": ("PUT", "/synonym_sets/t", {"items": [{"id": "1"}]}),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_request_that_the_description_forbids_is_noticed(name: str) -> None:
    known = description()
    if known is None:
        pytest.skip(ABSENT)
    method, path, body = FORBIDDEN[name]
    data = body if isinstance(body, str) else json.dumps(body) if body is not None else ""
    with pytest.raises(ViolationError):
        known.check((method, path, KEY, data.encode()))


@pytest.mark.parametrize(
    "reply",
    [
        (200, b'{"results": [{"found": "many"}]}', "application/json"),
        (200, b'{"answers": []}', "application/json"),
        (200, b"[]", "application/json"),
        (503, b'{"error": "no message"}', "application/json"),
    ],
)
def test_a_reply_that_the_description_forbids_is_noticed(reply: tuple[int, bytes, str]) -> None:
    known = description()
    if known is None:
        pytest.skip(ABSENT)
    with pytest.raises(ViolationError):
        known.check(("POST", "/multi_search?per_page=3", KEY, b'{"searches": []}'), reply)


def test_what_is_noticed_on_the_wire_is_kept_for_the_end_of_the_test() -> None:
    if description() is None:
        pytest.skip(ABSENT)
    node = StandIn()
    try:
        send(node, "GET", "/nowhere")
        send(node, "GET", "/health", headers={})
        assert len(node.violations) == 4  # each of them as a request and as a reply
        assert node.violations[-1] == "GET /health without a key"
    finally:
        node.stop()


def test_a_request_that_breaks_off_is_neither_noted_nor_a_fault() -> None:
    node = StandIn()
    try:
        with socket.create_connection(("127.0.0.1", urlsplit(node.url).port or 0)) as client:
            client.sendall(b"POST /multi_search HTTP/1.1\r\nHost: node\r\nContent-Length: 9\r\n\r\n{}")
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
        assert (node.requests, node.violations) == ([], [])
    finally:
        node.stop()


def test_the_description_is_of_the_version_that_the_stand_in_stands_in_for() -> None:
    known = description()
    if known is None:
        pytest.skip(ABSENT)
    assert known.version == "30.0"
