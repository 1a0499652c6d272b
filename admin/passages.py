"""A trace as one table: a row a passage, and from left to right where each step put it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a step put a passage: its rank, from 1, and the step's own score."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage, where the steps that brought it put it, and the numbers under which the answer cites it."""

    title: str
    heading: str
    url: str
    text: str
    cited_as: tuple[int, ...]
    standings: Mapping[str, Standing]


def ranking_steps(trace: JsonObject) -> tuple[str, ...]:
    """The names of the steps that ranked passages, in their order."""
    return tuple(step["step"] for step in trace["steps"] if step["ranking"])


def short_names(steps: Sequence[str]) -> dict[str, str]:
    """`retrieve.semantic` → `semantic`, unless two steps would share that."""
    ends = [step.rpartition(".")[2] for step in steps]
    return {step: end if ends.count(end) == 1 else step for step, end in zip(steps, ends, strict=True)}


def passage_rows(trace: JsonObject) -> list[PassageRow]:
    """Every passage that any step ranked, by its rank at the last step, then at the one before, and so on."""
    standings = _standings(trace)
    steps = ranking_steps(trace)
    citations = (trace.get("answer") or {}).get("citations", ())

    def late_ranks(chunk_id: int) -> list[float]:
        own = standings[chunk_id]
        return [own[step].rank if step in own else float("inf") for step in reversed(steps)]

    return [
        _row(trace["passages"].get(str(chunk_id), {}), standings[chunk_id], citations)
        for chunk_id in sorted(standings, key=late_ranks)
    ]


def table(rows: Sequence[PassageRow], steps: Sequence[str]) -> dict[str, list[Any]]:
    """The rows as columns with headings for a person; an empty cell is None."""
    columns: dict[str, list[Any]] = {
        "Page": [row.title for row in rows],
        "Cited as": [", ".join(f"[{n}]" for n in row.cited_as) or None for row in rows],
    }
    found = {name: [row.standings.get(step) for row in rows] for step, name in short_names(steps).items()}
    # The ranks stand side by side, so that the eye can follow a passage through the steps.
    for name, standings in found.items():
        columns[f"{name} rank"] = [standing and standing.rank for standing in standings]
    for name, standings in found.items():
        columns[f"{name} score"] = [standing and standing.score for standing in standings]
    columns["Heading"] = [row.heading for row in rows]
    columns["Text"] = [row.text for row in rows]
    columns["Address"] = [row.url for row in rows]
    return columns


def _standings(trace: JsonObject) -> dict[int, dict[str, Standing]]:
    """By chunk, then by step."""
    found: dict[int, dict[str, Standing]] = {}
    for step in trace["steps"]:
        for rank, hit in enumerate(step["ranking"], start=1):
            found.setdefault(hit["chunk_id"], {})[step["step"]] = Standing(rank, hit["score"])
    return found


def _row(
    passage: JsonObject, standings: Mapping[str, Standing], citations: Sequence[JsonObject]
) -> PassageRow:
    return PassageRow(
        title=passage.get("title") or "(not kept in the trace)",
        heading=passage.get("heading", ""),
        url=passage.get("url", ""),
        text=_one_line(passage.get("text", "")),
        cited_as=tuple(citation["n"] for citation in citations if _cites(citation, passage)),
        standings=standings,
    )


def _cites(citation: JsonObject, passage: JsonObject) -> bool:
    """The quote is the passage's own words; a page has several passages, so its address is not enough."""
    same_page = citation["url"] == passage.get("url")
    return same_page and _one_line(citation["quote"]) in _one_line(passage.get("text", ""))


def _one_line(text: str) -> str:
    return " ".join(text.split())
