from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from server.ask.grounding.spans import alternatives, blanked


def test_the_longest_alternative_is_tried_first() -> None:
    assert re.match(alternatives(["may", "mayor"]), "mayor").group() == "mayor"  # type: ignore[union-attr]


@settings(deadline=None)
@given(st.text("ab 1", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=4))
def test_hiding_spans_moves_nothing(text: str, pairs: list[tuple[int, int]]) -> None:
    spans = [(min(pair), min(max(pair), len(text))) for pair in pairs if min(pair) <= len(text)]
    hidden = blanked(text, spans)
    assert len(hidden) == len(text)
    for place, (before, after) in enumerate(zip(text, hidden, strict=True)):
        inside = any(start <= place < end for start, end in spans)
        assert after == ("\0" if inside else before)
