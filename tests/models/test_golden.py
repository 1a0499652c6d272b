"""What makes an answer to a golden question the right one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest

from server.models import Answer
from server.models.golden import GoldenQuestion, failure, outcome_of

FEES = "https://example.edu/fees/"


@dataclass(frozen=True)
class Source:
    url: str


@dataclass(frozen=True)
class Said:
    answer: str = "It is $120. [1]"
    refused: bool = False
    citations: tuple[Source, ...] = (Source(FEES),)


def golden(**known: object) -> GoldenQuestion:
    return GoldenQuestion("permit", "main", "How much is a permit?", **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "answer", "reason"),
    [
        ({}, Said(), None),
        ({}, Said(refused=True), "not answered"),
        ({"pages": ("https://example.edu/fees#permits", "https://example.edu/x")}, Said(), None),
        ({"pages": ("https://example.edu/fees/more/",)}, Said(), "right pages"),
        ({"answers": ("no", "IS  $120")}, Said(), None),
        ({"answers": ("$130",)}, Said(), "right words"),
        ({"refuse": True}, Said(refused=True, citations=()), None),
        ({"refuse": True}, Said(), "should not be"),
    ],
)
def test_an_answer_passes_or_says_why_not(known: dict[str, object], answer: Said, reason: str | None) -> None:
    said = failure(golden(**known), answer.answer, answer.refused, [one.url for one in answer.citations])
    assert (said is None) if reason is None else (said is not None and reason in said)


def test_an_outcome_keeps_what_was_said_and_each_page_once() -> None:
    said = Said(citations=(Source(FEES), Source(FEES)))
    outcome = outcome_of(golden(), cast(Answer, said))
    assert (outcome.passed, outcome.answer, outcome.cited) == (True, "It is $120. [1]", (FEES,))
