from __future__ import annotations

from dataclasses import replace

import pytest

from server.ask.extract import extract_answer
from server.ask.quoting.item_lists import lines_of_kind, with_whole_lists
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.ask.quoting.units import Unit
from server.models import Candidate, Passage
from tests.ask.quoting.candidates import wanted
from tests.ask.test_extract import said_of

BANNED = ("Candles and incense", "Hot plates and toasters", "Air conditioners", "Fireworks")


def listed(*lines: str) -> Passage:
    text = "\n".join(("These stay at home.", *lines))
    kinds = ("paragraph", *("list" for _ in lines))
    return Passage(1, "https://example.edu/1", "Housing", "Rooms › Not to bring", text, line_kinds=kinds)


def item(passage: Passage, words: str) -> ScoredSentence:
    start = passage.text.index(words)
    unit = Unit(start, start + len(words))
    return ScoredSentence(passage, start, start + len(words), 1.0, 0.0, 1.0, fits=True, unit=unit)


def test_two_items_bring_the_whole_list_and_one_stands_alone() -> None:
    passage = listed(*BANNED)
    one, other = item(passage, BANNED[0]), item(passage, BANNED[2])
    [whole] = with_whole_lists([one, other])
    assert (whole.text, whole.unit.left) == ("\n".join(BANNED), 0)
    assert with_whole_lists([other]) == [other]


def test_an_item_that_the_question_does_not_name_brings_the_list() -> None:
    passage = listed(*BANNED)
    first, *others = (item(passage, words) for words in BANNED)
    named = replace(first, words=0.5), *(replace(other, words=0.2) for other in others)
    alike = tuple(replace(one, words=0.5) for one in named)
    assert with_whole_lists(named[:1], named) == [named[0]]
    [whole] = with_whole_lists(alike[:1], alike)
    assert (whole.text, whole.unit.left) == ("\n".join(BANNED), 0)


def test_long_items_are_told_each_by_itself() -> None:
    long = [f"{line} {'and whatever else is like it ' * 3}" for line in BANNED]
    items = [item(listed(*long), line) for line in long]
    assert with_whole_lists(items[:1], items) == items[:1]


def test_a_sentence_beside_a_list_is_left_as_it_is() -> None:
    passage = listed(*BANNED)
    sentence, one = item(passage, "These stay at home."), item(passage, BANNED[0])
    assert with_whole_lists([sentence, one]) == [sentence, one]


def test_items_of_two_passages_are_two_lists() -> None:
    one = item(listed(*BANNED), BANNED[0])
    other = item(replace(listed(*BANNED), chunk_id=2), BANNED[1])
    assert with_whole_lists([one, other]) == [one, other]


@pytest.mark.parametrize(("first", "last"), [(2, 4), (13, 14)])
def test_of_a_long_list_the_items_are_shown_and_the_others_counted(first: int, last: int) -> None:
    lines = [f"Event {n:02} in the hall" for n in range(1, 16)]
    passage = listed(*lines)
    [shown] = with_whole_lists([item(passage, lines[first - 1]), item(passage, lines[last - 1])])
    assert {lines[first - 1], lines[last - 1]} <= set(shown.text.splitlines())
    assert (len(shown.text.splitlines()), shown.unit.left) == (5, 10)


def test_of_a_long_list_the_item_that_leads_is_among_the_shown() -> None:
    lines = [f"Event {n:02} in the hall" for n in range(1, 16)]
    passage = listed(*lines)
    [shown] = with_whole_lists([item(passage, lines[9]), item(passage, lines[1])])
    assert shown.text.splitlines() == lines[9:14]
    [near] = with_whole_lists([item(passage, lines[4]), item(passage, lines[1])])
    assert near.text.splitlines() == lines[1:6]


def test_some_entries_of_a_list_bring_its_other_lines() -> None:
    passage = listed("A tax return", "A lease", "Earnings: pay stubs", "Dependents: the same papers")
    start = passage.text.index("Earnings")
    entries = replace(item(passage, "Earnings: pay stubs"), unit=Unit(start, len(passage.text)))
    [whole] = with_whole_lists([entries])
    assert whole.text.splitlines()[0] == "A tax return"
    assert with_whole_lists([item(passage, "A tax return"), entries]) == [
        replace(item(passage, "A tax return"), unit=whole.unit)
    ]


def test_what_goes_on_below_a_list_is_no_item_of_it() -> None:
    passage = listed("A tax return", "Earnings: pay stubs", "Dependents: the same papers")
    passage = replace(passage, line_kinds=("paragraph", "list", "list", "paragraph"))
    start = passage.text.index("Earnings")
    entries = replace(item(passage, "Dependents: the same papers"), unit=Unit(start, len(passage.text)))
    assert with_whole_lists([entries]) == [entries]


@pytest.mark.parametrize("lines", [("For dependents:", "A lease", "A tax return"), ("1. Apply.", "2. Pay.")])
def test_a_list_with_a_lead_of_its_own_and_steps_are_whole(lines: tuple[str, ...]) -> None:
    passage = listed("Nothing", *lines)
    own = item(passage, "\n".join(lines))
    assert with_whole_lists([own]) == [own]


def test_what_is_very_long_is_cut_after_the_item_and_counted() -> None:
    lines = [f"{n} {'very ' * 100}long" for n in range(4)]
    passage = listed(*lines)
    [shown] = with_whole_lists([item(passage, lines[0]), item(passage, lines[1])])
    assert shown.text.splitlines() == lines[:2]
    assert shown.unit.left == 2


def test_the_lines_of_one_kind_stop_where_another_begins() -> None:
    passage = listed(*BANNED)
    lines, here = lines_of_kind(passage, passage.text.index("Air"))
    assert ([passage.text[start:end] for start, end in lines], here) == (list(BANNED), 2)


def test_an_answer_of_several_items_says_the_whole_list_below_its_heading() -> None:
    asked = QuestionFeatures({"candles": 1.0, "toasters": 1.0}, (), wanted().stems)
    draft = extract_answer([Candidate(listed(*BANNED), 0.9)], asked)
    said = "".join(token.text for token in said_of(draft))
    assert said == "Not to bring:\n" + "\n".join(BANNED) + " [1]\nThese stay at home. [1]"
