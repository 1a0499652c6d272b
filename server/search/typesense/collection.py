"""A snapshot's collection, and the making sure that it is what it should be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from server.records import Scope
from server.search.snapshot import Snapshot
from server.search.typesense.connection import Connection, Found, SearchAnswer, TypesenseError
from server.search.typesense.filters import filter_by

MOST_AT_ONCE = 250  # hits that Typesense gives in one answer


class Collection:
    """Searches the collection of one snapshot.

    Every answer tells how many documents there are, so one that is half filled is never used.
    """

    def __init__(self, connection: Connection, name: str, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._connection = connection
        self._name = name

    def search(
        self,
        searches: Sequence[Mapping[str, str]],
        limit: int,
        within: Scope | None,
        common: Mapping[str, int] | None = None,
    ) -> list[list[Found]]:
        """What each search brings of the scope, `limit` hits at most, best first; `TypesenseError`."""
        where = filter_by(within, self.snapshot)
        every = {"collection": self._name, "include_fields": "id"} | ({"filter_by": where} if where else {})
        bodies = [{**every, **search} for search in searches]
        found: list[list[Found]] = [[] for _ in searches]
        for page, size in _pages(limit):
            answers = self._connection.search(bodies, {**(common or {}), "per_page": size, "page": page})
            for hits, answer in zip(found, answers, strict=True):
                self._require_ours(answer)
                hits.extend(answer.found)
            if all(len(answer.found) < size for answer in answers):
                break
        return [hits[:limit] for hits in found]

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _require_ours(self, answer: SearchAnswer) -> None:
        chunks = self.snapshot.manifest.chunks
        if answer.documents != chunks:
            raise TypesenseError(
                f"the collection {self._name} has {answer.documents} of {chunks} documents", ill=False
            )
        if not all(0 <= hit.chunk_id < chunks for hit in answer.found):
            raise TypesenseError(f"the collection {self._name} is of another snapshot", ill=False)


def _pages(limit: int) -> Iterator[tuple[int, int]]:
    """The pages, counted from 1, that hold `limit` hits, and the size of one."""
    size = min(limit, MOST_AT_ONCE)
    return ((page, size) for page in range(1, -(-limit // size) + 1)) if size else iter(())
