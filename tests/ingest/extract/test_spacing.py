import pytest
from lxml import html

from server.ingest.extract.main_content import text_of
from server.ingest.extract.spacing import space_out


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<span>Monday</span><span>8am</span>", "Monday 8am"),
        ("Application fee<span>$70</span>", "Application fee $70"),
        ("<span>2,366</span><b>undergraduates</b>", "2,366 undergraduates"),
        ("<span>Sunday</span><span>Closed</span>", "Sunday Closed"),
        ("<b>Call:</b><a>555-0100</a>", "Call: 555-0100"),
        ("Phone<i class=icon></i><span>555-0100</span>", "Phone 555-0100"),
        ("<span>Monday</span> <span>8am</span>", "Monday 8am"),
        ("<span>20</span><span>26</span>", "2026"),
        ("March 1<sup>st</sup> or 2<span>nd</span>", "March 1st or 2nd"),
        ("H<sub>2</sub>O, <b>A</b>pply, un<b>likely</b>", "H2O, Apply, unlikely"),
        ("<span>12</span>:<span>30</span>, <b>14:</b>1", "12:30, 14:1"),
        ("(802)<span>555-0100</span>", "(802) 555-0100"),
        ("$<span>50</span>.<span>00</span>", "$50.00"),
    ],
)
def test_words_that_a_style_sets_apart_are_two_and_parts_of_a_word_one(markup: str, text: str) -> None:
    root = html.fragment_fromstring(f"<p>{markup}</p>")
    space_out(root)
    assert text_of(root) == text


def test_blocks_are_left_to_themselves() -> None:
    root = html.fragment_fromstring("<div><p>Monday</p><p>8am</p><span>a</span><br><span>9</span></div>")
    space_out(root)
    assert "".join(map(str, root.itertext())) == "Monday8ama9"
