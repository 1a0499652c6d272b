"""What a trimmed answer costs and saves, counted."""

from __future__ import annotations

from scripts.research.answering.measure_trimming import Pair, Shown, told


def test_what_is_shorter_and_what_is_right_one_way_alone_is_counted() -> None:
    whole = Shown("twenty characters...", True, 80.0)
    pairs = [
        Pair(whole, Shown("ten of it.", True, 90.0)),
        Pair(whole, Shown("ten others", False, 90.0)),
        Pair(whole, whole),
        Pair(Shown("twenty characters..."), Shown("twenty characters...")),
    ]
    assert told(pairs) == (
        "4 answers, 2 trimmed, all of them 0.250 shorter; right untrimmed alone 1, trimmed alone 0; "
        "median ms untrimmed 80.0, trimmed 85.0"
    )
    assert told([]) == "no answers"
