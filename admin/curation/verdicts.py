"""What a draft's change of an answer is for whoever asks, in words."""

from __future__ import annotations

from collections.abc import Mapping

# "Mended" is said only where the right answer is known, and given.
VERDICTS: Mapping[str, str] = {
    "mended": "✓ mended: wrong now, right then",
    "still_right": "✓ right, now and then",
    "still_wrong": "✕ still wrong",
    "breaks": "✕ breaks: right now, wrong then",
    "not_answered": "✕ not answered any more",
    "newly_answered": "answered, which it is not now",
    "in_your_words": "✓ answered in your words",
    "put_first": "answered from the page that is put first",
    "loses_page": "loses its page",
    "otherwise": "answered otherwise",
}
