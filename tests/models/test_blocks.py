from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.models.blocks import MOST_MARKED_ROWS, AnswerBlock, blocks_of
from server.models.quoted_table import QuotedTable


def test_rows_of_the_same_columns_are_one_table() -> None:
    text = "Saturday — Counter: Closed; Phone: Open [1]\nSunday — Counter: Closed; Phone: Closed [2]"
    assert blocks_of(text, [1, 2]) == (
        AnswerBlock(
            "table",
            columns=("", "Counter", "Phone"),
            rows=(("Saturday", "Closed", "Open"), ("Sunday", "Closed", "Closed")),
            cites=(1, 2),
        ),
    )


def test_rows_of_other_columns_are_another_table() -> None:
    text = "Saturday — Counter: Closed; Phone: Open [1]\nMaple — Beds: 264; Elevator: Yes [2]"
    assert [block.columns for block in blocks_of(text, [1, 2])] == [
        ("", "Counter", "Phone"),
        ("", "Beds", "Elevator"),
    ]


def test_what_follows_a_colon_is_a_list_until_its_source_is_named() -> None:
    text = "Bring:\nyour card\n• a photograph [1] The desk is open until five. [2]"
    assert blocks_of(text, [1, 2]) == (
        AnswerBlock("list", "Bring:", ("your card", "a photograph"), cites=(1,)),
        AnswerBlock("text", "The desk is open until five.", cites=(2,)),
    )


def test_numbered_items_are_steps_and_keep_their_number() -> None:
    text = "To register:\n3. Fill your cart.\n4. Press the button,\nand wait. [1]"
    assert blocks_of(text, [1]) == (
        AnswerBlock(
            "steps", "To register:", ("Fill your cart.", "Press the button, and wait."), start=3, cites=(1,)
        ),
    )


def test_a_number_in_brackets_that_is_no_citation_stays_a_word() -> None:
    assert blocks_of("Applications open in spring [26] [1]", [1]) == (
        AnswerBlock("text", "Applications open in spring [26]", cites=(1,)),
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("Upland Streams: Water of 22 brooks. Since 2011.", "Small Data Lab: Problems of town offices."),
        ("Quarry Hall", "Finch Library, ground floor", "Miller Commons"),
    ],
)
def test_entries_and_lines_without_an_end_are_a_list_without_a_lead(lines: tuple[str, ...]) -> None:
    text = "Research:\n" + "\n".join(lines) + " [1]\nMentors:\nRead three pages. [2]"
    assert blocks_of(text, [1, 2], ["Research:", "Mentors:"]) == (
        AnswerBlock("text", "Research:"),
        AnswerBlock("list", items=lines, cites=(1,)),
        AnswerBlock("text", "Mentors:"),
        AnswerBlock("text", "Read three pages.", cites=(2,)),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Coordinator: Tannery 307. [1]",  # one entry is a sentence
        "Upland Streams: Water of 22 brooks.\nCome on Monday. [1]",  # what follows is no entry
        "Quarry Hall\nMiller Commons [1]",  # one may be the other's heading
        "Hours: nine to five\nPhone: by day\nThe desk: closed",  # an editor's own words
        "Hours of this week:\n Saturday — Desk: Closed; Phone: Open [1]",
    ],
)
def test_other_lines_are_no_list(text: str) -> None:
    assert "list" not in {block.kind for block in blocks_of(text, [1])}


@pytest.mark.parametrize("text", ["", "\n\n", " [1]"])
def test_nothing_said_is_no_block(text: str) -> None:
    assert blocks_of(text, [1]) == ()


@given(st.text(alphabet="ab1.:;—[] \n•-", max_size=80))
def test_no_text_breaks_it_and_no_letter_is_lost(text: str) -> None:
    blocks = blocks_of(text, [1])
    said = "".join(
        "".join((block.text, *block.items, *block.columns, *(cell for row in block.rows for cell in row)))
        for block in blocks
    )
    for letter in "ab":
        assert said.count(letter) <= text.count(letter)
        assert (letter in said) == (letter in text)


DAYS = ("Monday — Opens: 9; Closes: 5", "Tuesday — Opens: 9; Closes: 7", "Saturday — Opens: never")
WEEK = QuotedTable(
    (*DAYS[:2], "Wednesday — Opens: 9; Closes: 5", *DAYS[2:], "Sunday — Opens: never"), "Hours"
)


def test_a_quoted_row_stands_marked_in_its_whole_table() -> None:
    [block] = blocks_of(f"{DAYS[2]} [1]", [1], tables={1: WEEK})
    assert (block.caption, block.columns, block.total) == ("Hours", ("", "Opens", "Closes"), 5)
    assert block.rows[3] == ("Saturday", "never", "")
    assert (block.marked, block.shown) == ((3,), (2, 3, 4))


def test_rows_of_one_table_are_marked_in_one() -> None:
    [block] = blocks_of(f"{DAYS[0]} [1]\n{DAYS[2]} [1]", [1], tables={1: WEEK})
    assert block.marked == (0, 3)


def test_most_of_a_table_is_the_table_and_what_is_left_out_of_the_text_is_not_missing() -> None:
    table = replace(WEEK, rest="There are 2 more on the page.")
    text = "\n".join(WEEK.rows[:3]) + " [1]\nThere are 2 more on the page."
    [block] = blocks_of(text, [1], tables={1: table})
    assert (block.total, block.marked) == (5, ())


@pytest.mark.parametrize(
    ("quoted", "marked"), [(MOST_MARKED_ROWS, MOST_MARKED_ROWS), (MOST_MARKED_ROWS + 1, 0)]
)
def test_so_many_rows_of_a_long_table_are_its_beginning_and_none_is_marked(quoted: int, marked: int) -> None:
    majors = tuple(f"Major {n} — Degree: BA; Credits: {n}" for n in range(40))
    [block] = blocks_of("\n".join(majors[:quoted]) + " [1]", [1], tables={1: QuotedTable(majors, "Majors")})
    assert (block.total, len(block.marked)) == (40, marked)
    assert block.shown[0] == 0


def test_a_row_that_is_not_in_the_table_stands_alone() -> None:
    [block] = blocks_of("Friday — Opens: 9; Closes: 4 [1]", [1], tables={1: WEEK})
    assert (block.total, block.marked) == (1, ())


def test_rows_that_are_to_be_marked_are_marked_among_those_that_are_quoted() -> None:
    table = replace(WEEK, marked=(1,))
    [block] = blocks_of("\n".join(WEEK.rows) + " [1]", [1], tables={1: table})
    assert (block.marked, block.shown) == ((1,), (0, 1, 2))


def test_a_long_list_is_folded_and_steps_are_not() -> None:
    items = [f"Club {n}" for n in range(14)]
    [clubs] = blocks_of("Clubs:\n" + "\n".join(items) + " [1]", [1])
    assert (clubs.total, clubs.shown, len(clubs.items)) == (14, (0, 1, 2, 3, 4), 14)
    [steps] = blocks_of("\n".join(["How:", *(f"{n}. Do {n}." for n in range(1, 15))]) + " [1]", [1])
    assert (steps.kind, steps.is_folded, len(steps.items)) == ("steps", False, 14)


def test_whom_to_reach_is_a_card_from_a_line_or_a_single_row() -> None:
    text = (
        "Advising, Quarry Hall 140, (802) 555-0122 [1]\n"
        "Registrar — Where: Quarry Hall 204; Telephone: (802) 555-0120 [2]"
    )
    assert [(block.kind, block.text, block.items, block.columns) for block in blocks_of(text, [1, 2])] == [
        ("card", "Advising", ("Quarry Hall 140", "(802) 555-0122"), ("", "")),
        ("card", "Registrar", ("Quarry Hall 204", "(802) 555-0120"), ("Where", "Telephone")),
    ]


def test_steps_need_no_lead() -> None:
    [steps] = blocks_of("1. Fill in the form.\n2. Pay. [1]", [1])
    assert (steps.kind, steps.items, steps.cites) == ("steps", ("Fill in the form.", "Pay."), (1,))
    [text, _] = blocks_of("1. Fill in the form.\n4. Pay. [1]", [1])
    assert text.kind == "text"


def test_what_was_asked_is_no_item_of_the_list_below_it() -> None:
    text = "“gpa for honors”\nAn overall GPA of 3.2\nA GPA of 3.5 in the courses\nA letter [1]"
    head, items = blocks_of(text, (1,))
    assert (head.kind, head.text) == ("text", "“gpa for honors”")
    assert (items.kind, items.items[0]) == ("list", "An overall GPA of 3.2")
