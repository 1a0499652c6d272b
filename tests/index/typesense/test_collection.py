"""A collection is used only when it is the whole of the very snapshot that a question has open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.index.search import Index
from server.index.typesense.connection import Connection, TypesenseError
from server.index.typesense.search import Collection
from tests.index.typesense import pages
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import StandIn

HOURS = {"q": "hours", "query_by": "text", "query_by_weights": "1"}


@pytest.fixture
def collection(rig: Rig, dressed: Index) -> Iterator[Collection]:
    rig.publish(dressed, vectors=False)
    connection = Connection(rig.cluster)
    yield Collection(connection, rig.names.collection(dressed.name), dressed.snapshot)
    connection.close()


def test_more_than_one_answer_holds_is_asked_for_page_by_page(collection: Collection) -> None:
    [found] = collection.search([HOURS], pages.COUNT, None)
    assert sorted(hit.chunk_id for hit in found) == list(range(pages.COUNT))
    assert [len(hits) for hits in collection.search([HOURS, {**HOURS, "q": "door"}], 251, None)] == [251, 60]


def test_no_page_is_asked_for_after_a_short_one(stand_in: StandIn, collection: Collection) -> None:
    before = stand_in.sent("POST /multi_search")
    assert len(collection.search([{**HOURS, "q": "door"}], pages.COUNT, None)[0]) == 60
    assert stand_in.sent("POST /multi_search") == before + 1


def test_nothing_is_asked_for_nothing(stand_in: StandIn, collection: Collection) -> None:
    assert collection.search([HOURS], 0, None) == [[]]
    assert stand_in.sent("POST /multi_search") == 0


def test_a_collection_that_lacks_a_document_is_not_used(
    rig: Rig, collection: Collection, dressed: Index
) -> None:
    rig.client.collections[rig.names.collection(dressed.name)].documents["7"].delete()
    with pytest.raises(TypesenseError, match="has 299 of 300 documents") as caught:
        collection.search([HOURS], 3, None)
    assert not caught.value.ill


def test_a_collection_of_other_documents_is_not_used(
    rig: Rig, collection: Collection, dressed: Index
) -> None:
    """As many, but not these."""
    documents = rig.client.collections[rig.names.collection(dressed.name)].documents
    whole = documents["7"].retrieve()
    documents["7"].delete()
    documents.import_(json.dumps({**whole, "id": "300"}))
    with pytest.raises(TypesenseError, match="is of another snapshot"):
        collection.search([{**HOURS, "q": "number 7"}], 3, None)


def test_a_collection_that_is_not_there_is_told(rig: Rig, collection: Collection, dressed: Index) -> None:
    rig.publisher().drop([dressed.name])
    with pytest.raises(TypesenseError, match="answered 404"):
        collection.search([HOURS], 3, None)


def test_each_snapshot_has_its_own(rig: Rig, tmp_path: Path, collection: Collection) -> None:
    """A question that began with one is not brought another's chunks, whichever the alias names."""
    other = Index(pages.build(tmp_path / "20260203-040506", count=10), threads=1)
    rig.publish(other, vectors=False)
    assert rig.behind_the_alias() == rig.names.collection(other.name)
    assert len(collection.search([HOURS], pages.COUNT, None)[0]) == pages.COUNT
    other.close()
