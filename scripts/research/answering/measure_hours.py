"""Measure dated questions: right, refused or shown as what seems to answer, wrong; by day.

    LODGE_HOME=var python -m scripts.research.answering.measure_hours

Asks `corpus/visitors/dated.jsonl` over the live snapshot of the demo site, each line on its own day and at
its time. Wrong answers are printed; `--show`: all are, `--composed`: those that have a place's hours.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from dataclasses import replace
from typing import Literal

from corpus.visitors.sets import DatedQuestion, read_dated
from server.models import Answer, Final, Question
from server.settings import Settings
from server.wiring.measuring import open_ground

Outcome = Literal["right", "refused", "seems", "wrong"]
OUTCOMES: tuple[Outcome, ...] = ("right", "refused", "seems", "wrong")


def outcome_of(row: DatedQuestion, answer: Answer) -> Outcome:
    """What became of a question; a passage that only seems to answer claims nothing."""
    if answer.refused:
        return "refused"
    if answer.tier == "seems":
        return "seems"
    return "right" if row.is_right(answer.answer) else "wrong"


def main() -> None:
    """Ask every line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every answer")
    parser.add_argument("--composed", action="store_true", help="print the answers that have a place's hours")
    arguments = parser.parse_args()
    settings = Settings.read(os.environ)
    counts: dict[str, Counter[str]] = {}
    with open_ground(settings, None) as ground:
        ground.prepare(print, print)
        days = dict.fromkeys((row.today, row.time) for row in read_dated())
        askers = {day: ground.asker(replace(settings, today=day[0], time=day[1])) for day in days}
        for row in read_dated():
            events = askers[row.today, row.time].ask(Question(row.question, "c", "m", "t"))
            final = next(event for event in events if isinstance(event, Final))
            outcome = outcome_of(row, final.answer)
            composed = any(step.step == "hours" and step.notes.get("parts") for step in final.trace.steps)
            counts.setdefault(row.today, Counter())[outcome] += 1
            counts[row.today]["with hours"] += composed
            if outcome == "wrong" or arguments.show or (arguments.composed and composed):
                print(f"{row.id} {outcome}{' *' if composed else ''} {row.today}: {row.question}")
                print("    " + final.answer.answer.replace("\n", "\n    "))
    columns = (*OUTCOMES, "with hours")
    print(f"| day | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for day, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        print(f"| {day} | {' | '.join(str(count[name]) for name in columns)} |")


if __name__ == "__main__":
    main()
