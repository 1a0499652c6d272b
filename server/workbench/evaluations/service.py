"""What `lodge eval` has kept, for the console: the runs, and two of them side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.workbench.remembered import Remembered

if TYPE_CHECKING:
    from server.evaluate.runs import RunStore

# ruff: noqa: PLC0415  (the rooms that measure are large, and a server may never be asked for them)


MOST_REMEMBERED = 16  # comparisons; a kept run never changes


@dataclass(slots=True)
class KeptEvaluations:
    """The runs in a folder. A missing run is a `NotFoundError`."""

    folder: Path
    _compared: Remembered[tuple[str, str], dict[str, Any]] = field(
        default_factory=lambda: Remembered(MOST_REMEMBERED)
    )

    def entries(self, limit: int) -> list[dict[str, Any]]:
        """The newest runs: name, created_at, snapshot, questions_file, questions, strategies, metrics."""
        return [asdict(entry) for entry in self._runs().entries(limit)]

    def one(self, name: str) -> dict[str, Any]:
        """A run: name, the contract's JSON of `lodge eval`, and its circumstances (`made_with`)."""
        run = self._runs().load(name)
        made = asdict(run.made_with)
        names = ("created_at", "lodge", "questions_file", "pages_file", "models", "warnings", "broken_lines")
        return {
            "name": run.name,
            **run.evaluation.as_json(),
            "made_with": {name: made[name] for name in names},
        }

    def compare(self, before: str, after: str) -> dict[str, Any]:
        """Two runs as `lodge eval compare --json` prints them, but for the passages of each change."""
        from server.evaluate.compare_runs import compare_runs

        runs = self._runs()
        asked = (runs.find(before), runs.find(after))

        def compared() -> dict[str, Any]:
            document = compare_runs(*map(runs.load, asked)).as_json()
            for change in document["changes"]:
                del change["passages"]
            return document

        return self._compared.get(asked, compared)

    def _runs(self) -> RunStore:
        from server.evaluate.runs import RunStore

        return RunStore(self.folder)
