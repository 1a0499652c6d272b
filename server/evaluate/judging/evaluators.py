"""Evaluators: correctness (0 to 5), faithfulness and relevancy (0 or 1), each asked several times.

Source: the evaluators of LlamaIndex, as Princeton's assistant used them; their prompts are not ours.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

Criterion = Literal["correctness", "faithfulness", "relevancy"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
PROMPTS = Path(__file__).parent / "prompts.toml"
# From so much on an answer counts as right, faithful, to the point.
PASSES: Mapping[Criterion, float] = {"correctness": 4.0, "faithfulness": 0.5, "relevancy": 0.5}
_GRADE = re.compile(r"\s*([0-5](?:\.\d)?)\b(?!\s*/\s*(?!5\b)\d)")
_YES_NO = re.compile(r"\W*(yes|no)\b", re.IGNORECASE)


class JudgeModel(Protocol):
    """A language model that judges; a `LodgeError` where it is away."""

    def complete(self, system: str, user: str) -> str:
        """What it writes."""
        ...


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An answer to be judged: for correctness it takes a `reference`, for faithfulness `sources`."""

    id: str
    question: str
    answer: str
    reference: str = ""
    sources: str = ""

    def allows(self, criterion: Criterion) -> bool:
        """Whether it brings what that takes."""
        needs = {"correctness": self.reference, "faithfulness": self.sources, "relevancy": self.answer}
        return bool(needs[criterion])


def judge(model: JudgeModel, item: JudgedItem, criterion: Criterion, repeats: int) -> float | None:
    """The mean of so many gradings; None where not one could be read."""
    texts = {
        "question": item.question,
        "answer": item.answer,
        "reference": item.reference,
        "sources": item.sources,
    }
    said = (ask(model, criterion, texts) for _ in range(repeats))
    grades = [grade for text in said if (grade := read_grade(text, criterion)) is not None]
    return sum(grades) / len(grades) if grades else None


def ask(model: JudgeModel, prompt: str, texts: Mapping[str, str]) -> str:
    """What a model writes to one of the prompts, filled with these texts as data."""
    words = prompts()[prompt]
    filled: str = words["user"].strip()
    parts = re.split(r"\{(\w+)\}", filled)
    parts[1::2] = [as_data(texts[name]) for name in parts[1::2]]
    return model.complete(words["system"], "".join(parts))


def as_data(text: str) -> str:
    """A text that can end no tag of the prompt."""
    return text.replace("<", "‹").replace(">", "›")


def read_grade(text: str, criterion: Criterion) -> float | None:
    """0 to 5, or 1 for yes and 0 for no; None where the model wrote something else first."""
    if criterion == "correctness":
        grade = _GRADE.match(text)
        return min(5.0, float(grade[1])) if grade else None
    word = _YES_NO.match(text)
    return float(word[1].lower() == "yes") if word else None


def prompt_version() -> int:
    """The version of the prompts."""
    version: int = prompts()["version"]
    return version


@cache
def prompts() -> Mapping[str, Any]:
    """The file of prompts."""
    return tomllib.loads(PROMPTS.read_text(encoding="utf-8"))


def names_of(criteria: Sequence[str]) -> tuple[Criterion, ...]:
    """Those of the criteria that are named, in their order."""
    return tuple(one for one in CRITERIA if one in criteria)
