"""Questions beside ways to ask for an answer, and whether the answer serves them."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from server.ask.conversation.phrases import FUNCTION_WORDS
from server.ask.paraphraser import with_answer

Row = Mapping[str, Any]
_WORD = re.compile(r"[a-z][a-z-]+")
OTHER_ANSWERS = 3  # examples with another row's answer, a row
NEAREST, MAY_BE_THE_SAME, OF_OTHERS = 8, 0.75, 0.65


@dataclass(frozen=True, slots=True)
class Mix:
    """How the examples of one pass are mixed.

    `answers`: how often the answer stands beside the phrasing, a share of the examples. `names`: how many
    examples a row has of its matter's name alone ("study rooms"), which want to know nothing of it. `book`:
    each question stands beside one phrasing of its own, and beside so many of other answers that are near by
    cosine, as it meets them in an editor's book; 0: beside every phrasing, and hardly beside others.
    `visitors`: so many questions that visitors asked of quite other things, a row, each beside two answers
    that are near.
    """

    answers: float = 0.6
    names: int = 2
    book: int = 0
    visitors: int = 0


Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]
Example = tuple[str, str, int]  # the question; the phrasing, with or without its answer; whether it serves


def examples(rows: Sequence[Row], mix: Mix, rng: random.Random) -> list[Example]:
    """One pass: every question beside each phrasing and beside one more that is served, drawn anew."""
    return [
        *(one for row in rows for one in _of_row(row, mix, rng)),
        *(_of_two(rows, mix, rng) for _ in range(OTHER_ANSWERS * len(rows))),
    ]


def examples_of_book(
    rows: Sequence[Row],
    mix: Mix,
    rng: random.Random,
    nearest: Mapping[str, Sequence[int]],
    visitors: Sequence[str] = (),
) -> list[Example]:
    """One pass over an editor's book; `nearest` has for each question, and for each of the `visitors`', the
    rows whose answers are others and near."""
    made: list[Example] = []
    for row in rows:
        near = [one["question"] for one in row["near"]]
        for serves, questions in ((1, row["same"]), (0, near)):
            for question in questions:
                made.append((question, beside(rng.choice(row["phrasings"]), row, mix, rng), serves))
                others = [rows[i] for i in nearest.get(question, ())]
                for other in rng.sample(others, min(mix.book, len(others))):
                    made.append((question, beside(rng.choice(other["phrasings"]), other, mix, rng), 0))
        made += [
            (name_of(row, rng), beside(rng.choice(row["phrasings"]), row, mix, rng), 0)
            for _ in range(mix.names)
        ]
    for question in rng.sample(visitors, min(len(visitors), mix.visitors * len(rows))):
        for i in nearest[question][:2]:
            made.append((question, beside(rng.choice(rows[i]["phrasings"]), rows[i], mix, rng), 0))
    return made


def nearest_of(questions: Sequence[str], rows: Sequence[Row], embed: Embed) -> dict[str, list[int]]:
    """For each question that somebody asked of something else the rows that are nearest to it."""
    ways = embed([way for row in rows for way in row["phrasings"]])
    row_of = [i for i, row in enumerate(rows) for _ in row["phrasings"]]
    cosines = embed(questions) @ ways.T
    return {
        question: list(dict.fromkeys(row_of[k] for k in np.argsort(-near)[:NEAREST] if near[k] < OF_OTHERS))
        for question, near in zip(questions, cosines, strict=True)
    }


def nearest_others(rows: Sequence[Row], embed: Embed) -> dict[str, list[int]]:
    """For each question the rows of other answers that are nearest to it; what is so near that it may ask the
    same is none of them."""
    ways = embed([way for row in rows for way in row["phrasings"]])
    row_of = np.array([i for i, row in enumerate(rows) for _ in row["phrasings"]])
    found = {}
    for i, row in enumerate(rows):
        questions = [*row["same"], *(one["question"] for one in row["near"])]
        for question, cosines in zip(questions, embed(questions) @ ways.T, strict=True):
            order = [int(k) for k in np.argsort(-cosines) if row_of[k] != i and cosines[k] < MAY_BE_THE_SAME]
            found[question] = list(dict.fromkeys(int(row_of[k]) for k in order[: 2 * NEAREST]))[:NEAREST]
    return found


def _of_row(row: Row, mix: Mix, rng: random.Random) -> Iterator[Example]:
    ways, same, near = row["phrasings"], row["same"], [one["question"] for one in row["near"]]
    for question in same:
        others = [one for one in same if one != question]
        for way in (*ways, *rng.sample(others, min(1, len(others)))):
            yield question, beside(way, row, mix, rng), 1
    first, *_, last = ways
    if first != last:
        yield first, beside(last, row, mix, rng), 1
        yield last, beside(first, row, mix, rng), 1
    for question in near:
        for way in (*ways, rng.choice(same)):
            yield question, beside(way, row, mix, rng), 0
    for _ in range(mix.names):
        yield name_of(row, rng), beside(rng.choice(ways), row, mix, rng), 0
    for question in rng.sample(near, min(2, len(near))):
        yield rng.choice([*ways, *same]), question, 0


def _of_two(rows: Sequence[Row], mix: Mix, rng: random.Random) -> Example:
    one, other = rng.sample(rows, 2)
    return rng.choice(one["same"]), beside(rng.choice(other["phrasings"]), other, mix, rng), 0


def beside(way: str, row: Row, mix: Mix, rng: random.Random) -> str:
    """The phrasing as the server has it read: with its answer, or alone."""
    shown = row.get("answer") and rng.random() < mix.answers
    return with_answer(way, row["answer"] if shown else "")


def name_of(row: Row, rng: random.Random) -> str:
    """One or two words of the first phrasing that most of its questions have."""
    questions = [*row["phrasings"], *row["same"]]
    said = Counter(word for one in questions for word in set(_WORD.findall(one.lower())))
    own = list(dict.fromkeys(_WORD.findall(row["phrasings"][0].lower())))
    own = [word for word in own if word not in FUNCTION_WORDS] or own
    most = sorted(own, key=lambda word: -said[word])[: rng.choice((1, 1, 2))]
    return " ".join(word for word in own if word in most)
