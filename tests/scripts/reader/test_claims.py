from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.research.reader.claims import Claim, Verdict, read_claims
from server.settings import PROJECT

PARAGRAPH = (
    "Ada Brook opened the hall in 1912 with a speech to the whole town. Carl Dent closed the mill in 1931 "
    "after a long strike of its workers. The bridge is open to people on foot and on a bicycle."
)


@pytest.fixture
def claims(tmp_path: Path) -> list[Claim]:
    """A few rows of every set."""
    nli = [
        {"claim": f"Claim {n} {label}.", "context": f"Text {n} of the {label} kind.", "label": label}
        for n in range(20)
        for label in ("entailment", "contradiction", "neutral")
    ]
    fever = [
        {
            "claim": f"Mill {n} stands in Larch.",
            "context": f"Mill {n} stands in Larch, by the river.",
            "label": "SUPPORTS",
        }
        for n in range(20)
    ]
    sets = {
        **dict.fromkeys(("mnli", "esnli", "breaking-nli"), nli),
        **dict.fromkeys(("fever", "fever-symmetric"), fever),
        "summedits": [{"claim": "It grew.", "context": "It shrank.", "label": "not supported"}],
        "boolq": [
            {"question": f"is hall {n} open", "context": f"Hall {n} is shut.", "answer": "no"}
            for n in range(9)
        ],
        "squad-train": [{"context": f"{PARAGRAPH} It was year {n}."} for n in range(30)],
    }
    folder = tmp_path / "train"
    folder.mkdir()
    for name, rows in sets.items():
        (folder / f"{name}.jsonl.gz").write_bytes(
            gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
        )
    return read_claims(tmp_path, seed=1)


def test_a_changed_sentence_is_not_in_its_paragraph_and_a_kept_one_is(claims: list[Claim]) -> None:
    changed = [one for one in claims if one.source == "squad" and one.verdict == Verdict.CONTRADICTED]
    kept = [one for one in claims if one.source == "squad" and one.verdict == Verdict.SUPPORTED]
    assert len(kept) == 30
    assert len(changed) > 20
    assert all(one.claim in one.text for one in kept)
    assert not any(one.claim in one.text for one in changed)


def test_what_a_text_says_nothing_of_is_beside_another_rows_text(claims: list[Claim]) -> None:
    apart = [one for one in claims if one.source == "fever" and one.verdict == Verdict.NOT_SAID]
    assert apart
    assert not any(one.claim.rstrip(".") in one.text for one in apart)


def test_a_text_is_kept_aside_with_all_its_claims(claims: list[Claim]) -> None:
    sides: dict[str, set[bool]] = {}
    for one in claims:
        if one.verdict != Verdict.NOT_SAID:  # one of those stands beside a text of another's
            sides.setdefault(one.text, set()).add(one.kept_aside)
    assert {len(own) for own in sides.values()} == {1}
    assert {one.kept_aside for one in claims} == {True, False}


def test_the_order_is_the_seeds(claims: list[Claim]) -> None:
    assert len({one.source for one in claims[:30]}) > 3


HASH_OF_CLAIMS = """
import hashlib, sys
from pathlib import Path
from scripts.research.reader.claims import read_claims
read = read_claims(Path(sys.argv[1]), seed=1)
print(hashlib.sha256("\\n".join(f"{one.claim}|{one.text}" for one in read).encode()).hexdigest())
"""


def test_the_claims_are_the_same_in_another_process(claims: list[Claim], tmp_path: Path) -> None:
    assert claims

    def made(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", HASH_OF_CLAIMS, str(tmp_path)]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=PROJECT
        ).stdout

    assert len({made("1"), made("2"), made("3")}) == 1
