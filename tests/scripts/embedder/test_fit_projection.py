"""What a projection of words' states is fitted to."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

from scripts.research.retrieval.fit_projection import read_packed

TEXTS = [{"lead": "Gym", "body": "It opens at six."}, {"lead": "Pool", "body": "It is closed."}]
ASKED = {"id": "q1", "source": "quennell", "question": "when does the gym open", "spans": True}


def test_a_projection_is_fitted_to_the_packed_questions_that_are_answered(tmp_path: Path) -> None:
    answered = ASKED | {"positives": [[0, 0, 2]], "negatives": [1]}
    unanswered = ASKED | {"id": "q2", "positives": [], "negatives": [1]}
    packed: dict[str, Sequence[object]] = {"texts": TEXTS, "examples": [answered, unanswered]}
    for name, rows in (packed | {"lists": [], "claims": []}).items():
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    [one] = read_packed(tmp_path)
    assert (one.id, one.question, one.source) == ("q1", ASKED["question"], "quennell")
    assert [text.body for text in (*one.positives, *one.negatives)] == [row["body"] for row in TEXTS]
