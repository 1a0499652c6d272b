"""What visitors ask: the questions of a file as they are written there, and put in other ways."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from server.evaluate.questions import read_questions

OPENINGS = (
    "",
    "hi, ",
    "hello! ",
    "please tell me: ",
    "can you tell me ",
    "quick question: ",
    "sorry, one more thing: ",
    "my son asks: ",
    "I could not find this: ",
    "does anybody know ",
)
ENDINGS = ("", " thanks", " please", " (I am a transfer student)", " I need it for today", " for next year")
FOLLOW_UPS = (
    "and for graduates?",
    "and in the spring?",
    "where is that?",
    "how much does it cost?",
    "who can I ask?",
    "what about international students?",
    "are you sure?",
    "when exactly?",
)
SMALL_TALK = ("hi", "hello there", "thank you!", "thanks, bye", "who are you?", "good morning")


def read_pool(path: Path) -> list[str]:
    """The questions of a questions file (see `lodge eval --questions`), in their order."""
    return [
        one.question for one in read_questions(path, lambda number, says: print(f"{path}:{number}: {says}"))
    ]


def rephrased(questions: Sequence[str], chance: random.Random) -> list[str]:
    """Every question in every way, no two alike, shuffled: about sixty for each."""
    ways = itertools.product(OPENINGS, questions, ENDINGS)
    made = list(dict.fromkeys(f"{opening}{question}{ending}" for opening, question, ending in ways))
    chance.shuffle(made)
    return made


def repeating(pool: Sequence[str], chance: random.Random, exponent: float = 1.0) -> Iterator[str]:
    """Some again and again, most hardly ever: the n-th as often as n to the power of -`exponent`."""
    weights = list(itertools.accumulate((rank + 1) ** -exponent for rank in range(len(pool))))
    while True:
        yield from chance.choices(pool, cum_weights=weights, k=256)


def distinct(pool: Sequence[str]) -> Iterator[str]:
    """Each once; when all were asked, again with a number that makes them new."""
    yield from pool
    for again in itertools.count(2):
        yield from (f"{question} (question {again})" for question in pool)
