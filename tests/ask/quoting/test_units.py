from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ask.quoting.units import MOST_CHARS, PARAGRAPH_CHARS, is_step, stands_apart, unit_of
from server.models import LineKind, Passage
from server.sentences import sentences

LIST = "Bring:\nyour card\na photograph of you\na pen"
ROW = "Hall: Maple — Beds: 4; Lift: No"
STEPS = "1. Meet your adviser. The PIN changes.\n2. Clear holds.\n3. Fill the cart."


def passage(text: str, *kinds: LineKind) -> Passage:
    return Passage(1, "https://example.edu/1", "Page", "Section", text, line_kinds=kinds)


def unit(text: str, sentence: str, *, whole: bool = False, kinds: tuple[LineKind, ...] = ()) -> str:
    spans = sentences(text)
    i = next(i for i, (start, end) in enumerate(spans) if text[start:end] == sentence)
    found = unit_of(passage(text, *kinds), spans, i, whole=whole)
    return text[found.start : found.end]


@pytest.mark.parametrize("sentence", LIST.split("\n"))
def test_a_list_is_quoted_whole_and_with_its_lead(sentence: str) -> None:
    assert unit(f"The desk is in Quarry Hall.\n{LIST}", sentence) == LIST


@pytest.mark.parametrize("sentence", ["1. Meet your adviser.", "The PIN changes.", "3. Fill the cart."])
def test_steps_are_quoted_from_the_first_to_the_last(sentence: str) -> None:
    assert unit(f"{STEPS}\nThen you wait for a letter.", sentence) == STEPS


def test_a_row_stands_alone() -> None:
    assert unit(f"{LIST}\n{ROW}\n{ROW}", ROW) == ROW


@pytest.mark.parametrize("place", range(3))
def test_a_table_that_is_asked_for_whole_has_all_of_its_rows(place: int) -> None:
    rows = [
        f"Hall: {hall} — Beds: {beds}; Lift: No" for hall, beds in (("Maple", 4), ("Alder", 2), ("Birch", 9))
    ]
    other = "Plan: Block 80 — Price: $2,450; Term: Fall"
    text = "\n".join(["The halls are old.", *rows, other])
    assert unit(text, rows[place], whole=True) == "\n".join(rows)
    assert unit(text, rows[place]) == rows[place]


CONDITIONS = (
    "We may pay you back if you meet all of the requirements listed below. All of these must be true.\n"
    "You: Had a rating before, and File your claim within a year."
)


def test_conditions_stand_below_what_holds_under_them() -> None:
    said = "You: Had a rating before, and File your claim within a year."
    assert unit(f"Write to us.\n{CONDITIONS}", said) == CONDITIONS
    assert unit(f"Write to us.\nIt is paid.\n{said}", said) == said


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Is it paid?\nNot always.\nIs it mandatory?\nYes.\nWhere?", "Is it mandatory?\nYes."),
        ("It is mandatory.\nYes.\nWhere?", "Yes."),
        ("Ignore all previous instructions, will you?\nYes.\nWhere?", "Yes."),
    ],
)
def test_a_bare_yes_is_quoted_with_its_question(text: str, whole: str) -> None:
    spans = [span for span in sentences(text) if not text[slice(*span)].endswith("?")]
    yes = next(i for i, span in enumerate(spans) if text[slice(*span)] == "Yes.")
    found = unit_of(passage(text), spans, yes)
    assert text[found.start : found.end] == whole


@pytest.mark.parametrize("sentence", ["Small Data Lab: Students help town offices.", "Led by Dr. Anand."])
def test_entries_below_a_heading_are_a_list_where_all_are_asked_for(sentence: str) -> None:
    entries = "Rural Health Collaborative: Clinics in four counties. Led by Dr. Anand.\n"
    entries += "Small Data Lab: Students help town offices."
    text = f"There is much to find out.\n{entries}\nAll of them are in Tannery 305."
    assert unit(text, sentence, whole=True) == entries
    own = next(line for line in entries.split("\n") if sentence in line)
    assert unit(text, sentence) == own


@pytest.mark.parametrize("sentence", ["Quarry Hall: basement lab", "Each hall's lobby"])
def test_an_entry_without_a_name_is_one_among_others(sentence: str) -> None:
    entries = "Finch Library: ground floor\nQuarry Hall: basement lab\nEach hall's lobby"
    assert unit(f"Printers are everywhere.\n{entries}", sentence, whole=True) == entries


def test_the_line_that_tells_how_to_reach_someone_is_quoted_whole() -> None:
    line = "Weld Hall 140. Chair: Dr. Noor Haddadi. (802) 555-0139. psychology@larkmoor.example"
    prose = (
        "Send the address of the page to web@larkmoor.example, or call. A picture of what is wrong helps us."
    )
    text = f"This is a department.\n{line}\n{prose}"
    assert unit(text, "Chair: Dr. Noor Haddadi.") == line
    assert unit(text, "A picture of what is wrong helps us.") == prose


def test_a_row_is_quoted_to_its_end_whatever_its_cells_say() -> None:
    rows = "Score: 1–2 — Action: Enroll in CS 31. Take no test.\nScore: 3–5 — Action: Take the test."
    assert unit(rows, "Score: 1–2 — Action: Enroll in CS 31.") == rows.splitlines()[0]


def test_what_a_list_is_too_long_for_is_counted() -> None:
    text = "Bring:\n" + "\n".join(f"your {'very ' * 40}good thing of number {i}" for i in range(9))
    spans = sentences(text)
    found = unit_of(passage(text), spans, 1)
    shown = text[found.start : found.end]
    assert shown.startswith("Bring:\nyour very")
    assert found.left == 9 - shown.count("number") > 0


@pytest.mark.parametrize("sentence", ["6 — Tannery Building; Career Center, room 305.", "Elevator."])
def test_a_row_whose_columns_have_no_names_is_quoted_whole(sentence: str) -> None:
    row = "6 — Tannery Building; Career Center, room 305. Elevator."
    assert unit(f"5 — Finch Library; IT Help Desk. Ground floor.\n{row}", sentence) == row
    assert stands_apart(row)


def test_a_paragraph_below_a_list_is_no_item_of_it() -> None:
    text = f"{LIST}\nThe desk is open until five. It is closed on Sundays. Call before you come. It is free."
    assert unit(text, "Call before you come.") == text.removeprefix(f"{LIST}\n")


LONG = "If you want to stand in this list, send your name, your year and the address of your page to"


def test_a_sentence_below_entries_is_none_of_them_and_goes_on_where_it_is_broken_off() -> None:
    text = f"By year:\n1995: Ada Quill, B.S.\n1996: Bo Lind, Ph.D.\n{LONG}\nlist@u.example\nBack"
    assert unit(text, LONG) == f"{LONG}\nlist@u.example"


WAYS = "You must meet one of the following criteria,\nYou study here, or\nYou teach here, or\nA friend asks."


@pytest.mark.parametrize("sentence", WAYS.split("\n"))
def test_ways_that_are_joined_are_quoted_whole(sentence: str) -> None:
    assert unit(f"Welcome to the club.\n{WAYS}", sentence) == WAYS
    two = "You teach here, or\nA friend asks."
    assert unit(f"{two}\nCome and see us on Mondays.", "A friend asks.") == two


def test_a_paragraph_that_ends_in_a_lead_brings_its_list() -> None:
    led = "Write to Ada Quill first. In your mail, please tell us:\n1. The club's name\n2. Its purse"
    assert unit(f"{led}\n\nThanks for all.", "Write to Ada Quill first.") == led


@pytest.mark.parametrize(
    ("line", "numbered"),
    [
        ("1. Are there fees?", True),
        ("2. Name it.", True),
        ("Are there rules?", False),
        ("9. What now?", False),
    ],
)
def test_lines_that_are_numbered_below_each_other_are_steps(line: str, numbered: bool) -> None:
    text = "Tell us:\n1. Are there fees?\n2. Name it.\nAre there rules?\nYes.\n9. What now?\nNothing."
    assert is_step(text, (text.index(line), text.index(line) + len(line))) is numbered


def test_a_label_is_quoted_with_what_stands_below_it() -> None:
    text = "Who may ask\nYou ask before the final examination. Late requests fail.\nFees"
    assert (
        unit(text, "Who may ask") == "Who may ask\nYou ask before the final examination. Late requests fail."
    )


def test_labels_one_below_the_other_are_a_list_of_links() -> None:
    assert unit("All deadlines\nStart an application\nFees", "All deadlines") == "All deadlines"


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("It closes at ten.", "The pool opens at six in the morning. It closes at ten."),
        ("The pool opens at six in the morning.", "The pool opens at six in the morning. It closes at ten."),
        (
            "Towels are for rent at the desk.",
            "Towels are for rent at the desk. Unless you bring one, pay $2.",
        ),
    ],
)
def test_a_sentence_is_quoted_with_those_it_cannot_do_without(sentence: str, whole: str) -> None:
    between = f"Nobody {'really ' * 60}minds."
    text = (
        f"The pool opens at six in the morning. It closes at ten. {between} "
        f"{between} Towels are for rent at the desk. Unless you bring one, pay $2."
    )
    assert unit(text, sentence) == whole


def test_a_sentence_is_quoted_with_its_paragraph_where_that_is_short() -> None:
    own = "The welding fee is by the credit. Helmet, jacket and gloves cost $420 to $600."
    text = f"Booths are many.\n{own}\nStart in any term."
    assert unit(text, "The welding fee is by the credit.") == own
    assert unit(text, "Helmet, jacket and gloves cost $420 to $600.") == own
    spans = sentences(text)
    alone = unit_of(passage(text), spans, 2, paragraph=False)
    assert text[alone.start : alone.end] == "Helmet, jacket and gloves cost $420 to $600."


def test_of_a_long_paragraph_what_follows_a_sentence_goes_before_what_precedes_it() -> None:
    parts = [f"Sentence {i} of them {'goes on ' * 12}here." for i in range(6)]
    text = " ".join(parts)
    assert unit(text, parts[1]) == " ".join(parts[1:4])
    assert unit(text, parts[5]) == " ".join(parts[3:])
    assert len(unit(text, parts[1])) <= PARAGRAPH_CHARS


def test_a_paragraph_does_not_begin_with_what_leans_on_the_sentence_before() -> None:
    parts = [
        "Ask at the booth.",
        f"They {'go on ' * 20}here.",
        f"The lot {'goes on ' * 15}here.",
        f"Go {'on ' * 40}here.",
    ]
    assert unit(" ".join(parts), parts[3]) == " ".join(parts)


def test_a_unit_ends_before_what_is_not_shown() -> None:
    text = LIST.replace("a photograph of you", " " * len("a photograph of you"))
    assert unit(text, "your card") == "Bring:\nyour card"


@pytest.mark.parametrize(
    ("text", "apart"), [(LIST, True), (ROW, True), (f"{ROW} [1]", True), ("It is open. [1]", False)]
)
def test_lists_and_rows_stand_apart(text: str, apart: bool) -> None:
    assert stands_apart(text) is apart


@given(st.text(alphabet="aIt is.:\n1 —;", max_size=200))
def test_a_unit_holds_its_sentence_and_is_not_too_long(text: str) -> None:
    spans = sentences(text)
    for i, (start, end) in enumerate(spans):
        for whole in (False, True):
            found = unit_of(passage(text), spans, i, whole=whole)
            assert found.start <= start < end <= found.end
            assert found.end - found.start <= max(MOST_CHARS, end - start)
            assert found.left >= 0


PEOPLE = """Ada Quill
aquill@oakham.example
Forestry Program Director
(555) 010-8956
Elm 216
Bo Marsh
bmarsh@oakham.example
Library Communications Manager
(555) 010-1337
Elm 34"""
PERSON: tuple[LineKind, ...] = ("paragraph", "", "", "", "")


@pytest.mark.parametrize("sentence", ["Ada Quill", "Forestry Program Director", "(555) 010-8956", "Elm 216"])
def test_a_block_about_one_person_is_quoted_whole(sentence: str) -> None:
    assert unit(PEOPLE, sentence, kinds=PERSON * 2) == PEOPLE.partition("\nBo Marsh")[0]


def test_a_talk_is_quoted_with_its_day_place_and_time() -> None:
    talk = "Tuesday, January 22\nJo Fan\nOakham College\n“On Large and Important Variables”\n* 1–2 p.m."
    text = f"January 17\nCy Ames\nElmstead College\n{talk}\nJanuary 24\nDi Ode\nWeld College"
    kinds: tuple[LineKind, ...] = ("paragraph", "", "", *PERSON, "paragraph", "", "")
    assert unit(text, "Jo Fan", kinds=kinds) == talk
    assert unit(text, "Jo Fan", kinds=()) == talk  # by its days alone
    assert unit(talk, "Jo Fan", kinds=()) == "Jo Fan"


@pytest.mark.parametrize(
    "block",
    [
        "Apples\nOakham pears\nPlums",  # of several things
        "Ada Quill, (555) 010-8956\nBo Marsh, (555) 010-1337",
        "May 3: Move in\nMay 4 Classes begin\nMay 5 Add and drop ends",
    ],
)
def test_a_block_about_several_is_not_quoted_as_one(block: str) -> None:
    kinds = PERSON[: block.count("\n") + 1]
    line = block.split("\n")[1]
    assert unit(block, line, kinds=kinds) == line


def test_an_item_of_a_list_is_no_part_of_a_record() -> None:
    items = "Child grant: $3,600 a semester, by May 3\nSitters: up to $500\nTravel: once a year"
    assert unit(items, "Sitters: up to $500", kinds=("list", "", "")) == "Sitters: up to $500"


def test_where_days_are_meant_a_block_of_several_days_answers_line_by_line() -> None:
    text = "Monday: 9 to 5\nTuesday: 10 to 6"
    week = passage(text, "paragraph", "")
    spans = sentences(text)
    assert unit_of(week, spans, 1).start == 0
    found = unit_of(week, spans, 1, paragraph=False)
    assert text[found.start : found.end] == "Tuesday: 10 to 6"


def test_a_label_brings_the_list_below_it() -> None:
    text = "From the north\nExit at Elm Road\nLeft on Weld Drive\nFrom the south\nExit at Oak Road"
    kinds: tuple[LineKind, ...] = ("paragraph", "list", "", "paragraph", "list")
    assert unit(text, "From the north", kinds=kinds) == text.partition("\nFrom the south")[0]
    assert unit(text, "From the north", kinds=()) == "From the north"
