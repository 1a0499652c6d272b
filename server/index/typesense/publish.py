"""Snapshots into Typesense: a collection each, filled and counted before the alias is switched to it.

    lodge-20260102-030405   the collection of a snapshot, of the same name behind the alias
    lodge                   the alias: the live snapshot's collection, for readers other than Lodge
    lodge-synonyms          the synonym set of all of them

Lodge itself asks for the collection of the snapshot it has open, by name, and uses none that is not whole.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, cast

from typesense import Client
from typesense.types.collection import CollectionCreateSchema
from typesense.types.synonym_set import SynonymItemSchema

from server.index.search import Index
from server.index.text import Synonym, usable
from server.index.typesense.connection import Cluster, TypesenseError, open_client, translated
from server.index.typesense.schema import Names, about, collection_schema, documents

BATCH = 500  # documents: about 2 MB with vectors
_SETTLE_TRIES = 10  # a node that follows the one written to may be a moment behind
_SETTLE_PAUSE_S = 0.3
_RETRY_PAUSE_S = 0.2

Document = dict[str, Any]
OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """A document that Typesense did not take, and its reason."""

    chunk_id: str
    url: str
    error: str

    def __str__(self) -> str:
        return f"document {self.chunk_id} ({self.url}): {self.error}"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What a collection is like now; `made` says whether it had to be. One with `failures` is not whole.

    `unused_synonyms` are phrases of which stop words leave too little.
    """

    collection: str
    documents: int
    made: bool
    failures: tuple[ImportFailure, ...] = ()
    unused_synonyms: tuple[str, ...] = ()


class TypesensePublisher:
    """Makes, switches and drops the collections of snapshots. Every method may raise `TypesenseError`."""

    def __init__(
        self, cluster: Cluster, names: Names, *, vectors: bool = False, synonyms: Sequence[Synonym] = ()
    ) -> None:
        retries = len(cluster.urls)
        self._key = cluster.key
        self._names = names
        self._vectors = vectors
        self._synonyms = tuple(synonyms)
        # A server that hangs must not hold up a rollback for the length of an import.
        self._quick = open_client(cluster, cluster.timeout_s, retries=retries, pause_s=_RETRY_PAUSE_S)
        self._slow = open_client(cluster, cluster.import_timeout_s, retries=retries, pause_s=_RETRY_PAUSE_S)

    def close(self) -> None:
        """Let go of the connections."""
        self._quick.api_call.close()
        self._slow.api_call.close()

    def ensure(
        self, index: Index, *, rebuild: bool = False, on_progress: OnProgress = lambda done, of: None
    ) -> ImportReport:
        """The snapshot's collection and the synonyms are in Typesense, whole; it is made anew if it is not.

        When documents were refused the report has them all, and the collection is one that nobody uses.
        """
        unused = self._put_synonyms(index)
        name, manifest = self._names.collection(index.name), index.snapshot.manifest
        if not rebuild and self._is_whole(name, index):
            return ImportReport(name, manifest.chunks, made=False, unused_synonyms=unused)
        with self._at(self._slow) as client:
            self._drop(client, name)
            client.collections.create(cast(CollectionCreateSchema, self._schema(name, index)))
        failures: list[ImportFailure] = []
        done = 0
        for batch in documents(index.snapshot, BATCH, vectors=self._vectors):
            failures += self._import(name, batch, done, manifest.chunks)
            done += len(batch)
            on_progress(done, manifest.chunks)
        if not failures:
            self._require_whole(name, manifest.chunks)
        return ImportReport(name, done - len(failures), True, tuple(failures), unused)

    def switch(self, snapshot: str) -> None:
        """The alias names this snapshot's collection from now on."""
        with self._at(self._quick) as client:
            client.aliases.upsert(self._names.alias, {"collection_name": self._names.collection(snapshot)})

    def drop(self, snapshots: Sequence[str]) -> None:
        """The collections of these snapshots are gone; one that was not there is no error."""
        for snapshot in snapshots:
            with self._at(self._slow) as client:
                self._drop(client, self._names.collection(snapshot))

    def leftovers(self, snapshots: Sequence[str]) -> list[str]:
        """Snapshots other than these that have a collection of ours."""
        with self._at(self._quick) as client:
            there = cast(list[dict[str, Any]], client.collections.retrieve())
            named = [(found["name"], _snapshot_of(found)) for found in there]
        ours = {snapshot for name, snapshot in named if name == self._names.collection(snapshot)}
        return sorted(ours - set(snapshots))

    def _schema(self, name: str, index: Index) -> dict[str, Any]:
        manifest = index.snapshot.manifest
        dims = manifest.dims if self._vectors else None
        return collection_schema(name, self._names.synonyms, dims, about(manifest, vectors=self._vectors))

    def _is_whole(self, name: str, index: Index) -> bool:
        """Whether the collection is there, of this very snapshot, with every document."""
        manifest = index.snapshot.manifest
        wanted = about(manifest, vectors=self._vectors)
        try:
            with self._at(self._quick) as client:
                found: Any = client.collections[name].retrieve()
                return bool(
                    found["num_documents"] == manifest.chunks and found.get("metadata", wanted) == wanted
                )
        except TypesenseError as error:
            if error.status == 404:
                return False
            raise

    def _drop(self, client: Client, name: str) -> None:
        try:
            with translated(self._key):
                client.collections[name].delete()
        except TypesenseError as error:
            if error.status != 404:
                raise

    def _import(self, name: str, batch: Sequence[Document], done: int, of: int) -> list[ImportFailure]:
        """One batch; which documents of it were refused. Sent again after a time-out, it does no harm."""
        lines = "\n".join(json.dumps(document) for document in batch)
        try:
            with self._at(self._slow) as client:
                reply = client.collections[name].documents.import_(lines, {"action": "upsert"})
        except TypesenseError as error:
            raise TypesenseError(
                f"{error.reason} (the import ended at {done} of {of} documents)", status=error.status
            ) from None
        results = reply.split("\n") if reply else []
        pairs = zip_longest(batch, results[: len(batch)])
        judged = [(document, _why_refused(line)) for document, line in pairs]
        return [
            ImportFailure(document["id"], document["url"], why.replace(self._key, "…"))
            for document, why in judged
            if why is not None
        ]

    def _require_whole(self, name: str, expected: int) -> None:
        for attempt in range(_SETTLE_TRIES):
            with self._at(self._quick) as client:
                there = int(client.collections[name].retrieve()["num_documents"])
            if there == expected:
                return
            if attempt < _SETTLE_TRIES - 1:
                time.sleep(_SETTLE_PAUSE_S)
        raise TypesenseError(f"the collection {name} has {there} of {expected} documents", ill=False)

    def _put_synonyms(self, index: Index) -> tuple[str, ...]:
        """The synonyms, without stop words, as questions are asked; the phrases that are not usable so."""
        items: list[SynonymItemSchema] = []
        unused: list[str] = []
        own = (Synonym(*row) for row in index.snapshot.synonyms)
        for number, synonym in enumerate([*self._synonyms, *own], 1):
            content = {phrase: index.text.content_words(phrase) for phrase in synonym.phrases()}
            plain = {
                phrase: " ".join(content[phrase]) for phrase in content if usable(phrase, content[phrase])
            }
            unused += [phrase for phrase in content if phrase not in plain]
            item = _item(f"synonym-{number}", synonym, plain)
            items += [item] if item else []
        with self._at(self._quick) as client:
            client.synonym_sets[self._names.synonyms].upsert({"items": items})
        return tuple(unused)

    @contextmanager
    def _at(self, client: Client) -> Iterator[Client]:
        with translated(self._key):
            yield client


def _snapshot_of(collection: dict[str, Any]) -> str:
    """The snapshot that a collection was made of, as it says itself; empty for one that is not Lodge's."""
    return str((collection.get("metadata") or {}).get("snapshot", ""))


def _item(name: str, synonym: Synonym, plain: dict[str, str]) -> SynonymItemSchema | None:
    """A synonym as Typesense takes it; None when too few words of it are left."""
    words = list(dict.fromkeys(plain[word] for word in synonym.words if word in plain))
    if synonym.asked is None:
        return {"id": name, "synonyms": words} if len(words) > 1 else None
    root = plain.get(synonym.asked)
    return {"id": name, "root": root, "synonyms": words} if root and words else None


def _why_refused(line: str | None) -> str | None:
    """What a line of the import's answer says against its document; None: nothing."""
    if line is None:
        return "Typesense said nothing of it"
    try:
        result = json.loads(line)
        return None if result["success"] is True else str(result.get("error") or "refused without a reason")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "what Typesense said of it cannot be read"
