"""What a test needs of a Typesense: its address, names of its own, and the parts that speak with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from server.index.search import Index
from server.index.text import Synonym
from server.index.typesense.connection import Cluster, TypesenseError, open_client, translated
from server.index.typesense.publish import ImportReport, TypesensePublisher
from server.index.typesense.schema import Names
from server.index.typesense.search import Engine, EngineOptions


class Rig:
    """Opens publishers, engines and a bare client over one cluster, and closes them all."""

    def __init__(self, urls: tuple[str, ...], key: str, names: Names) -> None:
        self.names = names
        self.cluster = Cluster(urls, key, timeout_s=5.0, import_timeout_s=30.0, rest_s=0.0)
        self.client = open_client(self.cluster, 10.0, retries=0)
        self._closing: list[Callable[[], None]] = [self.client.api_call.close]

    def publisher(self, *, vectors: bool = True, synonyms: tuple[Synonym, ...] = ()) -> TypesensePublisher:
        publisher = TypesensePublisher(self.cluster, self.names, vectors=vectors, synonyms=synonyms)
        self._closing.append(publisher.close)
        return publisher

    def publish(self, index: Index, **options: Any) -> ImportReport:
        """The snapshot is in Typesense and behind the alias."""
        publisher = self.publisher(**options)
        report = publisher.ensure(index)
        publisher.switch(index.name)
        return report

    def engine(
        self, index: Index, cluster: Cluster | None = None, *, vectors: bool = True, **options: Any
    ) -> Engine:
        engine = Engine(index, cluster or self.cluster, EngineOptions(self.names, vectors, **options))
        self._closing.append(engine.close)
        return engine

    def documents(self, index: Index) -> int | None:
        """How many documents the snapshot's collection has; None: there is none."""
        try:
            with translated(self.cluster.key):
                return self.client.collections[self.names.collection(index.name)].retrieve()["num_documents"]
        except TypesenseError as error:
            if error.status != 404:
                raise
            return None

    def behind_the_alias(self) -> str | None:
        """The collection that the alias names."""
        try:
            with translated(self.cluster.key):
                return str(self.client.aliases[self.names.alias].retrieve()["collection_name"])
        except TypesenseError as error:
            if error.status != 404:
                raise
            return None

    def clean_up(self) -> None:
        """Drop whatever has one of this rig's names."""
        for collection in self.client.collections.retrieve():
            if collection["name"].startswith(self.names.alias):
                self.client.collections[collection["name"]].delete()
        for delete in (
            self.client.aliases[self.names.alias].delete,
            self.client.synonym_sets[self.names.synonyms].delete,
        ):
            with contextlib.suppress(TypesenseError), translated(self.cluster.key):
                delete()

    def close(self) -> None:
        for close in self._closing:
            close()
