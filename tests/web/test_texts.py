from __future__ import annotations

from server.web.texts import Texts


def test_the_site_is_named_wherever_a_sentence_speaks_of_it() -> None:
    texts = Texts().for_site("Larkmoor University")
    assert texts.title == "Ask Larkmoor University"
    assert "Larkmoor University's own web pages" in texts.honesty
    assert texts.updated == "Updated {date}"
