"""What a draft changed is done to what is live, unless somebody else changed the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import ConflictError
from server.rulebook import LeaveOut, Rulebook, merged

NEWS, OLD = LeaveOut("news", "prefix", "/news/"), LeaveOut("old", "older", "36")
BASE = Rulebook("main", (NEWS,), suggestions=("When is spring break?",), number=3)


def test_changes_of_two_people_to_different_things_come_together() -> None:
    draft = replace(BASE, leave_out=(NEWS, OLD))
    live = replace(BASE, leave_out=(), suggestions=("Where do I park?",), number=4)
    both = merged(BASE, draft, live)
    assert (both.leave_out, both.suggestions, both.number) == ((OLD,), ("Where do I park?",), 4)


def test_what_is_taken_out_of_a_draft_goes_and_the_order_stays() -> None:
    live = replace(BASE, leave_out=(OLD, NEWS))
    assert merged(live, replace(live, leave_out=(NEWS,)), live).leave_out == (NEWS,)


def test_two_who_changed_the_same_are_told_unless_they_agree() -> None:
    draft = replace(BASE, leave_out=(replace(NEWS, value="/news/2019"),))
    assert merged(BASE, draft, draft).leave_out == draft.leave_out
    with pytest.raises(ConflictError, match="'news' was changed by somebody else"):
        merged(BASE, draft, replace(BASE, leave_out=(replace(NEWS, why="old"),)))
    other = replace(BASE, suggestions=("A?",))
    with pytest.raises(ConflictError, match="suggested questions"):
        merged(BASE, replace(BASE, suggestions=("B?",)), other)
