"""A Typesense to test with: the stand-in, or a real server when `LODGE_TEST_TYPESENSE_URL` names one.

`LODGE_TEST_TYPESENSE_KEY` is its key. Collections get names of their own and are dropped afterwards. Tests of
faults need the stand-in, which can be made to have them.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.index.search import Index
from server.index.typesense.schema import Names
from tests.index.typesense import pages
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import StandIn, Store

URL = os.environ.get("LODGE_TEST_TYPESENSE_URL", "")
KEY = os.environ.get("LODGE_TEST_TYPESENSE_KEY", "")


@pytest.fixture(scope="session")
def dressed_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot of pages with and without topics, days, languages and hosts."""
    return pages.build(tmp_path_factory.mktemp("dressed") / "20260102-030405")


@pytest.fixture(scope="session")
def dressed(dressed_folder: Path) -> Iterator[Index]:
    """The same, open. Tests only read it."""
    index = Index(dressed_folder, threads=1)
    yield index
    index.close()


@pytest.fixture(scope="session")
def published(dressed: Index) -> Iterator[Rig]:
    """A cluster that has the dressed snapshot, with vectors. Tests only search it."""
    names = Names(f"lodge-test-{uuid.uuid4().hex[:12]}")
    node = None if URL else StandIn()
    rig = Rig(tuple(URL.split()), KEY, names) if node is None else Rig((node.url,), node.key, names)
    rig.publish(dressed, synonyms=pages.SYNONYMS)
    yield rig
    rig.clean_up()
    rig.close()
    if node is not None:
        node.stop()
        assert node.violations == []


@pytest.fixture
def nodes() -> Iterator[list[StandIn]]:
    """Two nodes of one cluster; whatever was sent must fit Typesense's description of its API."""
    if URL:
        pytest.skip("a real server cannot be made to fail")
    store = Store()
    started = [StandIn(store), StandIn(store)]
    yield started
    for node in started:
        node.stop()
    assert [violation for node in started for violation in node.violations] == []


@pytest.fixture
def stand_in(nodes: list[StandIn]) -> StandIn:
    """One node."""
    return nodes[0]


@pytest.fixture
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    """A cluster with names of this test's own: a real one, or the stand-in."""
    names = Names(f"lodge-test-{uuid.uuid4().hex[:12]}")
    if URL:
        rig = Rig(tuple(URL.split()), KEY, names)
    else:
        node: StandIn = request.getfixturevalue("stand_in")
        rig = Rig((node.url,), node.key, names)
    yield rig
    if URL:
        rig.clean_up()
    rig.close()
