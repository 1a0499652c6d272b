"""Measure what leaving out of quotes what is beside the question costs and saves (ask/quoting/trim.py).

    LODGE_HOME=var python -m scripts.research.answering.measure_trimming larkmoor
    python -m scripts.research.answering.measure_trimming hartsgrove --pages hartsgrove.jsonl.gz [--most 300]

Asks each question of a site's set twice, of one snapshot: trimmed, and with the rest of its paragraphs. Of
what is answered confidently both times it prints how many answers differ, how much shorter all are together,
how many are right by the strings or the quote of the set the one way alone, and the median time each takes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from scripts.research.retrieval.measure_retrieval import SETS, Asked, ask_with_trace, is_right, questions_of
from server.ask.pipeline import Asker
from server.settings import Settings
from server.wiring.measuring import open_ground

STRATEGY = "hybrid+rerank"


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer, whether it is right, where that is known, and after how many ms it was there."""

    text: str
    right: bool | None = None
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """The answer to a question with the rest of its paragraphs, and trimmed."""

    whole: Shown
    trimmed: Shown


def pairs_of(asker: Asker, questions: Sequence[Asked]) -> Iterator[Pair]:
    """The confident answers to these questions, both ways, in turns the one and the other first."""
    ways = [asker.otherwise(replace(asker.options, trims=trims)) for trims in (False, True)]
    for i, asked in enumerate(questions):
        shown = [_shown(one, asked) for one in (reversed(ways) if i % 2 else ways)]
        whole, trimmed = reversed(shown) if i % 2 else shown
        if whole and trimmed:
            yield Pair(whole, trimmed)


def _shown(asker: Asker, asked: Asked) -> Shown | None:
    """What is answered confidently; None where nothing is."""
    answer, trace = ask_with_trace(asker, asked, STRATEGY)
    if answer.tier != "answer":
        return None
    ms = sum(step.ms for step in trace.steps if "." not in step.step)
    return Shown(answer.answer, is_right(answer, asked) if asked.answerable else None, ms)


def told(pairs: Sequence[Pair]) -> str:
    """The counts, the share of all characters that goes, and the median times."""
    if not pairs:
        return "no answers"
    lost = sum(one.whole.right is True and one.trimmed.right is False for one in pairs)
    won = sum(one.whole.right is False and one.trimmed.right is True for one in pairs)
    before, after = (sum(map(len, texts)) for texts in zip(*map(_texts, pairs), strict=True))
    times = (median(one.whole.ms for one in pairs), median(one.trimmed.ms for one in pairs))
    return (
        f"{len(pairs)} answers, {sum(one.whole.text != one.trimmed.text for one in pairs)} trimmed, "
        f"all of them {1 - after / before:.3f} shorter; right untrimmed alone {lost}, trimmed alone {won}; "
        f"median ms untrimmed {times[0]:.1f}, trimmed {times[1]:.1f}"
    )


def _texts(pair: Pair) -> tuple[str, str]:
    return pair.whole.text, pair.trimmed.text


def main() -> None:
    """Ask, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=SETS)
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
