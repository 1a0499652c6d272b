from __future__ import annotations

import numpy as np
import pytest

from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.contextualize import contextualize_by_rules
from server.ask.retrieve import (
    WORDS,
    Context,
    ContextIndex,
    ContextKeywords,
    blended,
    context_of,
    retrieve,
)
from server.ask.trace import TraceLog
from server.index.search import Index
from server.inference.encoders import Embedder
from server.models import Scope
from tests.small_site import SITE

SAID = Context("When is the Harbour Library open?", "It is open from 8 a.m. to midnight. [1]", 1.0)
HISTORY = (("user", SAID.questions), ("assistant", SAID.answers))


def test_only_what_goes_on_has_a_context(index: Index, embedder: Embedder) -> None:
    def share(question: str) -> float:
        return context_of(contextualize_by_rules(question, HISTORY, index.text, embedder)).share

    assert share("and at weekends?") == 1.0
    assert share("Is the Harbour Library open during the weeks of final examinations?") == 0.5
    assert share("What does the Ferrier Scholarship pay?") == 0.0
    assert not Context("", "", 1.0)


def test_a_vector_moves_towards_what_was_said_and_stays_a_unit(embedder: Embedder) -> None:
    vector, said = (embedder.embed_question(text) for text in ("how many books?", SAID.questions))
    moved = blended(vector, SAID, embedder)
    assert np.linalg.norm(moved) == pytest.approx(1.0, abs=1e-5)
    assert moved @ said > vector @ said
    assert (blended(vector, Context("", "", 0.0), embedder) == vector).all()


def test_a_words_score_is_the_questions_own_and_a_part_of_what_was_said(index: Index) -> None:
    question, said = "renewed catalogue", "Harbour Library open"
    found = ContextKeywords(index.keyword, index.text, Context(said, "", 1.0)).search(question, 1000)
    own = {hit.chunk_id: hit.score for hit in index.keyword.search(question, 1000)}
    before = {hit.chunk_id: hit.score for hit in index.keyword.search("harbour library open", 1000)}
    expected = {i: own.get(i, 0.0) + WORDS * before.get(i, 0.0) for i in own.keys() | before.keys()}
    assert {hit.chunk_id: pytest.approx(hit.score, rel=1e-5) for hit in found} == expected
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_words_of_the_question_and_words_that_were_exchanged_are_not_counted_again(index: Index) -> None:
    keyword = index.keyword
    assert ContextKeywords(keyword, index.text, Context("library", "", 1.0)).search(
        "library", 5
    ) == keyword.search("library", 5)
    gone = ContextKeywords(keyword, index.text, Context("spring", "", 1.0, gone="spring"))
    assert gone.search("library", 5) == keyword.search("library", 5)


def test_the_limit_and_the_scope_hold_and_what_is_also_wanted_is_scored(index: Index) -> None:
    keyword = ContextKeywords(index.keyword, index.text, SAID)
    everything = keyword.search("term", 1000)
    last = everything[-1]
    assert len(keyword.search("term", 2)) == 2
    assert last in keyword.search("term", 2, also=[last.chunk_id])
    within = keyword.search("term", 1000, within=Scope(prefix=SITE + "/deadlines"))
    passages = index.snapshot.passages([hit.chunk_id for hit in within])
    assert {passage.url for passage in passages.values()} == {SITE + "/deadlines"}


def test_a_follow_up_finds_the_page_it_is_about(index: Index, embedder: Embedder) -> None:
    question = "how many books can I borrow?"
    found = [
        retrieve(question, vector, parse_strategy("hybrid"), RetrieveOptions(), where, TraceLog())
        for vector, where in (
            (embedder.embed_question("until when?"), index),
            (blended(embedder.embed_question("until when?"), SAID, embedder), ContextIndex(index, SAID)),
        )
    ]
    scores = [next(c.score for c in each if c.passage.url == SITE + "/library") for each in found]
    assert scores[1] > scores[0]
    assert ContextIndex(index, SAID).name == index.name
