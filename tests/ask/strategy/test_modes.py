from __future__ import annotations

import pytest

from server.ask.strategy.modes import DEFAULT_MODE, PLANS, Mode, plan_of
from server.errors import BadInputError, NotReadyError


def test_every_mode_has_its_plan_and_no_two_the_same() -> None:
    assert set(PLANS) == set(Mode)
    assert len(set(PLANS.values())) == len(Mode)


def test_only_the_closed_book_mode_needs_a_model_and_retrieves_nothing() -> None:
    assert [mode for mode in Mode if PLANS[mode].needs_llm] == [Mode.SIMPLE]
    assert [mode for mode in Mode if not PLANS[mode].retrieves] == [Mode.SIMPLE]
    with pytest.raises(NotReadyError, match="simple"):
        plan_of("simple", has_llm=False)
    assert plan_of("simple", has_llm=True) == PLANS[Mode.SIMPLE]


def test_the_default_rewrites_without_a_model() -> None:
    assert plan_of(DEFAULT_MODE, has_llm=False).rewrites


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(BadInputError, match="condense_plus_context"):
        plan_of("condense", has_llm=True)
