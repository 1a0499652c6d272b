from __future__ import annotations

import random
from pathlib import Path

import pytest

from scripts.research.load.soak import chart, growth, student_t


def test_the_interval_of_what_grows_is_around_its_slope_and_of_what_does_not_around_none() -> None:
    chance = random.Random(1)
    at = [5.0 * second for second in range(360)]
    grows = growth(at, [400 + 12 * one / 3_600 + chance.gauss(0, 0.5) for one in at])
    stays = growth(at, [400 + chance.gauss(0, 0.5) for one in at])
    assert grows
    assert stays
    assert 0 < grows["low"] < 12 < grows["high"]
    assert stays["low"] < 0 < stays["high"]
    assert growth(at[:30], [400.0] * 30) is None


@pytest.mark.parametrize(("free", "known"), [(4, 2.776), (10, 2.228), (28, 2.048)])
def test_students_t_is_that_of_the_tables(free: int, known: float) -> None:
    assert student_t(free) == pytest.approx(known, rel=0.01)


def test_memory_and_latency_are_drawn_by_the_minute(tmp_path: Path) -> None:
    vitals = [{"at": 60.0 * minute, "rss_mb": 400 + minute, "private_mb": 300.0} for minute in range(5)]
    minutes = [{"minute": minute, "p50": 20.0, "p99": 90.0} for minute in range(5)]
    chart({"rate": 2.5, "vitals": vitals, "minutes": minutes}, tmp_path / "soak.svg")
    svg = (tmp_path / "soak.svg").read_text(encoding="utf-8")
    for said in ("resident", "without mapped files", "p50", "p99", "minutes at 2.50 questions a second"):
        assert f">{said}<" in svg
    chart({"rate": 2.5, "vitals": [], "minutes": []}, tmp_path / "empty.svg")
    assert (tmp_path / "empty.svg").read_text(encoding="utf-8").startswith("<svg")
