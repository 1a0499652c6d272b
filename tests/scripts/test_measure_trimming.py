"""What a trimmed answer costs and saves, counted."""

from __future__ import annotations

from scripts.research.answering.measure_trimming import Pair, told


def test_what_is_shorter_and_what_is_right_one_way_alone_is_counted() -> None:
    pairs = [
        Pair("twenty characters...", "ten of it.", True, True),
        Pair("twenty characters...", "ten others", True, False),
        Pair("twenty characters...", "twenty characters...", True, True),
        Pair("twenty characters...", "twenty characters...", None, None),
    ]
    line = told(pairs)
    assert line.startswith("4 answers, 2 trimmed, all of them 0.250 shorter;")
    assert line.endswith("right untrimmed alone 1, trimmed alone 0")
    assert told([]).startswith("0 answers")
