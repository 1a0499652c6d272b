"""Snapshots become collections, whole or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.index.search import Index
from server.index.text import Synonym
from server.index.typesense import publish
from server.index.typesense.connection import TypesenseError
from server.index.typesense.publish import TypesensePublisher
from server.index.typesense.schema import documents, page_keys
from tests.index.typesense import pages
from tests.index.typesense.pages import COUNT
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import Fault, StandIn


def used(rig: Rig, index: Index) -> bool:
    """Whether questions are answered from the collection."""
    return rig.engine(index, vectors=False).keyword.search("door", 3).notes == {"engine": "typesense"}


def imports(stand_in: StandIn) -> int:
    return sum("/documents/import" in request for request in stand_in.requests)


def test_every_chunk_becomes_a_document_and_the_alias_names_them(rig: Rig, dressed: Index) -> None:
    report = rig.publish(dressed)
    name = rig.names.collection(dressed.name)
    assert (report.collection, report.documents, report.made, report.failures) == (name, COUNT, True, ())
    assert rig.documents(dressed) == COUNT
    assert rig.behind_the_alias() == name


def test_a_document_has_what_its_chunk_and_page_have(rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    document = dict(rig.client.collections[rig.names.collection(dressed.name)].documents["11"].retrieve())
    assert document.pop("embedding") == pytest.approx(pages.VECTORS[11].tolist(), abs=1e-6)
    assert document.pop("keys") == page_keys("example.edu:8090", "es", None, None)
    assert document == {
        "id": "11",
        "title": "Place 11",
        "heading": "Hours",
        "text": "Hours of the window number 11",
        "anchors": "",
        "description": "",
        "address": "library",
        "url": "https://example.edu:8090/Library/11",
        "host": "example.edu:8090",
        "lang": "es",
        "page": 11,
        "day": 20110615,
        "archived": False,
        "terms": ["2011-fall"],
        "published": "2011-05-01",
        "modified": "2011-06-15T08:00:00+00:00",
    }


def test_what_is_whole_is_left_as_it_is(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    assert not rig.publish(dressed).made
    assert imports(stand_in) == 1
    assert rig.publisher().ensure(dressed, rebuild=True).made
    assert imports(stand_in) == 2


def test_a_collection_that_lacks_documents_is_made_again(rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    rig.client.collections[rig.names.collection(dressed.name)].documents["7"].delete()
    assert not used(rig, dressed)
    assert rig.publish(dressed).made
    assert used(rig, dressed)


def test_one_that_was_made_otherwise_is_made_again(rig: Rig, dressed: Index) -> None:
    rig.publish(dressed, vectors=False)
    assert rig.publish(dressed, vectors=True).made
    assert not rig.publish(dressed, vectors=True).made


def test_a_large_snapshot_goes_in_batches(
    stand_in: StandIn, rig: Rig, dressed: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "BATCH", 128)
    told: list[tuple[int, int]] = []
    rig.publisher().ensure(dressed, on_progress=lambda done, of: told.append((done, of)))
    assert told == [(128, 300), (256, 300), (300, 300)]
    assert imports(stand_in) == 3
    assert used(rig, dressed)


def test_every_refused_document_is_reported_and_the_collection_is_not_used(
    stand_in: StandIn, rig: Rig, dressed: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "BATCH", 128)
    refused = {"0": "Out of memory.", "127": "Bad JSON.", "128": "Too long.", "299": "Out of memory."}
    stand_in.store.refused_documents = refused
    report = rig.publisher().ensure(dressed)
    assert [(f.chunk_id, f.error) for f in report.failures] == list(refused.items())
    assert report.failures[1].url == pages.page(127).url
    assert str(report.failures[3]) == f"document 299 ({pages.page(299).url}): Out of memory."
    assert report.documents == rig.documents(dressed) == 296
    assert not used(rig, dressed)
    stand_in.store.refused_documents = {}
    assert rig.publisher().ensure(dressed).failures == ()
    assert used(rig, dressed)


def test_a_document_that_does_not_fit_the_schema_is_reported(
    rig: Rig, dressed: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whichever server: one document has a vector too short."""
    whole = documents

    def maimed(*args: object, **kwargs: object) -> object:
        for batch in whole(*args, **kwargs):  # type: ignore[arg-type]  # handed through
            batch[5]["embedding"].pop()
            yield batch

    monkeypatch.setattr(publish, "documents", maimed)
    [failure] = rig.publisher().ensure(dressed).failures
    assert failure.chunk_id == "5"
    assert "dimensions" in failure.error


@pytest.mark.parametrize("fault", ["half", "slow", 500, 401])
def test_an_import_that_breaks_off_says_how_far_it_came_and_is_not_used(
    stand_in: StandIn, rig: Rig, dressed: Index, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    monkeypatch.setattr(publish, "BATCH", 128)
    rig.cluster = replace(rig.cluster, import_timeout_s=3.0)
    stand_in.fail(fault, on="/documents/import", after=1, delay_s=60.0)
    with pytest.raises(TypesenseError, match="the import ended at 128 of 300 documents"):
        rig.publisher().ensure(dressed)
    assert not used(rig, dressed)
    stand_in.recover()
    assert rig.publish(dressed).made
    assert used(rig, dressed)


def test_what_the_answer_does_not_say_of_a_document_counts_against_it(
    stand_in: StandIn, rig: Rig, dressed: Index
) -> None:
    """Some lines of an import's answer, the last one cut: the other documents may or may not be there."""
    stand_in.fail("garbled", on="/documents/import")
    cut, *others = rig.publisher().ensure(dressed).failures
    assert cut.error == "what Typesense said of it cannot be read"
    assert [f.chunk_id for f in others] == [str(i) for i in range(int(cut.chunk_id) + 1, 300)]
    assert {f.error for f in others} == {"Typesense said nothing of it"}


def test_a_batch_that_timed_out_is_sent_again_without_harm(
    nodes: list[StandIn], rig: Rig, dressed: Index
) -> None:
    """The first node takes it in and breaks off; the next one is sent the same."""
    nodes[0].fail("half", on="/documents/import")
    rig.cluster = replace(rig.cluster, urls=tuple(node.url for node in nodes))
    report = rig.publisher().ensure(dressed)
    assert (report.failures, report.documents) == ((), COUNT)
    assert nodes[1].sent("POST /collections/") == 1


def test_a_count_that_is_wrong_after_the_import_is_told(
    stand_in: StandIn, rig: Rig, dressed: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "_SETTLE_PAUSE_S", 0.0)
    stand_in.store.forgotten_documents = {"3"}
    with pytest.raises(TypesenseError, match="has 299 of 300 documents"):
        rig.publisher().ensure(dressed)


def test_the_alias_goes_to_the_next_snapshot_and_back(rig: Rig, dressed: Index, tmp_path: Path) -> None:
    other = Index(pages.build(tmp_path / "20260203-040506", count=10), threads=1)
    for index in (dressed, other, dressed):
        rig.publish(index)
        assert rig.behind_the_alias() == rig.names.collection(index.name)
        assert used(rig, dressed)
    other.close()


def test_collections_are_dropped_by_their_snapshots(rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    publisher = rig.publisher()
    publisher.drop([dressed.name, "20200101-000000"])
    assert rig.documents(dressed) is None


def test_leftovers_are_ours_alone(rig: Rig, dressed: Index) -> None:
    """Not another installation's, not one that merely is called so."""
    rig.publish(dressed)
    other = TypesensePublisher(rig.cluster, replace(rig.names, alias=f"{rig.names.alias}-two"))
    other.ensure(dressed)
    plain = {"name": f"{rig.names.alias}-20200101-000000", "fields": [{"name": "a", "type": "string"}]}
    rig.client.collections.create(plain)  # type: ignore[arg-type]  # a dict of strings
    publisher = rig.publisher()
    assert publisher.leftovers([dressed.name]) == []
    assert publisher.leftovers([]) == [dressed.name]
    other.close()


def test_synonyms_are_brought_with_it_and_renewed(rig: Rig, dressed: Index) -> None:
    rig.publish(dressed, synonyms=(Synonym(("door", "garden gate")), Synonym(("stair",), "steps")))
    items = rig.client.synonym_sets[rig.names.synonyms].retrieve()["items"]
    assert [(item["synonyms"], item.get("root")) for item in items] == [
        (["door", "garden gate"], None),
        (["stair"], "steps"),
    ]
    rig.publish(dressed, synonyms=(Synonym(("lamp", "luminaire")),))
    [item] = rig.client.synonym_sets[rig.names.synonyms].retrieve()["items"]
    assert item["synonyms"] == ["lamp", "luminaire"]


def test_synonyms_of_which_stop_words_leave_too_little_are_told(rig: Rig, dressed: Index) -> None:
    report = rig.publish(
        dressed, synonyms=(Synonym(("sign up", "register", "enroll")), Synonym(("it", "of")))
    )
    assert report.unused_synonyms == ("sign up", "it", "of")
    [item] = rig.client.synonym_sets[rig.names.synonyms].retrieve()["items"]
    assert item["synonyms"] == ["register", "enroll"]


def test_a_server_that_is_gone_is_told_at_once(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    publisher = rig.publisher()
    stand_in.stop()
    for act in (
        lambda: publisher.ensure(dressed),
        lambda: publisher.switch("x"),
        lambda: publisher.drop(["x"]),
        lambda: publisher.leftovers([]),
    ):
        with pytest.raises(TypesenseError, match="cannot be reached"):
            act()


def test_a_document_s_refusal_does_not_tell_the_key(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    stand_in.store.refused_documents = {"3": f"no {stand_in.key} here"}
    [failure] = rig.publisher().ensure(dressed).failures
    assert failure.error == "no … here"
