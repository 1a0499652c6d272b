"""Days that have passed are said to have."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.quoting.day_passed import day_passed
from server.models import Citation

TODAY = date(2026, 11, 23)
FAIR, LAST = "Career fair — Date: October 14, 2025, 3–7 p.m.", date(2025, 10, 14)


@pytest.mark.parametrize(
    ("question", "quoted", "last"),
    [
        ("when is the career fair", [FAIR], LAST),
        ("career fair dates", [FAIR, "Spring career fair: January 22, 2025"], LAST),
        ("¿cuándo es la feria?", [FAIR], LAST),
        ("when is spring break", ["Spring break: March 9–13, 2026"], date(2026, 3, 13)),
        ("when is the career fair", [FAIR, "The next one is on February 3, 2027."], None),
        ("when is the career fair", [FAIR, "There is another one in fall 2026."], None),
        ("when is the retreat", ["It was on March 13, 2026; the next one is in fall 2027."], None),
        ("when is the career fair", ["The fair is on December 3."], None),
        ("when is the career fair", ["Every October, since 2019."], None),
        ("when was the career fair", [FAIR], None),
        ("where is the career fair", [FAIR], None),
        ("when is the career fair", [], None),
        ("when are finals", ["Finals: December 14–18, 2026"], None),
        ("when is the fair", ["Today only: November 23, 2026"], None),
    ],
)
def test_the_last_day_where_none_is_to_come(question: str, quoted: list[str], last: date | None) -> None:
    sources = [Citation(n, "https://x/fair", "Fairs", "", text) for n, text in enumerate(quoted, 1)]
    assert day_passed(question, sources, TODAY) == last
