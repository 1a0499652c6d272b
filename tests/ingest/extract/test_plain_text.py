from server.ingest.extract.blocks import sections_of_text


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


def test_an_empty_text_has_no_sections() -> None:
    assert sections_of_text(" \r\n\r\n \t\n") == ()
