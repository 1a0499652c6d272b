from __future__ import annotations

import pytest

from server.index.search import Index
from server.index.text import SYNONYM_WEIGHT
from server.index.typesense.search import Engine, KeywordOptions
from server.models import Hit, Scope
from tests.index.typesense.pages import COUNT, SYNONYMS
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import StandIn


@pytest.fixture(scope="module")
def engine(published: Rig, dressed: Index) -> Engine:
    return published.engine(dressed, synonyms=SYNONYMS)


def hits(engine: Engine, question: str, limit: int = 10, also: tuple[int, ...] = ()) -> list[Hit]:
    found = engine.keyword.search(question, limit, also)
    assert found.notes["engine"] == "typesense"
    assert "degraded" not in found.notes
    return found


def things(dressed: Index, found: list[Hit]) -> list[str]:
    """What the chunks are about."""
    passages = dressed.snapshot.passages([hit.chunk_id for hit in found])
    return [passages[hit.chunk_id].text.split()[3] for hit in found]


@pytest.mark.parametrize(
    "question",
    ["door", "hours of the window", "number 17", "the roof of place 12", "lamp stair door", "hours", "42"],
)
def test_what_it_finds_is_scored_by_the_snapshots_bm25(engine: Engine, dressed: Index, question: str) -> None:
    """The very scores and order of DuckDB's, so that fusion means the same whichever engine answers."""
    assert hits(engine, question, COUNT) == dressed.keyword.search(question, COUNT)


@pytest.mark.parametrize("question", ["door 12", "hours of the lamp number 44", "place 31"])
def test_the_best_few_are_duckdbs_best_few(engine: Engine, dressed: Index, question: str) -> None:
    found, expected = hits(engine, question, 5), dressed.keyword.search(question, 5)
    assert [hit.score for hit in found] == [hit.score for hit in expected]


def test_no_more_come_than_were_asked_for(engine: Engine) -> None:
    assert [len(hits(engine, "hours", limit)) for limit in (1, 5, 249, 250, 251, COUNT)] == [
        1, 5, 249, 250, 251, COUNT,
    ]  # fmt: skip


def test_chunks_named_beside_the_best_are_scored_if_they_share_a_word(engine: Engine, dressed: Index) -> None:
    found = {hit.chunk_id: hit.score for hit in hits(engine, "door", 2, (5, 10, 11, 10_000))}
    everything = {hit.chunk_id: hit.score for hit in dressed.keyword.search("door", COUNT)}
    assert {5, 10} <= set(found) <= set(everything)
    assert len(found) <= 4
    assert found == {chunk_id: everything[chunk_id] for chunk_id in found}


def test_chunks_named_beside_the_best_must_lie_in_the_scope(engine: Engine, dressed: Index) -> None:
    scope = Scope({"library": ()})
    inside, outside = 35, 15  # both have a door
    found = {hit.chunk_id for hit in engine.keyword.search("door", 1, (inside, outside), scope)}
    assert inside in found
    assert outside not in found
    assert len(found) <= 2


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("pane of glass", "window"),
        ("panes of glass", "window"),
        ("flights of steps", "stair"),
        ("luminaire", "lamp"),
        ("Which luminaires are there?", "lamp"),
        ("light fitting", "lamp"),
    ],
)
def test_synonyms_are_found_and_scored_as_the_words_they_stand_for(
    engine: Engine, dressed: Index, question: str, thing: str
) -> None:
    found = hits(engine, question, COUNT)
    assert set(things(dressed, found)) == {thing}
    asked = dressed.keyword.search(thing, COUNT)
    assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in asked]
    assert [hit.score for hit in found] == pytest.approx([SYNONYM_WEIGHT * hit.score for hit in asked])


def test_a_visitors_words_are_looked_for_beside_an_editors(engine: Engine, dressed: Index) -> None:
    """An editor has put the lamp for the window: both are found, and scored as DuckDB scores them."""
    said = {"window": "lamp"}
    found = engine.keyword.search("hours of the lamp", COUNT, said=said)
    assert found == dressed.keyword.search("hours of the lamp", COUNT, said=said)
    best = engine.keyword.search("the lamp", COUNT, said=said)
    assert set(things(dressed, best)) == {"lamp", "window"}
    assert best[: len(best) // 2] == engine.keyword.search("the lamp", COUNT)[: len(best) // 2]


def test_a_synonym_works_one_way_when_it_is_meant_to(engine: Engine, dressed: Index) -> None:
    """Who asks for the stair is not brought what "flight of steps" would have brought."""
    assert hits(engine, "stair", COUNT) == dressed.keyword.search("stair", COUNT)


def test_without_synonyms_none_are_found(published: Rig, dressed: Index) -> None:
    """What is not known here is not scored here: such a chunk comes last, by its rank alone."""
    plain = published.engine(dressed, synonyms=())
    found = plain.keyword.search("number 17 luminaire", COUNT)
    best = dressed.keyword.search("number 17", COUNT)
    assert found[: len(best)] == best


def test_typing_errors_are_forgiven_and_come_after_what_is_spelt_right(
    engine: Engine, dressed: Index
) -> None:
    assert set(things(dressed, hits(engine, "windwo", COUNT))) == {"window"}
    found = hits(engine, "windwo 17", COUNT)
    [spelt_right, *_] = found
    assert spelt_right.chunk_id == 17
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert all(hit.score > 0 for hit in found)


def test_how_many_typing_errors_are_forgiven_is_a_setting(published: Rig, dressed: Index) -> None:
    strict = published.engine(dressed, keyword=KeywordOptions(num_typos=0))
    assert strict.keyword.search("windwo", 10) == []


def test_an_unknown_word_does_not_hide_the_known_ones(engine: Engine, dressed: Index) -> None:
    expected = dressed.keyword.search("zeppelin door 15", 5)
    assert [hit.score for hit in hits(engine, "zeppelin door 15", 5)] == [hit.score for hit in expected]


@pytest.mark.parametrize("question", ["", "the of and", "?!", "*", "图书馆"])
def test_a_question_without_a_content_word_finds_nothing(engine: Engine, question: str) -> None:
    assert hits(engine, question) == []


@pytest.mark.parametrize("question", ['"door', "-door", "door*", "door && archived:=true", "`door`"])
def test_signs_that_mean_something_to_typesense_mean_nothing_here(
    engine: Engine, dressed: Index, question: str
) -> None:
    assert hits(engine, question, COUNT) == dressed.keyword.search(question, COUNT)


def test_a_question_without_a_content_word_is_not_sent(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    assert rig.engine(dressed).keyword.search("what is it", 5) == []
    assert stand_in.requests == []


def test_weights_and_typing_errors_are_sent_as_set(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    rig.publish(dressed)
    options = KeywordOptions((1, 99, 5, 4, 3, 0), 1)
    rig.engine(dressed, keyword=options).keyword.search("door", 5)
    [body] = [body for request, body in stand_in.bodies if request.startswith("POST /multi_search")]
    [search] = body["searches"]
    assert search["query_by"] == "title,heading,text,anchors,description,address"
    assert search["query_by_weights"] == "1,99,5,4,3,0"
    assert (search["num_typos"], search["prefix"]) == ("1", "false")


def test_the_rarest_word_is_left_out_last(stand_in: StandIn, rig: Rig, dressed: Index) -> None:
    """No chunk has all three words, and the commonest stands first in the question."""
    rig.publish(dressed)
    found = rig.engine(dressed).keyword.search("hours door zeppelin 15", 3)
    assert found[0].chunk_id == 15
    searches = stand_in.bodies[-1][1]["searches"]
    assert [search["q"] for search in searches] == ["hours door zeppelin 15", "15 door hours"]


def test_every_word_is_asked_for_alone_when_together_they_bring_too_few(
    engine: Engine, dressed: Index
) -> None:
    """Leaving out from the ends alone would never ask for the words in the middle."""
    question = "door 11 12 13 14 lamp"
    assert hits(engine, question, COUNT) == dressed.keyword.search(question, COUNT)
