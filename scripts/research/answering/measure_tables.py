"""Measure questions over tables: whether what is shown leads with the row that answers.

    LODGE_HOME=var python -m scripts.research.answering.measure_tables larkmoor
    LODGE_HOME=var python -m scripts.research.answering.measure_tables quennell --pages quennell.jsonl.gz

Asks the lines of a site in `corpus/visitors/tables.jsonl`, or of `--questions`, over the live snapshot or
one of a pages file. A row is shown where one row of a table, one line or one card has both the row's name and
the cell; of a table with more than three rows, it must be marked. `--show`: every answer without it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from corpus.visitors.sets import TableQuestion, read_tables
from server.models import Answer, AnswerBlock, Final, Question
from server.settings import Settings
from server.wiring.measuring import open_ground

Outcome = Literal["row", "unmarked", "cell", "seems, row", "seems", "wrong", "refused"]
OUTCOMES: tuple[Outcome, ...] = ("row", "unmarked", "cell", "seems, row", "seems", "wrong", "refused")
MOST_ROWS = 3  # of a table without a marked row, for each of them to count as shown


def leading(block: AnswerBlock) -> Iterator[str]:
    """What a block puts before the visitor, a row, line or card each."""
    if block.kind == "table":
        places = block.marked or (block.shown if block.total <= MOST_ROWS else ())
        yield from (" | ".join((*block.rows[place], *block.columns, block.caption)) for place in places)
    elif block.kind == "card":
        yield " ".join((block.text, *block.columns, *block.items))
    else:
        yield block.text
        yield from (f"{block.text} {item}" for item in block.items)


def outcome_of(row: TableQuestion, answer: Answer) -> Outcome:
    """What became of a question."""
    if answer.refused:
        return "refused"
    shown = [line.casefold() for block in answer.blocks for line in leading(block)]
    name, cell = row.row.casefold(), row.cell.casefold()
    has_row = any(name in line and cell in line for line in shown)
    if answer.tier == "seems":
        return "seems, row" if has_row else "seems"
    if has_row:
        return "row"
    if any(cell in line for line in shown):
        return "cell"
    folded = [" | ".join(cells).casefold() for block in answer.blocks for cells in block.rows]
    return "unmarked" if any(name in line and cell in line for line in folded) else "wrong"


def main() -> None:
    """Ask every line and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", help="a site of the questions, or all")
    parser.add_argument("--questions", type=Path, help="a file of the same form as tables.jsonl")
    parser.add_argument("--pages", type=Path, help="a pages file to index, once")
    parser.add_argument("--show", action="store_true", help="print the answers that do not have the row")
    parser.add_argument("--json", type=Path, help="write each question's outcome to this file")
    arguments = parser.parse_args()
    rows = [row for row in read_tables(arguments.questions) if arguments.site in ("all", row.site)]
    outcomes: dict[str, Outcome] = {}
    with open_ground(Settings.read(os.environ), arguments.pages) as ground:
        ground.prepare(print, print)
        asker = ground.asker(Settings.read(os.environ))
        for row in rows:
            events = asker.ask(Question(row.question, "c", "m", "t"))
            answer = next(event.answer for event in events if isinstance(event, Final))
            outcome = outcomes[row.id] = outcome_of(row, answer)
            if arguments.show and outcome != "row":
                print(f"{row.id} {outcome}: {row.question}  [{row.row} -> {row.cell}] {row.url}")
                print("    " + answer.answer.replace("\n", "\n    "))
    counts = Counter(outcomes.values())
    print(f"| questions | {' | '.join(OUTCOMES)} |\n|---|{'---|' * len(OUTCOMES)}")
    print(f"| {len(rows)} | {' | '.join(str(counts[name]) for name in OUTCOMES)} |")
    if arguments.json:
        arguments.json.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
