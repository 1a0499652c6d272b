"""Whatever is asked, and within whatever scope: what is sent means the same, and nothing breaks out of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.index.search import Index, chunks_within
from server.index.typesense.schema import collection_schema, documents, filter_by
from server.models import Scope
from tests.index.typesense.matching import Document, parse_filter, tokens
from tests.index.typesense.pages import COUNT, HOSTS, LABELS

SCHEMA = collection_schema("name", "synonyms", None, {})
TYPES = {field["name"]: field["type"] for field in SCHEMA["fields"]}
# What would end a value, a condition or the filter, in any language that could be meant.
SIGNS = st.text("`'\"]})&|:=<>!,.-* \\%_\0\n1a", max_size=8)
OTHER = SIGNS | st.text(max_size=4)
TOPICS = st.sampled_from([topic for topic, _ in LABELS if topic]) | OTHER
PARTS = st.sampled_from([part for _, part in LABELS if part]) | OTHER
DAYS = st.dates().map(str) | st.sampled_from(["2010", "2010-06", "2010-06-15", "2015-05-01"])
SCOPES = st.builds(
    Scope,
    topics=st.none() | st.dictionaries(TOPICS, st.lists(PARTS, max_size=2).map(tuple), max_size=3),
    sites=st.lists(st.sampled_from(HOSTS) | OTHER, max_size=2).map(tuple),
    prefix=st.none() | st.sampled_from(["https://", "https://example.edu/l", "https://www."]) | OTHER,
    lang=st.none() | st.sampled_from(["en", "es", "EN", "pt-br"]) | OTHER,
    since=st.none() | DAYS,
    until=st.none() | DAYS,
    archived=st.booleans(),
)


@pytest.fixture(scope="module")
def filed(dressed: Index) -> list[Document]:
    """The documents as they are filed in Typesense."""
    found: list[Document] = [
        document for batch in documents(dressed.snapshot, 100, vectors=False) for document in batch
    ]
    assert len(found) == COUNT
    return found


@given(scope=SCOPES)
def test_a_filter_lets_through_what_the_scope_does(
    dressed: Index, filed: list[Document], scope: Scope
) -> None:
    text = filter_by(scope, dressed.snapshot)
    holds = parse_filter(text, TYPES)
    assert [int(document["id"]) for document in filed if holds(document)] == list(
        chunks_within(dressed.snapshot, scope)
    )
    assert re.fullmatch(r"[a-z]+:=(\[[0-9.,-]+\]|false)( && [a-z]+:=(\[[0-9.,-]+\]|false))*|", text)


@given(question=st.text(max_size=60) | SIGNS | st.lists(SIGNS | st.sampled_from(HOSTS)).map(" -".join))
def test_a_query_is_plain_words_that_stood_in_the_question(dressed: Index, question: str) -> None:
    """`-word` leaves out pages, quotes ask for a phrase, and `*` brings every page."""
    words = dressed.text.content_words(question)
    assert all(re.fullmatch("[a-z0-9]+", word) for word in words)
    assert tokens(" ".join(words), SCHEMA["token_separators"]) == words
    assert set(dressed.text.rarest_first(words)) <= set(words)
