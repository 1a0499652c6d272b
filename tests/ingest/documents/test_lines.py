"""Words of a page in reading order: whatever stands there, every word comes out once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from server.ingest.documents.lines import PlacedWord, TableLines, in_reading_order, rows_of


@st.composite
def words(draw: st.DrawFn) -> list[PlacedWord]:
    """Words anywhere on a page, or in a few columns and rows, so that some stand in line."""
    found = []
    for number in range(draw(st.integers(0, 40))):
        column, row = draw(st.sampled_from([50.0, 52.5, 180.0, 330.0])), draw(st.integers(0, 12))
        width, size = draw(st.floats(0.0, 200.0)), draw(st.sampled_from([6.0, 10.0, 11.0, 20.0]))
        top = 60 + draw(st.sampled_from([12.0, 14.5, 20.0])) * row
        bold = draw(st.booleans())
        found.append(PlacedWord(f"w{number}", column, column + width, top, top + size, size, bold))
    return found


@given(words())
def test_every_word_comes_out_once(given_words: list[PlacedWord]) -> None:
    said: Counter[str] = Counter()
    for run in in_reading_order(rows_of(given_words)):
        if isinstance(run, TableLines):
            texts = [text for row in run.rows for text, _ in row]
            assert len({len(row) for row in run.rows}) == 1
        else:
            texts = [line.text for line in run]
        said.update(word for text in texts for word in text.split())
    assert said == Counter(word.text for word in given_words)
