"""A scope means the same to Typesense as it does to DuckDB, page by page."""

from __future__ import annotations

import dataclasses

import pytest

from server.index.search import Index
from server.index.typesense.schema import filter_by
from server.index.typesense.search import Engine
from server.models import Scope
from tests.index.typesense.pages import COUNT, QUESTION
from tests.index.typesense.rig import Rig

SCOPES: dict[str, Scope] = {
    "nothing": Scope(),
    "a topic": Scope({"library": ()}),
    "a whole topic": Scope({"academics": ()}),
    "a part of a topic": Scope({"academics": ("policies",)}),
    "several": Scope({"academics": ("policies", "programs"), "library": ()}),
    "an unknown topic": Scope({"policies": ()}),
    "no topic at all": Scope({}),
    "signs and capitals": Scope({"Costs & Aid": ()}),
    "the same words without them": Scope({"costs aid": ()}),
    "a part with signs": Scope({"Costs & Aid": ("C++",)}),
    "a part without": Scope({"costs aid": ("C",)}),
    "a topic that would break out": Scope({"x`] || archived:=[true,false": ("y && z:>1",)}),
    "a host": Scope(sites=("example.edu",)),
    "a host with a port": Scope(sites=("example.edu:8090",)),
    "hosts": Scope(sites=("www.example.edu", "example.edu:8090")),
    "an unknown host": Scope(sites=("exampleedu",)),
    "a prefix": Scope(prefix="https://example.edu/library/"),
    "a prefix within a word": Scope(prefix="https://www.example.edu/Library/1"),
    "a prefix of everything": Scope(prefix="https://"),
    "a prefix of nothing": Scope(prefix="https://nowhere.example/"),
    "no pattern": Scope(prefix="https://%"),
    "a language": Scope(lang="es"),
    "a language in capitals": Scope(lang="EN"),
    "a language with a country": Scope(lang="pt-br"),
    "the same without a sign": Scope(lang="ptbr"),
    "since a day": Scope(since="2010-06-15"),
    "since the day after": Scope(since="2010-06-16"),
    "until a day": Scope(until="2010-06-15"),
    "until the day before": Scope(until="2010-06-14"),
    "one day": Scope(since="2010-05-01", until="2010-05-01"),
    "no day": Scope(since="2011-01-01", until="2010-01-01"),
    "since a year": Scope(since="2015"),
    "until a month": Scope(until="2010-06"),
    "not archived": Scope(archived=False),
    "all at once": Scope(
        {"library": (), "academics": ("programs",)},
        sites=("example.edu", "www.example.edu"),
        prefix="https://",
        lang="en",
        since="2003-01-01",
        until="2018-12-31",
        archived=False,
    ),
}


@pytest.fixture(scope="module")
def engine(published: Rig, dressed: Index) -> Engine:
    return published.engine(dressed)


@pytest.mark.parametrize("name", SCOPES)
def test_both_engines_bring_the_same_chunks_of_a_scope(engine: Engine, dressed: Index, name: str) -> None:
    scope = SCOPES[name]
    near, matching = (
        engine.vector.search(QUESTION, COUNT, scope),
        engine.keyword.search("hours", COUNT, (), scope),
    )
    assert near.notes == matching.notes == {"engine": "typesense"}  # type: ignore[attr-defined]  # vectors are on
    expected = dressed.vector.search(QUESTION, COUNT, scope)
    assert [hit.chunk_id for hit in near] == [hit.chunk_id for hit in expected]
    assert {hit.chunk_id for hit in matching} == {hit.chunk_id for hit in expected}


@pytest.mark.parametrize("name", SCOPES)
def test_a_scope_is_applied_before_the_ranking(engine: Engine, dressed: Index, name: str) -> None:
    """So many hits come as were asked for, or as there are."""
    scope = SCOPES[name]
    there = len(dressed.vector.search(QUESTION, COUNT, scope))
    assert len(engine.vector.search(QUESTION, 7, scope)) == min(7, there)
    assert len(engine.keyword.search("hours of the door", 7, (), scope)) == min(7, there)


def test_the_scopes_above_tell_pages_apart(dressed: Index) -> None:
    """The test of these tests: most of them hold other pages than the rest, and few hold none."""
    held = {
        name: frozenset(hit.chunk_id for hit in dressed.vector.search(QUESTION, COUNT, scope))
        for name, scope in SCOPES.items()
    }
    assert len(set(held.values())) >= 26
    assert sum(not chunks for chunks in held.values()) <= 4


def test_nothing_that_a_scope_speaks_of_is_left_out() -> None:
    """A new field of `Scope` needs its part in server/index/typesense/schema.py, and a scope above."""
    told = {"topics", "sites", "prefix", "lang", "since", "until", "archived"}
    assert {field.name for field in dataclasses.fields(Scope)} == told


def test_no_filter_is_sent_for_a_scope_that_limits_nothing(dressed: Index) -> None:
    assert filter_by(None, dressed.snapshot) == filter_by(Scope(), dressed.snapshot) == ""


def test_pages_below_a_prefix_are_ranges(dressed: Index) -> None:
    assert filter_by(Scope(prefix="https://"), dressed.snapshot) == f"page:=[0..{COUNT - 1}]"
    some = filter_by(Scope(prefix="https://example.edu/library/1"), dressed.snapshot)
    assert some.startswith("page:=[12,18,")


def test_a_filter_holds_numbers_alone(dressed: Index) -> None:
    scope = Scope({"a`b]": ("&&",)}, sites=("||",), lang="*", since="' OR 1", until="2010")
    assert set(filter_by(scope, dressed.snapshot)) <= set("keysday:=[]&. -0123456789,")
