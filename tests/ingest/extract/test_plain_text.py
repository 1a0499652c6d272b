from server.ingest.extract.plain_text import sections_of_text


def test_paragraphs_are_blocks_and_a_title_line_above_a_sentence_a_heading() -> None:
    text = "Welcome.\n\nHow do I apply?\nYou should complete the form and send it to us today.\n"
    first, second = sections_of_text(text)
    assert (first.heading_path, second.heading_path) == ((), ("How do I apply?",))
    assert second.blocks[0].text == "You should complete the form and send it to us today."


def test_lines_of_a_table_are_not_taken_for_headings() -> None:
    text = "Date       Day  Event\nAugust 28  Mon  Classes begin for all of us here on campus\n\nA B\nC D"
    (section,) = sections_of_text(text)
    assert section.heading_path == ()
    assert section.blocks[0].text.splitlines()[0] == "Date  Day  Event"


def test_wrapped_lines_are_joined_and_others_left() -> None:
    wrapped = "The library is open to everyone who has a card of the university and\nto guests on weekdays."
    (section,) = sections_of_text(wrapped + "\n\nMonday 8–5\nTuesday 8–7\n=====")
    assert [block.text for block in section.blocks] == [wrapped.replace("\n", " "), "Monday 8–5\nTuesday 8–7"]


def test_a_table_is_a_section_of_rows_below_the_heading_above_and_its_caption() -> None:
    rates = "Rates\n\nPlan,Meals,Price\nA,10,$5\nB,20,$9"
    text = f"Who may apply?\nYou may apply if you live in this state.\n\n{rates}\n\nMore."
    above, table, below = sections_of_text(text)
    assert [block.text for block in table.blocks] == [
        "Plan: A — Meals: 10; Price: $5",
        "Plan: B — Meals: 20; Price: $9",
    ]
    assert {block.kind for block in table.blocks} == {"table"}
    assert above.heading_path == below.heading_path == ("Who may apply?",)
    assert table.heading_path == ("Who may apply?", "Rates")


def test_an_empty_text_has_no_sections() -> None:
    assert sections_of_text(" \r\n\r\n \t\n") == ()
