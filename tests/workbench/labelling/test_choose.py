"""A sample has what is worth a look, and a part drawn at random; the same for a seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from server.workbench.labelling.choose import PastTurn, choose, disagreeing, signals, soon_after

NEVER: dict[int, float] = {}
PLAIN = PastTurn(
    number=0,
    message_id="m0",
    trace_id="t0",
    conversation_id="c0",
    question="When?",
    asked="k0",
    refused=False,
    seems=False,
    confidence=0.9,
    helpful=None,
)


def turn(number: int, **other: object) -> PastTurn:
    """One of many that nobody has rated, in a conversation of its own."""
    own = {"number": number, "message_id": f"m{number}", "conversation_id": f"c{number}"}
    return replace(PLAIN, **(own | {"asked": f"k{number}"} | other))  # type: ignore[arg-type]


def everything(_: PastTurn) -> bool:
    return True


@pytest.mark.parametrize(
    ("known", "reasons"),
    [
        ({"helpful": False}, {"sure_unhelpful": 0.9}),
        ({"helpful": False, "confidence": None}, {"sure_unhelpful": 0.5}),
        ({"helpful": True}, {}),
        ({"refused": True, "helpful": True, "confidence": 0.25}, {"refused_helpful": 0.75}),
        ({"seems": True, "helpful": True, "confidence": 0.25}, {"seems_helpful": 0.75}),
        ({"refused": True, "helpful": False}, {}),
    ],
)
def test_a_reason_is_what_people_said_against_the_confidence(
    known: dict[str, object], reasons: dict[str, float]
) -> None:
    assert signals(turn(1, **known), NEVER) == reasons


def test_what_was_asked_again_speaks_against_an_answer_unless_it_was_found_helpful() -> None:
    again = {1: 0.5}
    assert signals(turn(1), again) == {"asked_again": 0.45}
    assert signals(turn(1, helpful=True), again) == {}
    assert signals(turn(2), again) == {}


def test_those_that_are_furthest_apart_come_first_and_then_what_more_people_asked() -> None:
    rated = [
        turn(1, helpful=False, confidence=0.6),
        turn(2, helpful=False, confidence=0.8),
        turn(3, helpful=False, confidence=0.8, asked="often"),
        turn(4, asked="often"),
        turn(5),
    ]
    assert [one.number for one in disagreeing(rated, 1, NEVER)] == [3, 2, 1]


def test_a_third_is_drawn_at_random_and_the_others_disagree() -> None:
    turns = [turn(number, helpful=False if number < 40 else None) for number in range(400)]
    sample = choose(turns, 21, 1, NEVER, everything)
    assert len(sample) == 21
    drawn = [one for one in sample if one.draws]
    assert len(drawn) == 7
    assert all(one.reasons == ("sure_unhelpful",) for one in sample if not one.draws)


def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    turns = [turn(number) for number in range(100)]

    def ids(seed: int, more: int = 0) -> list[str]:
        asked = [*turns, *(turn(number) for number in range(100, 100 + more))]
        return [one.message_id for one in choose(asked[::-1], 9, seed, NEVER, everything)]

    assert ids(1) == ids(1)
    assert set(ids(1)) != set(ids(2))
    assert len(set(ids(1)) & set(ids(1, more=10))) >= 6  # what is asked meanwhile moves few


def test_where_few_disagree_more_are_drawn_at_random() -> None:
    turns = [turn(1, helpful=False), *(turn(number) for number in range(2, 60))]
    sample = choose(turns, 12, 1, NEVER, everything)
    assert len(sample) == 12
    assert sum(one.draws for one in sample) >= 11
    assert "m1" in {one.message_id for one in sample}


def test_a_question_of_many_is_there_once_and_drawn_as_often_as_its_turns_are() -> None:
    turns = [turn(number, asked="same" if number < 90 else f"k{number}") for number in range(100)]
    sample = choose(turns, 9, 1, NEVER, everything)
    [same] = [one for one in sample if one.times > 1]
    assert same.times == 90
    assert same.draws > len(sample)
    assert Counter(one.message_id for one in sample).most_common(1)[0][1] == 1


def test_what_is_not_wanted_is_not_drawn_and_the_next_one_is() -> None:
    turns = [turn(number, helpful=False if number % 4 == 0 else None) for number in range(40)]
    sample = choose(turns, 10, 1, NEVER, lambda one: one.number % 2 == 0)
    assert len(sample) == 10
    assert all(int(one.message_id[1:]) % 2 == 0 for one in sample)
    assert choose(turns, 10, 1, NEVER, lambda _: False) == []


def test_every_turn_is_drawn_about_as_often() -> None:
    turns = [turn(number) for number in range(12)]
    drawn: Counter[str] = Counter()
    for seed in range(1200):
        drawn.update(one.message_id for one in choose(turns, 3, seed, NEVER, everything))
    assert all(abs(count - 300) < 75 for count in drawn.values())  # five standard deviations


def test_only_what_follows_a_sure_answer_soon_and_in_other_words_may_ask_it_again() -> None:
    one = {"conversation_id": "c"}
    turns = [
        turn(1, **one),
        turn(2, asked="k1", **one),
        turn(3, refused=True, **one),
        turn(4, **one),
        turn(5),
    ]
    pairs = [(first.number, later.number) for first, later in soon_after(turns[::-1])]
    assert pairs == [(1, 3), (2, 3), (2, 4)]
