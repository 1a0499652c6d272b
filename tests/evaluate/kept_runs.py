"""Small runs: a university of eight places, asked by the small asker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from server.evaluate.evaluate import evaluate
from server.evaluate.questions import EvalQuestion
from server.evaluate.runs import Circumstances, Run
from tests.evaluate.small_asker import SmallAsker

PLACES = ("library", "pool", "gym", "registrar", "bursar", "archive", "theatre", "museum")
PAGES: Mapping[str, str] = MappingProxyType(
    {f"https://u.example/{place}": f"{place} opens at {hour}" for hour, place in enumerate(PLACES, start=1)}
)
QUESTIONS = (
    *(
        EvalQuestion(
            place, f"when does {place} start", (str(hour),), (f"https://u.example/{place}",), answerable=True
        )
        for hour, place in enumerate(PLACES, start=1)
    ),
    EvalQuestion("engineering", "is there engineering", answerable=False),
    EvalQuestion("pool-party", "pool party", answerable=False),
)


def circumstances(**changes: Any) -> Circumstances:
    """Those of a run of nobody's, but for the changes."""
    made: dict[str, Any] = {
        "created_at": "2026-01-02T03:04:05+00:00",
        "lodge": "0.1.0",
        "questions_file": "questions.jsonl",
        "questions_sha256": "aa",
        "broken_lines": 0,
        "pages_file": None,
        "pages_sha256": None,
        "manifest_sha256": "bb",
        "manifest": {"chunks": 8},
        "models": {"embedder": "small"},
        "settings": {"fusion_alpha": 0.3, "contact": None},
    }
    return Circumstances(**(made | changes))


def small_run(
    name: str = "one",
    strategies: Sequence[str] = ("best", "worst"),
    *,
    asker: SmallAsker | None = None,
    questions: Sequence[EvalQuestion] = QUESTIONS,
    **changes: Any,
) -> Run:
    """A run over the places; keyword arguments are its circumstances."""
    asker = asker or SmallAsker(PAGES)
    evaluation = evaluate(asker, questions, strategies, lambda done, total: None)
    return Run(name, circumstances(**changes), evaluation)


def run_of_two_voices(name: str = "monday") -> Run:
    """A run whose strategy `worst` answers like `best`, and puts all answers but the first otherwise."""
    run = small_run(name)
    best, worst = run.evaluation.strategies
    first, *others = best.outcomes
    reworded = (first, *(replace(one, answer=f"Well, {one.answer}") for one in others))
    strategies = (best, replace(worst, outcomes=reworded))
    return replace(run, evaluation=replace(run.evaluation, strategies=strategies))
