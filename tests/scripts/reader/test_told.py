"""Stories of other visitors before a question, for a reader to learn what of it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.research.reader.together.told import stories_by_site, story_of, told

ROW = {
    "id": "q1",
    "source": "quennell",
    "question": "library hours",
    "positives": [[1, 0, 4]],
    "negatives": [2],
}
STORY = "My daughter starts in August and we live in Ohio."


@pytest.mark.parametrize(
    ("question", "story"),
    [
        (f"{STORY} When does housing open?", STORY),
        ("When does housing open?", ""),
        ("I left. When does housing open?", ""),
        ("lost my card over the weekend", ""),
    ],
)
def test_a_story_is_what_stands_before_what_is_asked(question: str, story: str) -> None:
    assert story_of(question) == story


def test_a_question_gets_a_story_of_its_own_site() -> None:
    stories = stories_by_site([("quennell", f"{STORY} When does housing open?"), ("marrowby", "gym hours")])
    assert stories == {"quennell": [STORY]}
    rows: list[dict[str, Any]] = [ROW, ROW | {"id": "q2", "source": "marrowby"}]
    assert list(told(rows, stories, 1.0, seed=1)) == [
        ROW | {"id": "q1-told", "source": "quennell-told", "question": f"{STORY} library hours"}
    ]
    assert list(told(rows, stories, 0.0, seed=1)) == []


def test_the_same_seed_draws_the_same() -> None:
    stories = {"quennell": [STORY, "We drive up on Friday with two dogs."]}
    rows = [ROW | {"id": f"q{i}"} for i in range(20)]
    drawn = [list(told(rows, stories, 0.5, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert 0 < len(drawn[0]) < 20
