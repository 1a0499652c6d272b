"""What readers made of the answers that were shown: right, partly, wrong, refused, and whether they satisfy.

    .venv/bin/python -m scripts.research.answering.measure_grades larkmoor

Reads corpus/visitors/graded/NAME_HAND.jsonl, a JSON line a question: `id`, `tier` as it was shown, `grade`,
`site_says` (whether the site has the answer) and `satisfied`. Two hands' agreement is Cohen's kappa (1960).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus.visitors.sets import HERE
from scripts.data_files import read_rows
from server.evaluate.judging.agreement import cohen_kappa
from server.evaluate.significance import share_interval

FOLDER = HERE / "graded"
GRADES = ("right", "partly", "wrong", "refused")
Row = dict[str, Any]


def told(rows: Sequence[Row]) -> str:
    """How many have each grade, and the share that satisfies, with its 95 % interval."""
    counts = Counter(row["grade"] for row in rows)
    satisfied = share_interval(sum(row["satisfied"] for row in rows), len(rows))
    grades = ", ".join(f"{grade} {counts[grade]}" for grade in GRADES)
    share = f"{satisfied.value:.3f} [{satisfied.low:.3f}, {satisfied.high:.3f}]"
    return f"{len(rows)}: {grades}; satisfied {share}"


def read_hands(name: str, folder: Path = FOLDER) -> dict[str, list[Row]]:
    """Each hand's rows, in the order of their ids."""
    return {
        path.stem.removeprefix(f"{name}_"): sorted(read_rows(path), key=lambda row: str(row["id"]))
        for path in sorted(folder.glob(f"{name}_*.jsonl"))
    }


def main() -> None:
    """Print each hand's counts, and how far the first two agree."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=sorted({path.stem.rpartition("_")[0] for path in FOLDER.iterdir()}))
    hands = read_hands(parser.parse_args().name)
    for hand, rows in hands.items():
        print(f"hand {hand}, all {told(rows)}")
        for says in (True, False):
            print(f"  the site {'says it' if says else 'does not'}, "
                  f"{told([row for row in rows if row['site_says'] is says])}")  # fmt: skip
    if len(hands) > 1:
        one, other, *_ = hands.values()
        for key in ("grade", "satisfied", "site_says"):
            pairs = [(a[key], b[key]) for a, b in zip(one, other, strict=True)]
            print(f"{key}: kappa {cohen_kappa(pairs):.3f}")


if __name__ == "__main__":
    main()
