"""The parts that score strategies on a question set, keep the runs, and write the report of one."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.evaluate.asking import strategy_names
from server.evaluate.compare_runs import RunComparison, compare_runs
from server.evaluate.durable import write_whole
from server.evaluate.evaluate import evaluate
from server.evaluate.runs import Circumstances, Run, RunShelf
from server.parts.flow import require_strategies
from server.parts.indexing import cut_as
from server.parts.question_sets import (
    QuestionSet,
    Tell,
    open_ground,
    read_question_set,
    warn_of_unknown_gold,
)
from server.search.snapshot import MANIFEST_FILE, Manifest
from server.settings import Settings

__all__ = [
    "compare",
    "cut_as",
    "kept_settings",
    "require_folder",
    "run_eval",
    "runs_of",
    "write_report",
]

# A setting with one of these words in its name may hold a secret, though it is not declared one.
SECRET_WORDS = frozenset({"key", "keys", "password", "secret", "secrets", "token", "tokens", "url", "urls"})


def runs_of(settings: Settings) -> RunShelf:
    """The folder of all kept runs."""
    return RunShelf(settings.home / "eval" / "runs")


def run_eval(  # noqa: PLR0913  (what the command line may say, each by its name)
    settings: Settings,
    questions_file: Path,
    pages_file: Path | None,
    strategies: Sequence[str],
    *,
    name: str | None = None,
    warn: Tell,
    note: Tell,
    on_progress: Callable[[int, int], None],
) -> Run:
    """Score strategies on a questions file, over the live snapshot or a cached one of a pages file.

    The run is not kept yet: `runs_of(settings).save(run)` does that, once its figures have been shown.
    """
    names = strategy_names(strategies)
    run_name = runs_of(settings).new_name(name)
    warnings: list[str] = []

    def tell(message: str) -> None:
        warnings.append(message)
        warn(message)

    asked = read_question_set(questions_file, tell)
    with open_ground(settings, pages_file) as ground:
        asker = ground.asker(settings)
        require_strategies(asker, names)
        ground.prepare(tell, note)
        warn_of_unknown_gold(asked.questions, ground.live, tell)
        evaluation = evaluate(asker, asked.questions, names, on_progress)
        snapshot = ground.current.parent / evaluation.snapshot
        made = _circumstances(settings, asked, pages_file, snapshot, evaluation.versions, warnings)
    return Run(run_name, made, evaluation)


def compare(settings: Settings, a: str, b: str) -> RunComparison:
    """Two kept runs, each by its name, the beginning of it, or "latest"."""
    shelf = runs_of(settings)
    return compare_runs(shelf.load(a), shelf.load(b))


def write_report(settings: Settings, run: Run, file: Path) -> None:
    """The run's HTML report, there whole or not at all."""
    from server.evaluate.page.page import report_page  # noqa: PLC0415 - Altair; others do without

    write_whole(file, report_page(run))


def require_folder(file: Path) -> None:
    """`BadInputError` when a file could not be written there, before the work that it is to hold."""
    if file.is_dir() or not file.resolve().parent.is_dir():
        raise BadInputError(f"{file} cannot be written: it is a folder, or in one that is not there.")


def kept_settings(settings: Settings) -> dict[str, Any]:
    """Every setting but those that are secrets or may hold one."""
    values = {
        field.name: getattr(settings, field.name) for field in fields(settings) if not _may_be_secret(field)
    }
    return {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}


def _may_be_secret(field: Field[Any]) -> bool:
    return not field.repr or not SECRET_WORDS.isdisjoint(field.name.split("_"))


def _circumstances(  # noqa: PLR0913, PLR0917  (a run's figures depend on so many things)
    settings: Settings,
    asked: QuestionSet,
    pages_file: Path | None,
    snapshot: Path,
    models: Mapping[str, str],
    warnings: Sequence[str],
) -> Circumstances:
    return Circumstances(
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        lodge=_version(),
        questions_file=asked.file.name,
        questions_sha256=_sha256(asked.file),
        broken_lines=asked.broken_lines,
        pages_file=pages_file.name if pages_file else None,
        pages_sha256=_sha256(pages_file) if pages_file else None,
        manifest_sha256=_sha256(snapshot / MANIFEST_FILE),
        manifest=Manifest.read(snapshot).as_json(),
        models=models,
        settings=kept_settings(settings),
        warnings=tuple(warnings),
    )


def _version() -> str:
    try:
        return importlib.metadata.version("lodge")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
