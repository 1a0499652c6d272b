"""How well questions of one meaning come together, by the cosine at which they do.

    .venv/bin/python -m scripts.research.console.measure_grouping

The ways to ask of corpus/curated_pairs.jsonl are grouped as the console groups what was not answered well
(`server/workbench/gaps/service.py`), in five random orders. Two ways to ask one thing should come together
(`together`); of the pairs that do, `same` ask one thing, `near` narrowly another about the same matter
(another term, another side of it), and `other` something else.
"""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np

from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder
from server.workbench.gaps.service import NEAR, Vectors, place

PAIRS = PROJECT / "corpus" / "curated_pairs.jsonl"
SEED, ORDERS = 20261122, 5
LEVELS = (0.5, 0.55, NEAR, 0.65, 0.7)


def questions() -> list[tuple[str, int, bool]]:
    """Each question with the number of the answer it stands beside, and whether it asks for that."""
    found = []
    for number, line in enumerate(PAIRS.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        found += [(text, number, True) for text in (*row["phrasings"], *row["same"])]
        found += [(one["question"], number, False) for one in row["near"]]
    return found


def shares(vectors: Vectors, asked: list[tuple[str, int, bool]], level: float) -> tuple[float, ...]:
    """`together`, `same`, `near` and `other`, on average over the orders."""
    chance = np.random.default_rng(SEED)
    rows = []
    for _ in range(ORDERS):
        order = chance.permutation(len(asked))
        groups = dict(
            zip(order, (number for number, _ in place(vectors[order], [], level).places), strict=True)
        )
        counts = {"apart": 0, "same": 0, "near": 0, "other": 0}
        for a, b in combinations(range(len(asked)), 2):
            (_, first, asks_first), (_, second, asks_second) = asked[a], asked[b]
            kind = "other" if first != second else "same" if asks_first and asks_second else "near"
            if groups[a] == groups[b]:
                counts[kind] += 1
            elif kind == "same":
                counts["apart"] += 1
        joined = counts["same"] + counts["near"] + counts["other"]
        of_pairs = (counts[kind] / joined for kind in ("same", "near", "other"))
        rows.append((counts["same"] / (counts["same"] + counts["apart"]), *of_pairs))
    return tuple(np.mean(rows, axis=0))


def main() -> None:
    """Prints one table."""
    asked = questions()
    vectors = build_embedder(Settings()).embed_questions([text for text, *_ in asked])
    print("| cosine | together | same | near | other |\n|---|---|---|---|---|")
    for level in LEVELS:
        print(
            f"| {level:.2f} | " + " | ".join(f"{share:.2f}" for share in shares(vectors, asked, level)) + " |"
        )


if __name__ == "__main__":
    main()
