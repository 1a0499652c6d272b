"""What `lodge eval` has kept, for the console: the runs, and two of them side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from server.settings import Settings

# ruff: noqa: PLC0415  (the rooms that measure are large, and a server may never be asked for them)


MOST_REMEMBERED = 16  # comparisons; a kept run never changes


@dataclass(slots=True)
class KeptEvaluations:
    """The runs under the home of these settings. A missing run is a `NotFoundError`."""

    settings: Settings
    _compared: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def entries(self, limit: int) -> list[dict[str, Any]]:
        """The newest runs: name, created_at, snapshot, questions_file, questions, strategies, metrics."""
        from server.wiring.measuring import runs_of

        return [asdict(entry) for entry in runs_of(self.settings).entries(limit)]

    def one(self, name: str) -> dict[str, Any]:
        """A run: name, the contract's JSON of `lodge eval`, and its circumstances (`made_with`)."""
        from server.wiring.measuring import runs_of

        run = runs_of(self.settings).load(name)
        made = asdict(run.made_with)
        names = ("created_at", "lodge", "questions_file", "pages_file", "models", "warnings", "broken_lines")
        return {
            "name": run.name,
            **run.evaluation.as_json(),
            "made_with": {name: made[name] for name in names},
        }

    def compare(self, before: str, after: str) -> dict[str, Any]:
        """Two runs as `lodge eval compare --json` prints them, but for the passages of each change."""
        from server.wiring.measuring import compare, runs_of

        shelf = runs_of(self.settings)
        asked = (shelf.find(before), shelf.find(after))
        if asked not in self._compared:
            document = compare(self.settings, *asked).as_json()
            for change in document["changes"]:
                del change["passages"]
            while len(self._compared) >= MOST_REMEMBERED:
                self._compared.pop(next(iter(self._compared)), None)
            self._compared[asked] = document
        return self._compared[asked]
