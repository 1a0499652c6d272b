"""A small Typesense in the process of the tests: real HTTP on loopback, and only what Lodge uses of it.

Every request and every reply is held against Typesense's description of its API, where that is at hand; what
does not fit is in `violations`, which the fixture requires to be empty. Faults are switches. The nodes of a
cluster share a `Store`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.index.typesense.description import ViolationError, description
from tests.index.typesense.matching import (
    RefusedError,
    TextQuery,
    Words,
    nearest,
    parse_filter,
    parse_vector_query,
    text_search,
)

MOST_A_PAGE = 250
VERSION = "30.0"

# slow: the answer comes after `delay_s`; drip: a byte at a time, each after `delay_s`; half: the connection
# breaks off in the middle; garbled: an answer of the right length that is half a JSON document; empty: a JSON
# document with nothing in it; cutoff: a search that ended before it was done; a number: that status.
Fault = Literal["slow", "drip", "half", "garbled", "empty", "cutoff"] | int

Reply = tuple[int, Any]


@dataclass
class Stored:
    """One collection."""

    schema: dict[str, Any]
    created_at: int
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.types: dict[str, str] = {f["name"]: f["type"] for f in self.schema["fields"]}
        self.words = Words(self.schema.get("token_separators", []))

    def summary(self) -> dict[str, Any]:
        return {**self.schema, "num_documents": len(self.documents), "created_at": self.created_at}

    def put(self, document: dict[str, Any]) -> None:
        self.documents[document["id"]] = document
        self.words.add(document, [name for name, kind in self.types.items() if kind == "string"])

    def remove(self, name: str) -> dict[str, Any]:
        document = self.documents.pop(name)
        self.words = Words(self.words.separators)
        for kept in self.documents.values():
            self.put(kept)
        return document

    def judge(self, document: dict[str, Any]) -> str | None:
        """Why the document does not fit the schema, in Typesense's words."""
        for declared in self.schema["fields"]:
            name = declared["name"]
            if name not in document:
                if not declared.get("optional"):
                    return (
                        f"Field `{name}` has been declared in the schema, but is not found in the document."
                    )
            elif not _fits(document[name], declared["type"]):
                return f"Field `{name}` must be {_noun(declared['type'])}."
            elif "num_dim" in declared and declared["num_dim"] != len(document[name]):
                return f"Field `{name}` must have {declared['num_dim']} dimensions."
        return None


@dataclass
class Store:
    """What the nodes of a cluster have in common."""

    collections: dict[str, Stored] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    synonym_sets: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    refused_documents: dict[str, str] = field(default_factory=dict)  # by id, why
    forgotten_documents: set[str] = field(default_factory=set)  # taken in, and not there
    lock: threading.RLock = field(default_factory=threading.RLock)


class StandIn:
    """One node. `requests` are those that it has been sent, as "GET /health"."""

    def __init__(self, store: Store | None = None, key: str = "stand-in-key") -> None:
        self.store = store or Store()
        self.key = key
        self.requests: list[str] = []
        self.bodies: list[tuple[str, Any]] = []  # those that are JSON
        self.lose_neighbours = 0  # so many fewer than a vector search should bring
        self.ignore_filters = False
        self.violations: list[str] = []
        self.fault: Fault | None = None
        self.fault_on = ""  # only on requests with this in their path or body
        self.fault_after = 0  # so many of those are spared
        self.delay_s = 5.0
        self._stopping = threading.Event()
        self._server: _Server | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listen, at the port it had before if it had one."""
        self._stopping.clear()
        self._server = _Server(("127.0.0.1", self._port), self)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Be down: no listener, and no connection left open."""
        if self._server is None:
            return
        server, self._server = self._server, None
        self._stopping.set()
        server.shutdown()
        server.server_close()
        server.drop_connections()

    def fail(self, fault: Fault, *, on: str = "", after: int = 0, delay_s: float = 5.0) -> None:
        """From now on, so."""
        self.fault, self.fault_on, self.fault_after, self.delay_s = fault, on, after, delay_s

    def recover(self) -> None:
        """No fault any more."""
        self.fault = None

    def sent(self, what: str) -> int:
        """How many requests began like this."""
        return sum(request.startswith(what) for request in self.requests)

    def note(self, request: str, body: bytes) -> None:
        self.requests.append(request)
        with contextlib.suppress(ValueError):
            self.bodies.append((request, json.loads(body)))

    def pause(self, seconds: float) -> None:
        """Wait, but not for one that is stopping."""
        self._stopping.wait(seconds)

    def fault_for(self, path: str, body: bytes) -> Fault | None:
        if self.fault is None or self.fault_on not in path + body.decode():
            return None
        self.fault_after -= 1
        return self.fault if self.fault_after < 0 else None

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The status and the payload: text for an import, else what becomes JSON."""
        given = {name.lower(): value for name, value in headers.items()}
        if given.get("x-typesense-api-key") != self.key:
            return 401, {"message": "Forbidden - a valid `x-typesense-api-key` header must be sent."}
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        path = [unquote(part) for part in parts.path.strip("/").split("/")]
        with self.store.lock:
            try:
                return self._route(method, path, query, body)
            except RefusedError as refused:
                return refused.status, {"message": refused.message}

    def _route(self, method: str, path: list[str], query: dict[str, str], body: bytes) -> Reply:
        match path:
            case ["health"]:
                return 200, {"ok": True}
            case ["multi_search"]:
                searches = json.loads(body)["searches"]
                return 200, {"results": [self._search({**search, **query}) for search in searches]}
            case ["collections", *rest]:
                return self._collections(method, rest, query, body)
            case ["aliases", name]:
                return _named(method, self.store.aliases, name, "collection_name", body)
            case ["synonym_sets", name]:
                return _named(method, self.store.synonym_sets, name, "items", body)
        raise RefusedError(404, "Not Found")

    def _collections(self, method: str, path: list[str], query: dict[str, str], body: bytes) -> Reply:
        match (method, *path):
            case ("GET",):
                return 200, [stored.summary() for stored in self.store.collections.values()]
            case ("POST",):
                return self._create(json.loads(body))
            case ("GET", name):
                return 200, self._collection(name).summary()
            case ("DELETE", name):
                summary = self._collection(name).summary()
                del self.store.collections[name]
                return 200, summary
            case ("POST", name, "documents", "import"):
                return 200, self._import(self._collection(name), query, body.decode())
            case (_, name, "documents", *rest):
                return self._document(method, self._collection(name), rest)
        raise RefusedError(404, "Not Found")

    def _collection(self, name: str) -> Stored:
        name = self.store.aliases.get(name, name)
        if name not in self.store.collections:
            raise RefusedError(404, f"No collection with name `{name}` found.")
        return self.store.collections[name]

    def _create(self, schema: dict[str, Any]) -> Reply:
        if schema["name"] in self.store.collections:
            raise RefusedError(409, f"A collection with name `{schema['name']}` already exists.")
        stored = Stored(schema, int(time.time()))
        self.store.collections[schema["name"]] = stored
        return 201, stored.summary()

    def _document(self, method: str, stored: Stored, path: list[str]) -> Reply:
        match (method, *path):
            case ("GET", name) if name in stored.documents:
                return 200, stored.documents[name]
            case ("DELETE", name) if name in stored.documents:
                return 200, stored.remove(name)
        raise RefusedError(404, "Could not find a document with that id.")

    def _import(self, stored: Stored, query: Mapping[str, str], body: str) -> str:
        lines = [self._import_one(stored, query, line) for line in body.split("\n")]
        return "\n".join(json.dumps(line) for line in lines)

    def _import_one(self, stored: Stored, query: Mapping[str, str], line: str) -> dict[str, Any]:
        try:
            document = json.loads(line)
        except ValueError:
            return {"success": False, "code": 400, "error": "Bad JSON.", "document": line}
        error = self.store.refused_documents.get(document["id"]) or stored.judge(document)
        if error is None and query.get("action", "create") == "create" and document["id"] in stored.documents:
            error = f"A document with id {document['id']} already exists."
        if error is not None:
            return {"success": False, "code": 400, "error": error, "document": line}
        if document["id"] not in self.store.forgotten_documents:
            stored.put(document)
        return {"success": True}

    def _search(self, search: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._found(search)
        except RefusedError as refused:
            return {"code": refused.status, "error": refused.message}

    def _found(self, search: Mapping[str, Any]) -> dict[str, Any]:
        stored = self._collection(search["collection"])
        page, size = int(search.get("page", 1)), int(search.get("per_page", 10))
        if size > MOST_A_PAGE:
            raise RefusedError(422, f"Only upto {MOST_A_PAGE} hits can be fetched per page.")
        where = "" if self.ignore_filters else search.get("filter_by", "")
        holds = parse_filter(where, stored.types)
        hits = self._hits(stored, search, lambda i: holds(stored.documents[i]))
        part = hits[(page - 1) * size : page * size]
        fields = [name for name in search.get("include_fields", "").split(",") if name]
        return {
            "facet_counts": [],
            "found": len(hits),
            "hits": [_hit(stored.documents[i], fields, extra) for i, extra in part],
            "out_of": len(stored.documents),
            "page": page,
            "request_params": {"collection_name": search["collection"], "per_page": size, "q": search["q"]},
            "search_cutoff": False,
            "search_time_ms": 0,
        }

    def _hits(
        self, stored: Stored, search: Mapping[str, Any], allowed: Callable[[str], bool]
    ) -> list[tuple[str, dict[str, Any]]]:
        if "vector_query" in search:
            query = parse_vector_query(search["vector_query"])
            if stored.types.get(query.name) != "float[]":
                raise RefusedError(404, f"Could not find a field named `{query.name}` in the schema.")
            near = nearest(query, stored.documents, allowed)
            return [(i, {"vector_distance": d}) for i, d in near[: len(near) - self.lose_neighbours]]
        return [(i, {"text_match": s}) for i, s in self._text_hits(stored, search, allowed)]

    def _text_hits(
        self, stored: Stored, search: Mapping[str, Any], allowed: Callable[[str], bool]
    ) -> list[tuple[str, int]]:
        fields = search["query_by"].split(",")
        if unknown := [name for name in fields if stored.types.get(name) != "string"]:
            raise RefusedError(404, f"Could not find a field named `{unknown[0]}` in the schema.")
        query = TextQuery(
            search["q"],
            fields,
            [int(weight) for weight in search["query_by_weights"].split(",")],
            int(search.get("num_typos", 2)),
            int(search.get("drop_tokens_threshold", 1)),
        )
        return text_search(stored.words, query, self._synonyms(stored), allowed)

    def _synonyms(self, stored: Stored) -> list[tuple[list[str], list[str]]]:
        items = [
            item
            for name in stored.schema.get("synonym_sets", [])
            for item in self.store.synonym_sets.get(name, [])
        ]
        pairs: list[tuple[list[str], list[str]]] = []
        for item in items:
            words = [stored.words.stems(word) for word in item["synonyms"]]
            asked = [stored.words.stems(item["root"])] if "root" in item else words
            pairs += [(phrase, other) for phrase in asked for other in words if other != phrase]
        return pairs


def _named(method: str, things: dict[str, Any], name: str, what: str, body: bytes) -> Reply:
    """PUT, GET and DELETE of a thing with a name."""
    if method == "PUT":
        things[name] = json.loads(body)[what]
    elif name not in things:
        raise RefusedError(404, "Not Found")
    value = things.pop(name) if method == "DELETE" else things[name]
    return 200, {"name": name, what: value}


def _hit(document: Mapping[str, Any], fields: list[str], extra: Mapping[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in document.items() if not fields or name in fields}
    return {"document": shown, "highlight": {}, "highlights": [], **extra}


def _fits(value: Any, kind: str) -> bool:
    if kind.endswith("[]"):
        return isinstance(value, list) and all(_fits(one, kind[:-2]) for one in value)
    if kind in ("int32", "int64"):
        most = 2**31 if kind == "int32" else 2**63
        return isinstance(value, int) and not isinstance(value, bool) and -most <= value < most
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "bool": bool}[kind])


def _noun(kind: str) -> str:
    plain = kind.removesuffix("[]")
    return f"{'an' if plain[0] in 'aeio' else 'a'} {plain}" + (" array" if kind.endswith("[]") else "")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], node: StandIn) -> None:
        self.node = node
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        for connection in list(self._open):
            with contextlib.suppress(OSError):  # it has gone by itself
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is no news; anything else is a fault of the stand-in."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.node.violations.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do(self) -> None:
        node = self.server.node
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:  # the client gave up, or this node was stopped, in the middle of it
            self.close_connection = True
            return
        node.note(f"{self.command} {self.path}", body)
        headers = dict(self.headers.items())
        asked = (self.command, self.path, headers, body)
        self._judge(asked, None)
        fault = node.fault_for(self.path, body)
        if isinstance(fault, int):
            self._send(fault, json.dumps({"message": f"made to fail with {fault}"}).encode())
            return
        if fault == "slow":
            node.pause(node.delay_s)
        status, payload = node.answer(*asked)
        data = payload.encode() if isinstance(payload, str) else json.dumps(payload).encode()
        kind = "application/octet-stream" if isinstance(payload, str) else "application/json"
        self._judge(asked, (status, data, kind))
        match fault:
            case "half":
                self._send(status, data[: len(data) // 2], kind, length=len(data))
                self.close_connection = True
            case "garbled":
                self._send(status, data[: len(data) * 3 // 7], kind)
            case "cutoff":
                self._send(status, data.replace(b'"search_cutoff": false', b'"search_cutoff": true'), kind)
            case "empty":
                self._send(status, b"{}", kind)
            case "drip":
                self._drip(status, data, kind)
            case _:
                self._send(status, data, kind)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do  # noqa: N815 - the names that http.server calls

    def _judge(
        self, asked: tuple[str, str, dict[str, str], bytes], reply: tuple[int, bytes, str] | None
    ) -> None:
        known = description()
        if known is None:
            return
        if "x-typesense-api-key" not in {name.lower() for name in asked[2]}:
            self.server.node.violations.append(f"{asked[0]} {asked[1]} without a key")
            return
        try:
            known.check(asked, reply)
        except ViolationError as violation:
            self.server.node.violations.append(str(violation))

    def _send(
        self, status: int, data: bytes, kind: str = "application/json", length: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def _drip(self, status: int, data: bytes, kind: str) -> None:
        self._send(status, b"", kind, length=len(data))
        for i in range(len(data)):
            self.server.node.pause(self.server.node.delay_s)
            self.wfile.write(data[i : i + 1])
            self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as http.server calls it
        """Nothing on standard error."""
