"""Three answers, not two: said as the answer, shown as what seems to answer, refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from server.ask.context import ScopeOptions
from server.ask.quoting.answer import HINT_CHARS, SHOWN_CHARS, SHOWN_PASSAGES
from server.inference.encoders import Embedder
from server.models import Answer, Cited, Final, Token
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import ENGLISH, SPANISH, Flow

OPEN = ScopeOptions(threshold=-100.0)
TUITION = "How much is tuition for residents of the state?"


@pytest.fixture
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder)


def asked(flow: Flow, text: str, answers: float, seems: float) -> Answer:
    return flow.final(text, gate=OPEN, refusal_threshold=answers, seems_threshold=seems).answer


def test_the_confidence_decides_between_the_three(flow: Flow) -> None:
    surely, maybe, never = (asked(flow, TUITION, *by) for by in ((0.0, 0.0), (1.1, 0.0), (1.1, 1.1)))
    assert [one.tier for one in (surely, maybe, never)] == ["answer", "seems", "refusal"]
    assert [one.refused for one in (surely, maybe, never)] == [False, False, True]
    assert surely.confidence == maybe.confidence == never.confidence is not None
    assert 0 <= (surely.confidence or 0) <= 1


def test_what_is_sure_enough_is_said_whatever_seems(flow: Flow) -> None:
    assert asked(flow, TUITION, 0.0, 1.0).tier == "answer"


def test_what_seems_to_answer_is_shown_in_the_pages_words_with_its_source(flow: Flow) -> None:
    events = flow.events(TUITION, gate=OPEN, refusal_threshold=1.1, seems_threshold=0.0)
    final = events[-1]
    assert isinstance(final, Final)
    answer = final.answer
    lead, *shown = answer.answer.split("\n", 1)
    assert lead in (ENGLISH.seems, ENGLISH.seem)
    assert (lead == ENGLISH.seem) is (len({one.url for one in answer.citations}) > 1)
    assert 1 <= len(answer.citations) <= SHOWN_PASSAGES
    for citation in answer.citations:
        assert len(citation.quote) <= SHOWN_CHARS
        assert f"\n{citation.place}:\n{citation.quote} [{citation.n}]" in shown[0]
        assert any(citation.quote in one.text for one in final.trace.passages.values())
    assert "".join(one.text for one in events if isinstance(one, Token)) == answer.answer
    assert tuple(one.citation for one in events if isinstance(one, Cited)) == answer.citations


def test_beside_the_closest_pages_of_a_refusal_stand_their_words_that_come_closest(flow: Flow) -> None:
    answer = asked(flow, TUITION, 1.1, 1.1)
    first, *others = answer.closest_pages
    assert "$9,240" in first.quote
    assert len(first.quote) <= 2 * HINT_CHARS
    passages = flow.final(TUITION, gate=OPEN).trace.passages.values()
    for page in (first, *others):  # its words, below their heading where the page is not called so
        heading, _, words = page.quote.rpartition(":\n")
        assert any(one.heading.endswith(heading) and words in one.text for one in passages)


def test_where_nothing_comes_close_the_pages_are_named_alone(flow: Flow) -> None:
    answer = asked(flow, "zyx wvu", 1.1, 1.1)
    assert [page.quote for page in answer.closest_pages] == [""] * len(answer.closest_pages)


def test_one_sure_part_of_a_line_makes_it_an_answer(flow: Flow) -> None:
    sure = flow.final(TUITION, gate=OPEN, refusal_threshold=0.0).answer.confidence
    other = "Who won the zeppelin cup?"
    unsure = flow.final(other, gate=OPEN, refusal_threshold=0.0).answer.confidence
    assert sure is not None
    assert unsure is not None
    assert unsure < sure
    between = (sure + unsure) / 2
    both = asked(flow, f"{TUITION} {other}", between, 0.0)
    assert both.tier == "answer"
    assert ENGLISH.seems in both.answer or ENGLISH.seem in both.answer
    assert asked(flow, f"{other} {other.replace('cup', 'race')}", between, 0.0).tier == "seems"


def test_a_spanish_question_is_asked_in_english_before_anything_only_seems(flow: Flow) -> None:
    final = flow.final("¿Dónde está la biblioteca?", gate=OPEN, refusal_threshold=1.1, seems_threshold=0.0)
    answer = final.answer
    assert [step.step for step in final.trace.steps].count("retrieve") == 2
    assert answer.tier == "seems"
    assert SPANISH.seems in answer.answer or SPANISH.seem in answer.answer


def test_the_contract_has_both_and_a_refusal_of_old_keeps_its_tier(flow: Flow) -> None:
    answer = asked(flow, TUITION, 1.1, 1.1)
    plain = json.loads(json.dumps(answer.as_json()))
    assert (plain["tier"], plain["confidence"]) == ("refusal", answer.confidence)
    assert replace(answer, tier="answer").tier == "refusal"
    assert asked(flow, "thanks!", 0.0, 0.0).confidence is None
