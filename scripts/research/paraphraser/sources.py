"""The answers with their questions, in the parts that are learnt from, fitted on and measured on."""

from __future__ import annotations

import random
from typing import Any

from scripts.data_files import read_rows
from server.settings import PROJECT

ASKED_ALIKE, CURATED = PROJECT / "corpus/asked_alike.jsonl", PROJECT / "corpus/curated_pairs.jsonl"
HALVES_SEED = 20261122


def curated_parts() -> dict[str, list[dict[str, Any]]]:
    """Those of an editor over the demo and over Quennell: `fit`, `quennell`, `test` and `later`."""
    rows = read_rows(CURATED)
    first = [row for row in rows if "written" not in row]
    random.Random(HALVES_SEED).shuffle(first)
    half = len(first) // 2
    written = {part: [row for row in rows if row.get("written") == part] for part in ("quennell", "later")}
    quennell, later = written["quennell"], written["later"]
    return {"fit": first[:half], "quennell": quennell, "test": first[half:], "later": later}


def alike_part(part: str) -> list[dict[str, Any]]:
    """Those of all of campus life: `learnt`, `aside` or `blind`."""
    return [row for row in read_rows(ASKED_ALIKE) if row["part"] == part]


def learnt_from() -> list[dict[str, Any]]:
    """What the paraphraser learns from: none of it is kept aside."""
    curated = curated_parts()
    return [*alike_part("learnt"), *curated["fit"], *curated["quennell"]]
