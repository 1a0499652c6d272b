"""Measure how Spanish is heard, and what becomes of a question in Spanish over pages in English.

    LODGE_DATA=../shared/data python -m scripts.research.hearing.measure_spanish
    python -m scripts.research.hearing.measure_spanish quennell --pages var/quennell.jsonl
    python -m scripts.research.hearing.measure_spanish plain

Without a set: how many lines of each are heard as Spanish. With one: what becomes of its lines in Spanish;
`--only-spanish`: without being asked again in English. "plain" asks the demo's snapshot what any university
is asked, in other words than `corpus/usual_questions.toml` has (`corpus/visitors/plain_spanish.txt`).
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import server.ask.contextualize
import server.ask.pipeline
from corpus.visitors.sets import HERE, read_larkmoor, read_page_questions
from scripts.data_files import read_rows
from server.ask.conversation.phrases import is_spanish
from server.ingest.topics.train import load_questions
from server.models import Answer, Final, Question
from server.settings import Settings
from server.wiring.measuring import open_ground

PLAIN = HERE / "plain_spanish.txt"
SETS = ("larkmoor", "quennell", "tamsettferry", "handbook", "government", "uci_cmu")


def lines_of(name: str) -> list[tuple[bool, str]]:
    """A set's lines, each with whether a Spanish speaker wrote it."""
    rows = read_larkmoor("work") if name == "larkmoor" else read_page_questions(name)
    return [(row.voice.casefold() == "spanish", row.question) for row in rows]


def print_heard(sets: Iterable[tuple[str, list[tuple[bool, str]]]]) -> None:
    """A row a set: how many lines are heard as Spanish, of those in Spanish and of all others."""
    print("| set | heard, of those in Spanish | heard, of the others |\n|---|---|---|")
    total = [0, 0, 0, 0]
    for name, lines in sets:
        spanish = [is_spanish(text) for ours, text in lines if ours]
        others = [is_spanish(text) for ours, text in lines if not ours]
        row = [sum(spanish), len(spanish), sum(others), len(others)]
        total = [one + more for one, more in zip(total, row, strict=True)]
        print(f"| {name} | {row[0]} of {row[1]} | {row[2]} of {row[3]} |")
    print(f"| all | {total[0]} of {total[1]} | {total[2]} of {total[3]} |")


def answers_to(lines: Iterable[str], pages: Path | None) -> list[Answer]:
    """What is answered to each line, over a pages file or the demo's snapshot."""
    settings = Settings.read(os.environ)
    with open_ground(settings, pages) as ground:
        ground.prepare(print, print)
        asker = ground.asker(settings)
        events = [event for line in lines for event in asker.ask(Question(line, "c", "m", "t"))]
    return [event.answer for event in events if isinstance(event, Final)]


def print_answered(name: str, pages: Path | None) -> None:
    """Of the set's answerable lines in Spanish, how many are answered, and from a right page."""
    asked = [row for row in read_page_questions(name) if row.voice == "Spanish" and row.answerable]
    answers = answers_to([row.question for row in asked], pages)
    answered = sum(not answer.refused for answer in answers)
    right = sum(
        not {row.url, *row.other_urls}.isdisjoint(one.url for one in answer.citations)
        for row, answer in zip(asked, answers, strict=True)
    )
    print(f"{name}: {answered} of {len(asked)} answered, {right} from a right page")


def print_plain() -> None:
    """How many plain lines the demo answers, seems to answer and refuses."""
    asked = load_questions(PLAIN)
    tiers = Counter(answer.tier for answer in answers_to(asked, None))
    print(f"plain: {dict(tiers)} of {len(asked)}")


def main() -> None:
    """Read the arguments, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", nargs="?", choices=("quennell", "tamsettferry", "plain"))
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--only-spanish", action="store_true")
    given = parser.parse_args()
    if given.only_spanish:
        server.ask.contextualize.in_english = lambda *_: None  # type: ignore[attr-defined]  # not its own
        server.ask.pipeline.usual_in_english = lambda *_: ""  # type: ignore[attr-defined]
    if given.set == "plain":
        print_plain()
        return
    if given.set:
        print_answered(given.set, given.pages)
        return
    sets = [(name, lines_of(name)) for name in SETS]
    if data := os.environ.get("LODGE_DATA"):
        off_topic = read_rows(Path(data) / "off-topic" / "questions.jsonl.gz")
        sets.append(("off-topic", [(False, row["question"]) for row in off_topic]))
    print_heard(sets)


if __name__ == "__main__":
    main()
