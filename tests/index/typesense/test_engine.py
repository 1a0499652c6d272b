"""Retrieval goes on whatever becomes of Typesense, and every answer says who gave it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from server.index.search import Index
from server.index.typesense.search import Engine
from server.models import Ranking, Scope
from tests.index.typesense.pages import QUESTION
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import Fault, StandIn

WELL = {"engine": "typesense"}
SCOPE = Scope({"academics": ()}, since="2005-01-01")


def both(engine: Engine) -> tuple[Ranking, Ranking]:
    near = engine.vector.search(QUESTION, 10, SCOPE)
    assert isinstance(near, Ranking)
    return engine.keyword.search("hours of the door", 10, (1, 2), SCOPE), near


def ill(reason: str) -> dict[str, str]:
    return {"engine": "duckdb", "degraded": f"typesense: {reason}"}


FAULTS: dict[Fault, str] = {
    "slow": "timed out",
    "half": "broke off in the middle of its answer",
    "garbled": "gave an answer that cannot be read",
    "empty": "gave an answer that cannot be read",
    400: "answered 400: made to fail with 400",
    403: "answered 403: made to fail with 403",
    503: "answered 503: made to fail with 503",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_when_it_fails_duckdb_answers_and_the_notes_say_why(
    stand_in: StandIn, rig: Rig, dressed: Index, fault: Fault
) -> None:
    rig.publish(dressed)
    engine = rig.engine(dressed, replace(rig.cluster, timeout_s=1.0) if fault == "slow" else None)
    stand_in.fail(fault, on="multi_search", delay_s=60.0)
    matching, near = both(engine)
    assert matching.notes == near.notes == ill(FAULTS[fault])
    assert matching == dressed.keyword.search("hours of the door", 10, (1, 2), SCOPE)
    assert near == dressed.vector.search(QUESTION, 10, SCOPE)


def test_when_it_is_back_it_is_used_again(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    engine = rig.engine(dressed)
    assert [found.notes for found in both(engine)] == [WELL, WELL]
    stand_in.stop()
    both(engine)
    assert [found.notes for found in both(engine)] == [ill("cannot be reached")] * 2
    stand_in.start()
    assert [found.notes for found in both(engine)] == [WELL, WELL]


def test_one_failure_spares_the_other_search_the_wait(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    engine = rig.engine(dressed, replace(rig.cluster, rest_s=600))
    stand_in.fail(503, on="multi_search")
    assert [found.notes for found in both(engine)] == [ill("answered 503: made to fail with 503")] * 2
    assert stand_in.sent("POST /multi_search") == 1


def test_a_snapshot_that_was_never_imported_is_duckdbs(rig: Rig, dressed: Index) -> None:
    matching, near = both(rig.engine(dressed))
    assert matching.notes["engine"] == near.notes["engine"] == "duckdb"
    assert "answered 404" in matching.notes["degraded"]


def test_the_notes_of_questions_asked_at_once_are_not_mixed(
    stand_in: StandIn, rig: Rig, dressed: Index
) -> None:
    """Every other question is one that Typesense turns away."""
    rig.publish(dressed)
    engine = rig.engine(dressed)
    stand_in.fail(400, on="odd")
    questions = ["door odd", "door even"] * 12
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda question: engine.keyword.search(question, 5), questions))
    turned_away = ill("answered 400: made to fail with 400")
    assert [answer.notes for answer in answers] == [turned_away, WELL] * 12
