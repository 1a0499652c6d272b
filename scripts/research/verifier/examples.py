"""Questions beside answers, as the verifier reads them, and whether the answer is right."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from scripts.research.paraphraser.examples import Example
from scripts.research.verifier.quoted import Quoted
from server.inference.encoders import with_lead


def told(place: str, said: str) -> str:
    """An answer as the server has the model read it."""
    return with_lead(place, said)[0]


def examples(
    quoted: Sequence[Quoted], alike: Sequence[Mapping[str, Any]], most_alike: int, rng: random.Random
) -> list[Example]:
    """One pass: every quoted answer, and so many of those that people wrote, drawn anew."""
    written = _written(alike, rng)
    return [
        *((one.question, told(one.place, one.said), int(one.right)) for one in quoted),
        *rng.sample(written, min(len(written), most_alike)),
    ]


def _written(rows: Sequence[Mapping[str, Any]], rng: random.Random) -> list[Example]:
    """Each question beside its answer, half of them below one of the phrasings."""
    made: list[Example] = []
    for row in rows:
        near = [one["question"] for one in row["near"]]
        for serves, questions in ((1, row["same"]), (0, near)):
            for question in questions:
                place = rng.choice([rng.choice(row["phrasings"]), ""])
                made.append((question, told(place, row["answer"]), serves))
    return made
