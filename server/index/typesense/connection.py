"""Searches of a Typesense cluster, each in time; one that fails is left alone for a while."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from typesense import Client
from typesense.configuration import NodeConfigDict
from typesense.exceptions import TypesenseClientError
from typesense.http_backend import backend_errors
from typesense.types.document import MultiSearchCommonParameters
from typesense.types.multi_search import MultiSearchRequestSchema

from server.circuit_breaker import CircuitBreaker, Outcome
from server.errors import BadInputError, StorageError

logger = logging.getLogger("lodge.typesense")

T = TypeVar("T")

_PORTS = {"http": 8108, "https": 443}
_SLACK_S = 0.25  # for what is not waiting: the thread, the JSON
# The request is at fault, not the server: the next question may well be answered.
_ABOUT_THE_REQUEST = frozenset({400, 404, 409, 422})
_MESSAGE_CHARS = 200
_KEY = re.compile(r"[!-~]+")  # what a header can carry
_TIMEOUTS: tuple[type[Exception], ...] = (TimeoutError, *backend_errors("TimeoutException"))


class TypesenseError(StorageError):
    """Typesense did not do what it was asked to. `reason` is a few words for the trace, such as "timed out".

    `ill`: the server itself is in trouble, so that the next question would fare no better.
    """

    code = "typesense_failed"

    def __init__(self, reason: str, *, ill: bool = True, status: int | None = None) -> None:
        super().__init__(f"Typesense: {reason}.")
        self.reason = reason
        self.ill = ill
        self.status = status


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where the nodes are, and how long to wait for one: seconds, for a search and for an import.

    After a failure the cluster is left alone for `rest_s` seconds.
    """

    urls: tuple[str, ...]
    key: str = field(repr=False)
    timeout_s: float = 1.0
    import_timeout_s: float = 60.0
    rest_s: float = 10.0

    def nodes(self) -> list[NodeConfigDict]:
        """The nodes as the client takes them; `BadInputError` for what is no address."""
        return [_node(url) for url in self.urls]

    def check(self) -> None:
        """`BadInputError` when this cannot be a cluster."""
        if not self.nodes():
            raise BadInputError("LODGE_TYPESENSE_URLS is empty.")
        if not self.key:
            raise BadInputError("LODGE_TYPESENSE_URLS is set, but LODGE_TYPESENSE_KEY is empty.")
        if not _KEY.fullmatch(self.key):
            raise BadInputError("LODGE_TYPESENSE_KEY takes one word of plain letters, digits and signs.")


@dataclass(frozen=True, slots=True)
class TypesenseHit:
    """One document of an answer: the chunk's id, and for a vector search its cosine distance (0 to 2)."""

    chunk_id: int
    distance: float | None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What one search brought, best first; `documents` is how many the collection has."""

    documents: int
    found: tuple[TypesenseHit, ...]


def open_client(cluster: Cluster, timeout_s: float, *, retries: int, pause_s: float = 0.0) -> Client:
    """The official client. A failed request goes to the next node, `retries` times at most."""
    cluster.check()
    return Client(
        {
            "nodes": list(cluster.nodes()),
            "api_key": cluster.key,
            "connection_timeout_seconds": timeout_s,
            "num_retries": retries,
            "retry_interval_seconds": pause_s,
            # A node that failed must be worth a try again by the time that the circuit lets one through.
            "healthcheck_interval_seconds": max(0, int(cluster.rest_s) - 2),
        }
    )


class Connection:
    """Searches. Thread-safe. A question waits `timeout_s` for each node, and no longer than that in all."""

    def __init__(self, cluster: Cluster, clock: Callable[[], float] = time.monotonic) -> None:
        self._cluster = cluster
        self._client = open_client(cluster, cluster.timeout_s, retries=len(cluster.urls) - 1)
        self._breaker = CircuitBreaker(1, cluster.rest_s, clock)
        self._why = ""  # why it failed last
        self._patience_s = cluster.timeout_s * len(cluster.urls) + _SLACK_S
        # What nobody waits for any more, the server need not work on.
        self._always = {"search_cutoff_ms": int(cluster.timeout_s * 1000)}

    def search(self, searches: Sequence[Mapping[str, str]], common: Mapping[str, int]) -> list[SearchAnswer]:
        """The answer to each search, all of them in one request; `TypesenseError` when one fails.

        Numbers go into `common`, the query string: within the body the client would make them strings, which
        Typesense's description of its API does not allow.
        """
        permit = self._breaker.admit()
        if permit is None:
            raise TypesenseError(self._why)
        outcome: Outcome = "withdrawn"
        try:
            with translated(self._cluster.key):
                reply = _in_time(lambda: self._perform(searches, common), self._patience_s)
                answers = _answers(reply, len(searches))
            outcome = "well"
            return answers
        except TypesenseError as error:
            outcome = "failed" if error.ill else "well"
            self._why = error.reason if error.ill else self._why
            raise
        finally:
            if self._breaker.settle(permit, outcome):
                self._tell(outcome)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.api_call.close()

    def _perform(self, searches: Sequence[Mapping[str, str]], common: Mapping[str, int]) -> object:
        body = cast(MultiSearchRequestSchema, {"searches": [dict(search) for search in searches]})
        return self._client.multi_search.perform(
            body, cast(MultiSearchCommonParameters, {**common, **self._always})
        )

    def _tell(self, outcome: Outcome) -> None:
        if outcome == "well":
            logger.warning("Typesense answers again.")
            return
        rest = f"{self._cluster.rest_s:g} s"
        logger.warning("Typesense: %s. DuckDB answers; Typesense is left alone for %s.", self._why, rest)


@contextmanager
def translated(key: str) -> Iterator[None]:
    """Whatever the client raises, as a `TypesenseError` that does not tell the key."""
    try:
        yield
    except TypesenseError:
        raise
    except _TIMEOUTS:
        raise TypesenseError("timed out") from None
    except backend_errors("ConnectError"):
        raise TypesenseError("cannot be reached") from None
    except TypesenseClientError as error:
        raise _refused(error, key) from None
    except backend_errors("HTTPError"):
        raise TypesenseError("broke off in the middle of its answer") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise TypesenseError("gave an answer that cannot be read") from None


def _refused(error: TypesenseClientError, key: str) -> TypesenseError:
    """An answer with another status than 2xx; `args` are the status and Typesense's own message."""
    status, message = (*error.args, None, None)[:2]
    if not isinstance(status, int):
        return TypesenseError("gave an answer that cannot be read")
    return _with_status(status, str(message or "").replace(key, "…"))


def _with_status(status: int, message: str) -> TypesenseError:
    plain = " ".join(message.split())[:_MESSAGE_CHARS].rstrip(". ")
    reason = f"answered {status}" + (f": {plain}" if plain else "")
    return TypesenseError(reason, ill=status not in _ABOUT_THE_REQUEST, status=status)


def _in_time(call: Callable[[], T], seconds: float) -> T:
    """What `call` returns, or `TimeoutError`.

    The client's own time-out starts anew with every byte, so a server that trickles would hold a question for
    as long as it likes. The thread left behind ends when the server does, or with the program.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="lodge-typesense", daemon=True).start()
    return future.result(seconds)


def _answers(reply: Any, searches: int) -> list[SearchAnswer]:
    """The answers of a multi search; a failed search stands among the others with its own status."""
    results = reply["results"]
    if len(results) != searches:
        raise ValueError("an answer is missing")
    return [_answer(result) for result in results]


def _answer(result: Any) -> SearchAnswer:
    if "code" in result or "error" in result:
        raise _with_status(int(result.get("code", 500)), str(result.get("error", "")))
    if result.get("search_cutoff"):
        raise TypesenseError("ran out of time")
    found = tuple(
        TypesenseHit(int(hit["document"]["id"]), _number(hit.get("vector_distance")))
        for hit in result["hits"]
    )
    return SearchAnswer(int(result["out_of"]), found)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _node(url: str) -> NodeConfigDict:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise _no_address(url) from None
    if parts.scheme not in _PORTS or not parts.hostname or "@" in parts.netloc or parts.query:
        raise _no_address(url)
    return {"host": parts.hostname, "port": port, "path": parts.path.rstrip("/"), "protocol": parts.scheme}


def _no_address(url: str) -> BadInputError:
    """It does not repeat what stands before an @: that may be a password."""
    return BadInputError(
        f"LODGE_TYPESENSE_URLS has {url.rpartition('@')[2]!r}; it takes addresses such as "
        "http://search1.example.edu:8108, separated by spaces."
    )
