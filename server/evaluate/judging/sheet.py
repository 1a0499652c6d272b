"""An expert's sheet: answers a sentence a row, to be scored by hand in any spreadsheet, and read again.

A sentence is right (100), right but not well put or not whole (80), or wrong (0); a citation is the right
page (25), a page that helps (20), or neither (0). An answer's score, 0 to 100, is three quarters of the mean
of its sentences plus its best citation. Source: the scoring of Canada's AI Answers, as it is told.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.errors import BadInputError
from server.evaluate.significance import Interval, mean_interval
from server.models import Answer
from server.sentences import sentences, without_marks

COLUMNS = ("id", "part", "score", "question", "text", "topic", "confidence", "note")
SCORES: Mapping[str, tuple[int, ...]] = {"sentence": (100, 80, 0), "citation": (25, 20, 0)}
SENTENCES_WEIGH = 0.75
# What a spreadsheet would take for a formula: such a cell begins with an apostrophe.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
BANDS = 3  # of confidence


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """An answer to be scored: its sentences, without their marks, and the pages it cites."""

    id: str
    question: str
    topic: str
    confidence: float | None
    sentences: tuple[str, ...]
    pages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoredSheetAnswer:
    """An answer as it was scored; `right_pages` are those that were scored 25."""

    id: str
    question: str
    topic: str
    score: float
    right_pages: tuple[str, ...]

    def as_golden(self) -> dict[str, Any]:
        """A line of a questions file: the question and its right pages, never the answer's words."""
        return {
            "id": self.id,
            "question": self.question,
            "answers": [],
            "gold_urls": list(self.right_pages),
            "topic": self.topic or None,
            "answerable": True,
        }


def sheet_answer(own: str, question: str, topic: str, answer: Answer) -> SheetAnswer:
    """What an expert has to score of one answer."""
    text = without_marks(answer.answer)
    said = tuple(part for a, b in sentences(text) if (part := " ".join(text[a:b].split())))
    pages = tuple(dict.fromkeys(citation.url for citation in answer.citations))
    return SheetAnswer(own, question, topic, answer.confidence, said, pages)


def sampled(answers: Sequence[SheetAnswer], most: int) -> list[SheetAnswer]:
    """At most so many, taken in turn from every topic and, in it, from low, middle and high confidence."""
    groups: dict[tuple[str, int], list[SheetAnswer]] = {}
    for one in answers:
        band = min(BANDS - 1, int((one.confidence or 0.0) * BANDS))
        groups.setdefault((one.topic, band), []).append(one)
    taken: list[SheetAnswer] = []
    waiting = [groups[key] for key in sorted(groups)]
    while waiting and len(taken) < most:
        taken += [group.pop(0) for group in waiting][: most - len(taken)]
        waiting = [group for group in waiting if group]
    return taken


def sheet_csv(answers: Sequence[SheetAnswer]) -> str:
    """The sheet: a row a sentence and a row a citation, `score` empty."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    for one in answers:
        confidence = "" if one.confidence is None else f"{one.confidence:.2f}"
        for part, texts in (("sentence", one.sentences), ("citation", one.pages)):
            for text in texts:
                cells = (one.id, part, "", one.question, text, one.topic, confidence, "")
                table.writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def read_sheet(text: str) -> tuple[ScoredSheetAnswer, ...]:
    """The answers whose every row has a score; a score that is none is a `BadInputError` with its row."""
    table = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    if not set(COLUMNS[:5]) <= set(table.fieldnames or ()):
        raise BadInputError(f"This is no sheet: its first row must have {', '.join(COLUMNS[:5])}.")
    rows: dict[str, list[Mapping[str, str]]] = {}
    for number, row in enumerate(table, start=2):
        _check(row, number)
        rows.setdefault(_plain(row["id"]), []).append(row)
    return tuple(_scored(own, of) for own, of in rows.items() if all(row["score"].strip() for row in of))


def sheet_figures(answers: Sequence[ScoredSheetAnswer]) -> Iterator[tuple[str, int, Interval]]:
    """("all" or a topic, how many answers, their mean score with its interval), the whole first."""
    topics = sorted({one.topic for one in answers if one.topic})
    for name in ("all", *topics):
        scores = [one.score for one in answers if name in ("all", one.topic)]
        if scores:
            yield name, len(scores), mean_interval(np.array(scores))


def _check(row: Mapping[str, str | None], number: int) -> None:
    part, score = row.get("part") or "", (row.get("score") or "").strip()
    allowed = SCORES.get(part)
    if allowed is None:
        raise BadInputError(f"Row {number} is a {part!r}; a row is a sentence or a citation.")
    if score and score not in map(str, allowed):
        told = ", ".join(map(str, allowed))
        raise BadInputError(f"Row {number} has the score {score!r}; a {part} takes one of {told}.")


def _scored(own: str, rows: Sequence[Mapping[str, str]]) -> ScoredSheetAnswer:
    said = [int(row["score"]) for row in rows if row["part"] == "sentence"]
    cited = {_plain(row["text"]): int(row["score"]) for row in rows if row["part"] == "citation"}
    score = SENTENCES_WEIGH * (sum(said) / len(said) if said else 0.0) + max(cited.values(), default=0)
    best = max(SCORES["citation"])
    right = tuple(page for page, points in cited.items() if points == best)
    first = rows[0]
    return ScoredSheetAnswer(own, _plain(first["question"]), _plain(first.get("topic") or ""), score, right)


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _plain(text: str) -> str:
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text
