"""Questions about the small college, as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.small_site import SITE

ANSWERABLE = [
    ("tuition", "How much is tuition for residents of the state?", "$9,240", "/tuition"),
    ("health-fee", "How much is the health fee?", "$145", "/tuition"),
    ("begin", "When do classes of the fall term begin?", "August 31", "/deadlines"),
    ("withdraw", "What is the last day to withdraw from a course?", "November 6", "/deadlines"),
    ("spring", "When does registration for the spring term open?", "November 9", "/deadlines"),
    ("hours", "When is the library open at weekends?", "10 a.m. to 8 p.m.", "/library"),
    ("borrow", "How many books may undergraduates borrow?", "twenty", "/library"),
    ("permit", "What does a parking permit for commuters cost?", "$120", "/parking"),
    ("lot", "Where do visitors park?", "Lot C", "/parking"),
    ("tow", "What happens to a car in a fire lane?", "towed", "/parking"),
]
UNANSWERABLE = ["best pizza in Chicago", "who won the world cup in 1998", "how do I bake sourdough bread"]


def rows() -> list[dict[str, Any]]:
    """A line each."""
    answerable = [
        {"id": id_, "question": text, "answers": [answer], "gold_urls": [SITE + path], "answerable": True}
        for id_, text, answer, path in ANSWERABLE
    ]
    return answerable + [
        {"id": f"no-{i}", "question": text, "answers": [], "gold_urls": None, "answerable": False}
        for i, text in enumerate(UNANSWERABLE)
    ]


def write_questions(path: Path, *more: str, lines: list[dict[str, Any]] | None = None) -> Path:
    """The file, `more` as its last lines."""
    text = [json.dumps(row) for row in (rows() if lines is None else lines)]
    path.write_text("".join(line + "\n" for line in (*text, *more)), encoding="utf-8")
    return path
