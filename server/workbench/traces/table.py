"""A trace as tables: a row a passage, and from left to right where each step put it and where it fell.

A line of a visitor may hold several questions; each is looked up by itself and has a table of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from server.ask.quoting.sections import overlap
from server.ask.scope import PASSING
from server.models.exchange import evidence_of

JsonObject = Mapping[str, Any]

# These two go side by side: what only one of them brings has not fallen at the other.
_SEARCHES = ("retrieve.semantic", "retrieve.keyword", "retrieve.late_interaction")
_LAST = float("inf")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a step put a passage: its rank, from 1, and the step's own score; a prompt gives none."""

    rank: int
    score: float | None


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage, where the steps put it, and the numbers under which the answer cites it.

    `fell_at` is the step that brought it no further: one of the table's steps, `gate` (the question was
    turned away), `threshold` (the evidence was too weak for an answer) or `cited` (it was read and not
    quoted); None for a passage that is cited.
    """

    chunk_id: int
    title: str
    heading: str
    url: str
    text: str
    cited_as: tuple[int, ...]
    standings: Mapping[str, Standing]
    fell_at: str | None


@dataclass(frozen=True, slots=True)
class PassageTable:
    """The passages of one question, as it was searched for. `steps` are those that ranked, in their order."""

    question: str
    steps: tuple[str, ...]
    rows: tuple[PassageRow, ...]

    def as_json(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


def passage_tables(trace: JsonObject) -> list[PassageTable]:
    """The tables of a trace's JSON, with its `answer` beside it, in the order the questions were asked."""
    return [_table(steps, trace) for steps in _lookups(trace["steps"])]


def _lookups(steps: Sequence[JsonObject]) -> Iterator[list[JsonObject]]:
    """The steps of each look-up that ranked anything; the rewrite of a question begins one."""
    begins = [i for i, step in enumerate(steps) if step["step"] == "rewrite"] or [0]
    for begin, end in zip(begins, [*begins[1:], len(steps)], strict=True):
        if any(_order(step) for step in steps[begin:end]):
            yield list(steps[begin:end])


def _order(step: JsonObject) -> list[tuple[int, float | None]]:
    """The passages of a step, best first, with their scores; those of a model's prompt have none."""
    if step["step"] == "generate":
        return [(chunk_id, None) for chunk_id in step["notes"].get("passages", ())]
    return [(hit["chunk_id"], hit["score"]) for hit in step["ranking"]]


def _table(steps: Sequence[JsonObject], trace: JsonObject) -> PassageTable:
    ranked = {step["step"]: _order(step) for step in steps if _order(step)}
    standings: dict[int, dict[str, Standing]] = {}
    for name, order in ranked.items():
        for rank, (chunk_id, score) in enumerate(order, start=1):
            standings.setdefault(chunk_id, {})[name] = Standing(rank, score)

    def late_ranks(chunk_id: int) -> list[float]:
        own = standings[chunk_id]
        return [own[name].rank if name in own else _LAST for name in reversed(ranked)]

    end = _end(steps)
    rows = (
        _row(chunk_id, standings[chunk_id], tuple(ranked), end, trace)
        for chunk_id in sorted(standings, key=late_ranks)
    )
    question = next((step["notes"].get("question") for step in steps if step["step"] == "rewrite"), None)
    return PassageTable(question or trace["question"], tuple(ranked), tuple(rows))


def _end(steps: Sequence[JsonObject]) -> str:
    """Where what no ranking left out fell in the end, unless it is cited."""
    notes = {step["step"]: step["notes"] for step in steps}
    if notes.get("scope", {}).get("verdict", "in_scope") not in PASSING:
        return "scope"
    sure = evidence_of((step["step"], step["notes"]) for step in steps)
    is_weak = bool(sure) and sure[-1].threshold is not None and sure[-1].value < sure[-1].threshold
    return "threshold" if is_weak else "cited"


def _row(
    chunk_id: int, standings: Mapping[str, Standing], steps: tuple[str, ...], end: str, trace: JsonObject
) -> PassageRow:
    passage = trace["passages"].get(str(chunk_id), {})
    citations = (trace.get("answer") or {}).get("citations", ())
    is_read = steps[-1] in standings
    cited_as = tuple(one["n"] for one in citations if is_read and _cites(one, passage))
    return PassageRow(
        chunk_id=chunk_id,
        title=passage.get("title") or "(not kept in the trace)",
        heading=passage.get("heading", ""),
        url=passage.get("url", ""),
        text=_one_line(passage.get("text", "")),
        cited_as=cited_as,
        standings=standings,
        fell_at=None if cited_as else _fell_at(standings, steps, end),
    )


def _fell_at(standings: Mapping[str, Standing], steps: tuple[str, ...], end: str) -> str:
    last = max(steps.index(name) for name in standings)
    return next((name for name in steps[last + 1 :] if name not in _SEARCHES), end)


def _cites(citation: JsonObject, passage: JsonObject) -> bool:
    """The quote is the passage's own words; a page has several passages, so its address is not enough.

    A list that goes on in the next passage of its section is quoted over both.
    """
    if citation["url"] != passage.get("url"):
        return False
    quote, text = _one_line(citation["quote"]), _one_line(passage.get("text", ""))
    is_part = quote in text or bool(text and text in quote)
    return is_part or bool(overlap(quote, text) or overlap(text, quote))


def _one_line(text: str) -> str:
    return " ".join(text.split())
