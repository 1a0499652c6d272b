"""The admin API's calls on golden questions and kept evaluations, with one person's token."""

from __future__ import annotations

from typing import Any, Protocol
from urllib.parse import quote

Json = dict[str, Any]


class Call(Protocol):
    """Sends a request: its method, its path below the API, a body, and what stands in the address."""

    def __call__(self, method: str, path: str, body: Json | None = None, **params: str | int | None) -> Json:
        """The JSON of the response; an `ApiError` for anything else."""
        ...


class GoldenCalls:
    """Golden questions, their runs, and those made of traces."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def all(self, site: str | None = None) -> list[Json]:
        """The questions of a site, or all, each with its `record`."""
        found: list[Json] = self._call("GET", "/golden", site=site)["golden"]
        return found

    def one(self, golden_id: str) -> Json:
        """One question."""
        return self._call("GET", _at(golden_id))

    def add(self, body: Json) -> Json:
        """Keep a new one; returns it with its id."""
        return self._call("POST", "/golden", body)

    def keep(self, golden_id: str, body: Json) -> Json:
        """Keep it in place of what had the id."""
        return self._call("PUT", _at(golden_id), body)

    def remove(self, golden_id: str) -> None:
        """Remove it."""
        self._call("DELETE", _at(golden_id))

    def history(self, golden_id: str) -> list[Json]:
        """What became of it, newest first."""
        found: list[Json] = self._call("GET", _at(golden_id) + "/history")["history"]
        return found

    def ask(self, site: str) -> Json:
        """Ask them all, aside; returns the job."""
        return self._call("POST", "/golden/run", {"site": site})

    def runs(self, site: str | None = None) -> list[Json]:
        """The latest runs, newest first."""
        found: list[Json] = self._call("GET", "/golden/runs", site=site)["runs"]
        return found

    def run(self, number: int) -> Json:
        """One run with its `outcomes`."""
        return self._call("GET", f"/golden/runs/{number}")

    def compare(self, before: int, after: int) -> Json:
        """What `broke` and what was `mended` from one run to another."""
        return self._call("GET", "/golden/runs/compare", before=before, after=after)

    def of_trace(self, trace_id: str) -> Json:
        """The `golden` questions that were made of a trace, and the `question` that one would ask."""
        return self._call("GET", f"/traces/{quote(trace_id, safe='')}/golden")

    def make_of_trace(self, trace_id: str, right_answer: Json) -> Json:
        """Make one of a trace; returns it."""
        return self._call("POST", f"/traces/{quote(trace_id, safe='')}/golden", right_answer)


class EvaluationCalls:
    """What `lodge eval` has kept."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def all(self) -> list[Json]:
        """The latest runs, newest first, each with its strategies' metrics."""
        found: list[Json] = self._call("GET", "/evaluations")["evaluations"]
        return found

    def one(self, name: str) -> Json:
        """One run, with intervals and what it was made with."""
        return self._call("GET", f"/evaluations/{quote(name, safe='')}")

    def compare(self, before: str, after: str) -> Json:
        """Two runs side by side, over the questions they share."""
        return self._call("GET", "/evaluations/compare", before=before, after=after)


def _at(golden_id: str) -> str:
    return f"/golden/{quote(golden_id, safe='')}"
