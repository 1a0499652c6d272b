from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.index.search import Index
from server.index.typesense.schema import (
    QUERY_BY,
    Names,
    about,
    collection_schema,
    day_number,
    documents,
    key,
    page_keys,
)
from tests.index.typesense.pages import COUNT, VECTORS

TEXTS = st.text(max_size=12)


def test_names_are_those_of_the_alias_and_the_snapshot() -> None:
    names = Names("lodge")
    assert names.collection("20260102-030405") == "lodge-20260102-030405"
    assert names.synonyms == "lodge-synonyms"


@given(st.dates(), st.dates())
def test_days_compare_as_their_texts_do(a: object, b: object) -> None:
    assert (day_number(str(a)) <= day_number(str(b))) == (str(a) <= str(b))


def test_parts_of_days_and_times_lie_where_their_texts_do() -> None:
    ordered = [
        "2009-12-31",
        "2010",
        "2010-06",
        "2010-06-15",
        "2010-06-15T08:00:00+00:00",
        "2010-06-16",
        "2011",
    ]
    numbers = [day_number(text) for text in ordered]
    assert numbers == sorted(numbers)
    assert day_number("2010-06-15") == day_number("2010-06-15T08:00:00+00:00") == 20100615


@pytest.mark.parametrize("text", [None, "", "yesterday", "２０１０-06-15", "15 June"])
def test_what_is_no_day_is_before_all_days(text: str | None) -> None:
    assert day_number(text) == 0


@given(TEXTS, TEXTS)
def test_keys_are_the_same_for_the_same_alone(a: str, b: str) -> None:
    assert (key("topic", a) == key("topic", b)) == (a == b)
    assert key("topic", a) != key("host", a)
    assert key("topic", a) != key("topic", None)
    assert 0 <= key("topic", a) < 2**53


def test_a_page_has_keys_for_what_it_has_and_for_what_it_lacks() -> None:
    nothing = page_keys("h", None, None, None)
    assert nothing == [key("host", "h"), key("lang", None), key("topic", None)]
    whole = page_keys("h", "en", "academics", None)
    assert whole[2:] == [key("topic", "academics"), key("path", "academics")]
    assert page_keys("h", "en", "academics", "policies")[3] == key("path", "academics/policies")


def test_every_field_of_the_schema_that_must_be_there_is_in_every_document(dressed: Index) -> None:
    fields = collection_schema("c", "s", 8, {})["fields"]
    needed = {field["name"] for field in fields if not field.get("optional")}
    known = {field["name"] for field in fields}
    for batch in documents(dressed.snapshot, 100, vectors=True):
        for document in batch:
            assert needed <= set(document) <= known | {"id"}


def test_documents_come_in_batches_in_the_order_of_the_chunks(dressed: Index) -> None:
    batches = list(documents(dressed.snapshot, 128, vectors=True))
    assert [len(batch) for batch in batches] == [128, 128, 44]
    ids = [int(document["id"]) for batch in batches for document in batch]
    assert ids == list(range(COUNT))
    assert batches[0][5]["embedding"] == pytest.approx(VECTORS[5].tolist())


def test_without_vectors_neither_schema_nor_documents_have_them(dressed: Index) -> None:
    assert "embedding" not in {field["name"] for field in collection_schema("c", "s", None, {})["fields"]}
    assert all(
        "embedding" not in d for batch in documents(dressed.snapshot, 100, vectors=False) for d in batch
    )


def test_a_collection_says_what_it_was_made_of(dressed: Index) -> None:
    manifest = dressed.snapshot.manifest
    with_vectors, without = about(manifest, vectors=True), about(manifest, vectors=False)
    assert with_vectors["snapshot"] == dressed.name
    assert with_vectors != without


def test_words_are_parted_by_every_sign(dressed: Index) -> None:
    """As `words.py` parts them: "add/drop" is two words to both engines."""
    separators = collection_schema("c", "s", None, {})["token_separators"]
    assert {"/", "-", "'", "."} <= set(separators)
    assert all(re.fullmatch(r"[!-~]", sign) for sign in separators)
    assert len(separators) == len(set(separators)) == 32


def test_all_that_is_searched_is_stemmed() -> None:
    fields = {field["name"]: field for field in collection_schema("c", "s", None, {})["fields"]}
    assert all(fields[name]["stem"] for name in QUERY_BY)
    assert [a["name"] != b["name"] for a, b in pairwise(fields.values())] == [True] * (len(fields) - 1)
