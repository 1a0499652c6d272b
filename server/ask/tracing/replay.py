"""Asks a trace's question again, as it was asked or with something changed, over the live snapshot.

Nothing is recorded, and nothing is loaded: the replay runs on the models of the flow that answers visitors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from server.ask.options import AskOptions, Office
from server.ask.pipeline import Asker
from server.ask.presets import PRESETS
from server.ask.retrieving.fusion import FUSIONS
from server.ask.retrieving.scope import Filters
from server.ask.tracing.asked import question_of
from server.ask.tracing.differences import differences
from server.ask.tracing.table import passage_tables
from server.errors import BadInputError, LodgeError
from server.records import Final, Question

# The least and the most that each number takes.
RANGES: Mapping[str, tuple[float, float]] = {
    "alpha": (0, 1),
    "candidates": (1, 500),
    "rerank_candidates": (1, 100),
    "rerank_stop": (0, 1),
    "passages": (1, 20),
    "refusal_threshold": (0, 1),
    "gate_threshold": (-100, 100),
}


RULES = ("none", "draft")


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be otherwise in a replay; what is left out stays as the live settings have it.

    The strategy and where to search stay as the trace has them. `fusion` is "score" or "rrf"; `alpha` (0 to
    1) is the share of the search by meaning; `filters` replace where to search. `answerer` "extractive"
    leaves the language model out, `model` is another one of the same server. `rules` "none" is as if editors
    had set nothing, "draft" as if their draft were live.
    """

    strategy: str | None = None
    fusion: str | None = None
    alpha: float | None = None
    candidates: int | None = None
    rerank_candidates: int | None = None
    rerank_stop: float | None = None
    passages: int | None = None
    refusal_threshold: float | None = None
    gate_threshold: float | None = None
    answerer: str | None = None
    model: str | None = None
    rules: str | None = None
    filters: Filters | None = None

    def check(self, strategy: str) -> None:
        """A `BadInputError` names what cannot be used, for a question that is asked by this strategy."""
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise BadInputError(f"{name} is {value:g}; it takes a number from {least:g} to {most:g}.")
        if self.fusion not in (None, *FUSIONS):
            raise BadInputError(f"fusion is {self.fusion!r}; it takes {' or '.join(FUSIONS)}.")
        if self.answerer not in (None, "extractive"):
            raise BadInputError(f"answerer is {self.answerer!r}; it takes extractive, or nothing.")
        if self.rules not in (None, *RULES):
            raise BadInputError(f"rules is {self.rules!r}; it takes {' or '.join(RULES)}.")
        if self.model is not None and (self.answerer or not self.model.strip()):
            raise BadInputError("model takes a model's name, and no answerer beside it.")
        own = ("fusion", "alpha", "candidates", "rerank_candidates", "rerank_stop", "passages")
        if strategy in PRESETS and (given := [name for name in own if getattr(self, name) is not None]):
            raise BadInputError(f"The preset {strategy} has its own numbers: leave out {', '.join(given)}.")

    def options(self, live: AskOptions) -> AskOptions:
        """The live settings with these changes."""
        return replace(
            live,
            retrieve=_with(live.retrieve, self, "fusion", "alpha", "candidates"),
            rerank=_with(live.rerank, self, candidates="rerank_candidates", stop="rerank_stop"),
            gate=_with(live.gate, self, threshold="gate_threshold"),
            passages=live.passages if self.passages is None else self.passages,
            refusal_threshold=(
                live.refusal_threshold if self.refusal_threshold is None else self.refusal_threshold
            ),
        )

    def question(self, asked: Question) -> Question:
        """The trace's question with these changes."""
        return replace(
            asked,
            strategy=self.strategy or asked.strategy,
            hurried=asked.hurried and self.strategy is None,
            within=self.filters.scope() if self.filters else asked.within,
        )

    def named(self) -> dict[str, Any]:
        """What was given, by name."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        plain = given | {"filters": asdict(self.filters) if self.filters else None}
        return {name: value for name, value in plain.items() if value is not None}


def replay(
    trace: Mapping[str, Any], changes: Changes, asker: Asker, office: Office | None = None
) -> dict[str, Any]:
    """A trace's question asked again: `answer`, `trace`, `tables`, `changes` and what is `different`.

    `trace` is a recorded trace's JSON with its `answer` beside it; `office` stands in for what editors have
    set, where the changes ask for that. What `Asker.ask` raises is raised here.
    """
    question = changes.question(question_of(trace))
    changes.check(question.strategy or "")
    if changes.model and not asker.writes:
        raise BadInputError("This server has no language model, so there is no other one to try.")
    flow = asker.otherwise(
        changes.options(asker.options),
        writes=changes.answerer != "extractive",
        model=changes.model,
        office=office,
    )
    final = _final(flow, question)
    again = final.trace.as_json() | {"answer": final.answer.as_json()}
    return {
        "changes": changes.named(),
        "answer": again["answer"],
        "trace": {name: value for name, value in again.items() if name != "answer"},
        "tables": [table.as_json() for table in passage_tables(again)],
        "different": differences(trace, again),
    }


def _final(flow: Asker, question: Question) -> Final:
    for event in flow.ask(question):
        if isinstance(event, Final):
            return event
    raise LodgeError("The question's flow ended without an answer.")


def _with(options: Any, changes: Changes, *same: str, **renamed: str) -> Any:
    """The options with those of the changes that were given, by the names that the options have for them."""
    names = {name: name for name in same} | renamed
    given = {own: getattr(changes, name) for own, name in names.items()}
    return replace(options, **{own: value for own, value in given.items() if value is not None})
