"""What a draft changed is done to what is live, unless somebody else changed the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import ConflictError
from server.models.curation import LeaveOut, RuleSet, merged

NEWS, OLD = LeaveOut("news", "prefix", "/news/"), LeaveOut("old", "older", "36")
BASE = RuleSet("main", (NEWS,), suggestions=("When is spring break?",), number=3)


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


ITEMS = st.builds(LeaveOut, st.sampled_from("abcde"), st.just("prefix"), st.sampled_from(["/1", "/2"]))
LISTS = st.lists(ITEMS, max_size=5, unique_by=lambda one: one.id).map(tuple)


@given(base=LISTS, draft=LISTS)
def test_where_nobody_else_was_at_it_the_draft_is_live_as_it_stands(
    base: tuple[LeaveOut, ...], draft: tuple[LeaveOut, ...]
) -> None:
    was, wanted = replace(BASE, leave_out=base), replace(BASE, leave_out=draft)
    assert merged(was, wanted, was) == wanted
    assert merged(was, was, wanted) == wanted


@given(base=LISTS, draft=LISTS, live=LISTS)
def test_nobodys_change_is_lost_or_undone(
    base: tuple[LeaveOut, ...], draft: tuple[LeaveOut, ...], live: tuple[LeaveOut, ...]
) -> None:
    """Each rule is as whoever changed it left it; that both did, differently, is the only conflict."""
    was, wanted, now = ({one.id: one for one in some} for some in (base, draft, live))
    every = {*was, *wanted, *now}
    both = {own for own in every if wanted.get(own) != was.get(own) != now.get(own) != wanted.get(own)}
    try:
        found = merged(*(replace(BASE, leave_out=some) for some in (base, draft, live))).leave_out
    except ConflictError:
        assert both
        return
    assert not both
    kept = {one.id: one for one in found}
    assert len(kept) == len(found)
    for own in every:
        assert kept.get(own) == (wanted if wanted.get(own) != was.get(own) else now).get(own)


def test_what_is_new_stands_in_the_order_it_was_written_in() -> None:
    """In every process: the order of a set of texts is another in each."""
    new = tuple(LeaveOut(str(number), "prefix", f"/{number}/") for number in range(20))
    live = replace(BASE, leave_out=(NEWS, OLD))
    found = merged(BASE, replace(BASE, leave_out=(NEWS, *new)), live)
    assert found.leave_out == (NEWS, OLD, *new)
