"""The figures of two runs side by side, in words for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

JsonObject = Mapping[str, Any]

# The bench's word for a figure → what it says; k stands for a number.
WORDS: Mapping[str, str] = {
    "recall@k": "Right pages found in the top k",
    "precision@k": "Share of the top k that is right",
    "mrr": "How high the first right page stands",
    "ndcg@k": "How high all right pages stand in the top k",
    "answer@k": "The answer stands in the top k",
    "em": "The answer is the expected one to the letter",
    "f1": "Words that the answer shares with the expected one",
    "precision": "Share of the answer's words that were expected",
    "recall": "Share of the expected words that are said",
    "answer_contains": "The answer holds the expected words",
    "answered": "Answered, where there is an answer",
    "seems": "Shown as what seems to answer, where there is an answer",
    "seems_unanswerable": "Shown as what seems to answer, though there is none",
    "rightly_refused": "Refused, where there is none",
    "wrongly_refused": "Refused, though there is an answer",
    "wrongly_answered": "Answered, though there is none",
    "refusal_auroc": "How well Lodge's confidence tells the two apart",
    "aurc": "Risk of a wrong answer, by its confidence",
}
# Those that a chart shows: shares, best at 1.
MAIN = ("recall@1", "recall@5", "mrr", "answer@5", "answer_contains", "answered", "rightly_refused")
VERDICTS: Mapping[str, str] = {"better": "✓ better", "worse": "✕ worse", "cannot tell": "– cannot tell"}
JUDGED: Mapping[str, str] = {
    "right": "✓ right",
    "wrong": "✕ wrong",
    "seems": "– shown as what seems to answer",
    "rightly_refused": "✓ rightly refused",
    "wrongly_refused": "✕ wrongly refused",
    "wrongly_answered": "✕ wrongly answered",
    "unjudged": "– not judged",
}
DIRECTIONS: Mapping[str, str] = {"worse": "✕ broke", "better": "✓ mended", "other": "= otherwise"}


def word(metric: str) -> str:
    """`Right pages found in the top 5 (recall@5)`."""
    said = says(metric)
    return f"{said} ({metric})" if said else metric


def says(metric: str) -> str:
    """`Right pages found in the top 5`; nothing for a figure that has no words."""
    name, at, depth = metric.partition("@")
    return WORDS.get(f"{name}@k" if at else name, "").replace("top k", f"top {depth}")


def table(found: JsonObject, strategy: str) -> dict[str, list[str]]:
    """Two runs' figures for one strategy, over the questions they share, with the difference's interval."""
    of_a, of_b = (found["metrics"][strategy][side] for side in ("a", "b"))
    rows = found["comparisons"][strategy]
    return {
        "Figure": [word(one["metric"]) for one in rows],
        "Before": [f"{of_a[one['metric']]['value']:.3f}" for one in rows],
        "After": [f"{of_b[one['metric']]['value']:.3f}" for one in rows],
        "Difference": [difference(one) for one in rows],
        "Verdict": [VERDICTS.get(one["verdict"], one["verdict"]) for one in rows],
        "Before, interval": [interval(of_a[one["metric"]]) for one in rows],
        "After, interval": [interval(of_b[one["metric"]]) for one in rows],
    }


def interval(figure: JsonObject) -> str:
    """`0.761 to 0.894`."""
    return f"{figure['low']:.3f} to {figure['high']:.3f}"


def difference(one: JsonObject) -> str:
    """`+0.041 (+0.004 to +0.083)`."""
    return f"{one['delta']:+.3f} ({one['low']:+.3f} to {one['high']:+.3f})"


def flipped(changes: Sequence[JsonObject], strategy: str) -> list[JsonObject]:
    """The questions that were right in one run and not in the other, those that broke first."""
    return [
        one
        for one in changes
        if one["strategy"] == strategy and _sign(one["a"]["verdict"]) != _sign(one["b"]["verdict"])
    ]


def flips_table(changes: Sequence[JsonObject]) -> dict[str, list[str]]:
    """Questions that came out differently, as columns."""
    return {
        "Flipped": [DIRECTIONS[one["direction"]] for one in changes],
        "Question": [one["question"] for one in changes],
        "Before": [JUDGED[one["a"]["verdict"]] for one in changes],
        "After": [JUDGED[one["b"]["verdict"]] for one in changes],
        "Right page at": [
            f"{one['a']['gold_rank'] or '–'} → {one['b']['gold_rank'] or '–'}" for one in changes
        ],
        "Answer before": [one["a"]["answer"] for one in changes],
        "Answer after": [one["b"]["answer"] for one in changes],
    }


def _sign(verdict: str) -> str:
    return JUDGED[verdict][0]
