"""Marks of plug-ins that are gone are no text of a page."""

from __future__ import annotations

import pytest

from server.ingest.extract.extract import extract
from server.ingest.extract.shortcodes import without_shortcodes
from server.models import SourcePage


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("[one_third_first]<p>Laptops</p>[/one_third_first]", "<p>Laptops</p>"),
        ('<p>[caption id="a_1" align="left"]The lab[/caption]</p>', "<p>The lab</p>"),
        ("<p>[Vc_Row]Hours[/vc_row]</p>", "<p>Hours</p>"),
        (
            "<p>Write [your_name] here, see [1] and [note].</p>",
            "<p>Write [your_name] here, see [1] and [note].</p>",
        ),
        ("<p>[b]bold[/b]</p>", "<p>[b]bold[/b]</p>"),
        ("<p>[row", "<p>[row"),
    ],
)
def test_a_mark_that_is_closed_is_left_out(html: str, left: str) -> None:
    assert without_shortcodes(html) == left


def test_a_page_is_read_without_them() -> None:
    html = "<main><h1>Lab</h1>[one_third]<p>The lab has a printer for posters.</p>[/one_third]</main>"
    page = extract(SourcePage(url="https://a.example/lab", body=f"<html><body>{html}</body></html>"))
    assert "one_third" not in page.text
    assert "The lab has a printer" in page.text
