"""Measure what answers lack: how many have not what the question must be answered by, and are right.

    .venv/bin/python -m scripts.research.verifier.quoted --work var/verifier [hartsgrove uci …]
    .venv/bin/python -m scripts.research.answering.measure_lacking --work var/verifier hartsgrove uci …

Reads what `quoted` kept, an answer to every question of a set, none refused, and prints by what is lacking
(server/ask/quoting/lacking.py): answers, the right ones, and those to what the site does not say.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

from scripts.research.verifier.quoted import LEARNT, WEIGHED, Quoted, read_quoted
from server.ask.quoting.lacking import what_lacks


def main() -> None:
    """Read, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[*LEARNT, WEIGHED])
    parser.add_argument("--work", type=Path, default=Path("var/verifier"))
    given = parser.parse_args()
    lacking: defaultdict[str, list[Quoted]] = defaultdict(list)
    rows = read_quoted(given.sets, given.work)
    for row in rows:
        if lacks := what_lacks(row.question, f"{row.place}\n{row.said}"):
            lacking[lacks].append(row)
            lacking["any of these"].append(row)
    print(f"{len(rows)} answers; right {sum(row.right for row in rows)}, unsaid {_unsaid(rows)}")
    print("| lacks | answers | right | unsaid |\n|---|---|---|---|")
    for name, found in sorted(lacking.items(), key=lambda item: len(item[1])):
        print(f"| {name} | {len(found)} | {sum(row.right for row in found)} | {_unsaid(found)} |")


def _unsaid(rows: list[Quoted]) -> int:
    return sum(not row.answerable for row in rows)


if __name__ == "__main__":
    main()
