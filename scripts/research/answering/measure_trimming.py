"""Measure what leaving out of quotes what is beside the question costs and saves (ask/quoting/trim.py).

    LODGE_HOME=var python -m scripts.research.answering.measure_trimming larkmoor
    python -m scripts.research.answering.measure_trimming hartsgrove --pages hartsgrove.jsonl.gz [--most 300]

Asks each question of a site's set twice, of one snapshot: trimmed, and with the rest of its paragraphs. Of
what is answered confidently both times it prints how many answers differ, how much shorter all are together,
and how many are right by the strings or the quote of the set the one way alone.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.sites.build import NAMES
from scripts.research.retrieval.measure_retrieval import SETS, Asked, ask_with_trace, is_right, questions_of
from server.ask.pipeline import Asker
from server.settings import Settings
from server.wiring.measuring import open_ground

STRATEGY = "hybrid+rerank"


@dataclass(frozen=True, slots=True)
class Pair:
    """An answer with the rest of its paragraphs, and trimmed; whether each is right, where that is known."""

    whole: str
    trimmed: str
    whole_right: bool | None = None
    trimmed_right: bool | None = None


def pairs_of(asker: Asker, questions: Sequence[Asked]) -> Iterator[Pair]:
    """The confident answers to these questions, both ways."""
    untrimmed = asker.otherwise(replace(asker.options, trims=False))
    for asked in questions:
        trimmed, _ = ask_with_trace(asker, asked, STRATEGY)
        whole, _ = ask_with_trace(untrimmed, asked, STRATEGY)
        if whole.tier == trimmed.tier == "answer":
            rights = (is_right(one, asked) if asked.answerable else None for one in (whole, trimmed))
            yield Pair(whole.answer, trimmed.answer, *rights)


def told(pairs: Sequence[Pair]) -> str:
    """The counts, and the share of all characters that goes."""
    differ = [one for one in pairs if one.whole != one.trimmed]
    lost = sum(one.whole_right is True and one.trimmed_right is False for one in differ)
    won = sum(one.whole_right is False and one.trimmed_right is True for one in differ)
    before, after = sum(len(one.whole) for one in pairs), sum(len(one.trimmed) for one in pairs)
    shorter = 1 - after / before if before else 0.0
    return (
        f"{len(pairs)} answers, {len(differ)} trimmed, all of them {shorter:.3f} shorter; "
        f"right untrimmed alone {lost}, trimmed alone {won}"
    )


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=sorted({*SETS, *NAMES}))
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--most", type=int, help="ask so many questions, spread over the set")
    given = parser.parse_args()
    questions = questions_of(given.set, "work")
    if given.most:
        questions = questions[:: max(1, len(questions) // given.most)]
    settings = Settings.read(os.environ)
    with open_ground(settings, given.pages) as ground:
        ground.prepare(print, print)
        print(f"{given.set}: {told(list(pairs_of(ground.asker(settings), questions)))}")


if __name__ == "__main__":
    main()
