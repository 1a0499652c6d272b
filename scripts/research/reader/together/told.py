"""Questions with a story of somebody else's before them, that a reader learns what of it is asked.

People say how they came to ask, and what they say is not in the passage that answers. The stories are those
of corpus/visitors/stories.jsonl, each without its own question.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from server.ask.conversation.asking_part import asking_part

LEAST_WORDS = 4
TOLD = "-told"


def story_of(question: str) -> str:
    """What stands before that which a question asks; "" where that is not a few words."""
    asked = asking_part(question)
    place = question.find(asked) if asked else -1
    before = question[: max(place, 0)].strip()
    return before if len(before.split()) >= LEAST_WORDS else ""


def told(
    rows: Sequence[Mapping[str, Any]], stories: Mapping[str, Sequence[str]], share: float, seed: int
) -> Iterator[dict[str, Any]]:
    """Of the packed `rows` of sites that have `stories`, by site, so large a `share` (0 to 1) once more, as
    what the same site's other visitors tell stands before them. The same seed gives the same."""
    rng = random.Random(seed)
    for row in rows:
        before = stories.get(row["source"])
        if before and rng.random() < share:
            question = f"{rng.choice(before)} {row['question']}"
            yield {
                **row,
                "id": f"{row['id']}{TOLD}",
                "source": f"{row['source']}{TOLD}",
                "question": question,
            }


def stories_by_site(questions: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The stories of (site, question), by site."""
    found: dict[str, list[str]] = {}
    for site, question in questions:
        if story := story_of(question):
            found.setdefault(site, []).append(story)
    return found
