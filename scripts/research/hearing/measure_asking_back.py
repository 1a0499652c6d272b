"""Measure asking back: how often an answer asks for whom a question is meant, and what a button wins.

    python -m scripts.research.hearing.measure_asking_back larkmoor [--most 200]
    python -m scripts.research.hearing.measure_asking_back quennell --pages var/quennell.jsonl --most 400
    python -m scripts.research.hearing.measure_asking_back tamsettferry --pages F --unnamed

*Shown*: buttons stand below the answer. *Won*: what was shown was wrong or a refusal, and what one of its
buttons asks is answered rightly. *Annoyed*: it was right already. Right is as `measure_retrieval` has it.

Few visitors of these sets ask for everyone, since each question was written from the passage that answers it.
`--unnamed` takes the questions that name a kind of people, puts "students" in its place ("do grad students
pay a deposit" → "do students pay a deposit"), and asks those: what asking back is made for.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scripts.research.retrieval.measure_retrieval import SETS, Asked, ask_with_trace, is_right, questions_of
from server.ask.pipeline import Asker
from server.evaluate.significance import share_interval
from server.models import Answer
from server.settings import Settings
from server.wiring.measuring import open_ground

STRATEGY = "hybrid+rerank"
_NAMED = re.compile(
    r"\b(?:(?:under)?grad(?:uate)?|undergrad|master'?s|ph\.?d|doctoral|law|international|transfer"
    r"|first[- ]year|freshman|returning|non-?degree|in[- ]state|out[- ]of[- ]state|online|domestic)"
    r"(?= (?:students?|applicants?|admits)\b)"
    r"|\b(?:(?:under)?grads|graduates|transfers|freshmen|first[- ]years|internationals)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\bstudents (?=(?:students?|applicants?|admits)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pressed:
    """A question's answer, and the answers to what its buttons ask."""

    asked: Asked
    answer: Answer
    after: tuple[Answer, ...]

    @property
    def shown(self) -> bool:
        """Whether it was asked back."""
        return self.answer.narrow is not None

    @property
    def right(self) -> bool:
        """Whether it was right without a button."""
        return _is_right(self.answer, self.asked)

    @property
    def won(self) -> bool:
        """Whether a button made it right."""
        return not self.right and any(_is_right(one, self.asked) for one in self.after)


def _is_right(answer: Answer, asked: Asked) -> bool:
    return not answer.refused and bool(is_right(answer, asked))


def unnamed(questions: Iterable[Asked]) -> Iterator[Asked]:
    """Those that name a kind of people, without it."""
    for one in questions:
        text = _TWICE.sub("", _NAMED.sub("students", one.text))
        if text != one.text and one.answerable and not one.history:
            yield replace(one, text=text)


def press(asker: Asker, questions: Iterable[Asked]) -> Iterator[Pressed]:
    """Ask each question, and what its buttons ask."""
    for one in questions:
        answer, _ = ask_with_trace(asker, one, STRATEGY)
        choices = answer.narrow.choices if answer.narrow else ()
        after = tuple(
            ask_with_trace(asker, replace(one, text=each.question), STRATEGY)[0] for each in choices
        )
        yield Pressed(one, answer, after)


def print_figures(pressed: Sequence[Pressed]) -> None:
    """Shares of all questions, with 95 % intervals."""
    rows: dict[str, Callable[[Pressed], bool]] = {
        "right at once": lambda one: one.right,
        "shown": lambda one: one.shown,
        "won": lambda one: one.won,
        "annoyed": lambda one: one.shown and one.right,
        "shown in vain": lambda one: one.shown and not one.right and not one.won,
    }
    print(f"{len(pressed)} questions")
    for name, holds in rows.items():
        found = share_interval(sum(map(holds, pressed)), len(pressed))
        print(f"| {name} | {found.value:.3f} ({found.low:.3f}–{found.high:.3f}) |")


def print_shown(pressed: Iterable[Pressed]) -> None:
    """Each question that was asked back, with its buttons."""
    for one in pressed:
        if one.answer.narrow:
            what = "right" if one.right else "won" if one.won else "in vain"
            labels = ", ".join(choice.label for choice in one.answer.narrow.choices)
            print(f"{one.asked.id} [{what}] {one.asked.text} | {one.answer.narrow.is_of} → {labels}")


def main() -> None:
    """Read the arguments, ask everything, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--most", type=int, help="ask so many questions, spread over the set")
    parser.add_argument("--unnamed", action="store_true", help="of questions that name a kind, without it")
    given = parser.parse_args()
    questions = questions_of(given.set, "work")
    if given.unnamed:
        questions = list(unnamed(questions))
    if given.most:
        questions = questions[:: max(1, len(questions) // given.most)]
    settings = Settings.read(os.environ)
    with open_ground(settings, given.pages) as ground:
        ground.prepare(print, print)
        pressed = list(press(ground.asker(settings), questions))
    print_figures(pressed)
    print_shown(pressed)


if __name__ == "__main__":
    main()
