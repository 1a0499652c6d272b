"""Labels to audit a judge's faithfulness by: what a real model wrote, and whether its passages say so.

    .venv/bin/python -m scripts.research.writing.faithfulness_labels var/faithfulness.jsonl [--most 40]
    LODGE_JUDGE_URL=… .venv/bin/lodge eval judge --questions FILE --labels var/faithfulness.jsonl \
        --criteria faithfulness --repeats 1

Out of `corpus/check/written_finetuned.jsonl`: an answer is faithful where both hands find every sentence of
it supported, and not where both find one that is not; where they differ it is left out. So many of each are
drawn (seed 1), and laid out as `lodge eval judge` reads labels.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.data_files import read_rows
from server.settings import PROJECT

WRITTEN = PROJECT / "corpus" / "check" / "written_finetuned.jsonl"
HANDS = ("first", "second")
SEED = 1


def labelled(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """A line of labels; None where nothing was written, or the hands differ."""
    said = row["sentences"]
    found = {all(sentence[hand] == "supported" for sentence in said) for hand in HANDS}
    if not said or len(found) > 1:
        return None
    passages = (f"{one['title']} › {one['heading']}\n{one['text']}" for one in row["passages"])
    return {
        "id": row["id"],
        "question": row["question"],
        "answer": " ".join(sentence["text"] for sentence in said),
        "reference": "",
        "sources": "\n\n".join(passages),
        "labels": {"faithfulness": float(found.pop())},
    }


def drawn(rows: Sequence[Mapping[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most so many faithful answers, and as many that are not."""
    labels = [label for row in rows if (label := labelled(row))]
    random.Random(SEED).shuffle(labels)
    parts = [[one for one in labels if one["labels"]["faithfulness"] == value] for value in (1.0, 0.0)]
    return [one for part in parts for one in part[:most]]


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--most", type=int, default=40)
    given = parser.parse_args()
    labels = drawn(read_rows(WRITTEN), given.most)
    given.file.write_text("".join(json.dumps(one) + "\n" for one in labels), encoding="utf-8")
    print(f"{sum(one['labels']['faithfulness'] for one in labels):.0f} of {len(labels)} are faithful.")


if __name__ == "__main__":
    main()
