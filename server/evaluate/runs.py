"""Runs as they are kept: a folder each, there whole or not at all.

runs/20260102-030405/run.json   what was asked and found, and with what
runs/.writing-…/                one being written; left behind by a kill, a later run removes it
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from server.errors import BadInputError, LodgeError, NotFoundError, StorageError
from server.evaluate.figures import Evaluation
from server.evaluate.significance import Interval


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 file in one step: aside, then by rename. An older file keeps its access rights.

    A link stays one: what it leads to is written. `StorageError` when the file cannot be written; then what
    was there is as it was.
    """
    path = path.resolve()
    aside = path.with_name(f".{path.name}-{uuid4().hex[:8]}")
    try:
        try:
            rights = path.stat().st_mode & 0o7777 if path.exists() else None
            _write_synced(aside, text, 0o666 if rights is None else rights)
            if rights is not None:
                aside.chmod(rights)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise StorageError(f"{path} could not be written: {error.strerror or error}.") from error


def sync_folder(folder: Path) -> None:
    """Force a folder's names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_synced(path: Path, text: str, rights: int) -> None:
    """A new file that is never more open than `rights`, what it holds being as private as the one before."""
    with open(path, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, rights)) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


FORMAT = 1
LATEST = "latest"
RUN_FILE = "run.json"
_WRITING = ".writing-"
_ABANDONED_S = 3600
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Everything a run's figures depend on, but secrets. Hashes are SHA-256, `created_at` is ISO 8601, UTC.

    `broken_lines` is how many lines of the questions file could not be used; `warnings` are the sentences
    that were told. `manifest` is the snapshot's.
    """

    created_at: str
    lodge: str
    questions_file: str
    questions_sha256: str
    broken_lines: int
    pages_file: str | None
    pages_sha256: str | None
    manifest_sha256: str
    manifest: Mapping[str, Any]
    models: Mapping[str, str]
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """An evaluation and its circumstances, under a name."""

    name: str
    made_with: Circumstances
    evaluation: Evaluation
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One line of `lodge eval runs`; `metrics` are each strategy's figures by name, without intervals."""

    name: str
    created_at: str
    snapshot: str
    questions_file: str
    questions: int
    strategies: tuple[str, ...]
    metrics: Mapping[str, Mapping[str, float]]


class RunStore:
    """The folder of all kept runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def names(self) -> list[str]:
        """Every kept run, the oldest first."""
        kept = [
            path.parent for path in self.folder.glob(f"*/{RUN_FILE}") if not path.parent.name.startswith(".")
        ]
        return [path.name for path in sorted(kept, key=lambda path: (path.stat().st_mtime_ns, path.name))]

    def new_name(self, wanted: str | None = None, now: datetime | None = None) -> str:
        """`wanted`, or one made of the time, that is not taken.

        A wanted name that is taken, or that could not be told from another, is a `BadInputError`.
        """
        taken = set(self.names())
        if wanted is not None:
            return _free_name(wanted, taken)
        stem = (now or datetime.now(UTC)).strftime("%Y%m%d-%H%M%S")
        return _first_free(stem, taken)

    def save(self, run: Run) -> Run:
        """Keep a run, and give it back: under another name, should its own have been taken meanwhile.

        `StorageError` when it cannot be written.
        """
        run = replace(run, name=_first_free(run.name, set(self.names())))
        aside = self.folder / f"{_WRITING}{uuid4().hex}"
        try:
            aside.mkdir(parents=True)
            self._sweep()
            try:
                write_whole(
                    aside / RUN_FILE, msgspec.json.format(msgspec.json.encode(run), indent=1).decode()
                )
                aside.rename(self.folder / run.name)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
            sync_folder(self.folder)
        except OSError as error:
            raise StorageError(f"The run {run.name} could not be kept: {error.strerror or error}.") from error
        return run

    def find(self, text: str) -> str:
        """The name that `text` means: a name, the beginning of just one, or "latest"."""
        names = self.names()
        if text == LATEST and names:
            return names[-1]
        meant = [text] if text in names else [name for name in names if name.startswith(text)]
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise BadInputError(f"{text!r} begins more than one run: {', '.join(meant)}.")
        raise NotFoundError(f"There is no run {text!r}. There are: {', '.join(names) or 'none'}.")

    def load(self, text: str) -> Run:
        """The run that `text` means; `LodgeError` when its file is not ours."""
        name = self.find(text)
        run: Run = _decode(self.folder / name / RUN_FILE, Run)
        if run.format != FORMAT:
            raise LodgeError(f"The run {name} has format {run.format}; this Lodge reads {FORMAT}.")
        return run

    def entries(self, limit: int | None = None) -> list[RunEntry]:
        """All runs, or so many, the newest first; one whose file is broken is left out."""
        entries = []
        for name in self.names()[::-1][:limit]:
            try:
                head: _Head = _decode(self.folder / name / RUN_FILE, _Head)
            except LodgeError:
                continue
            entries.append(head.entry())
        return entries

    def _sweep(self) -> None:
        """Remove what a killed run left; what is younger may still be written to."""
        for path in self.folder.glob(f"{_WRITING}*"):
            if time.time() - path.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(path, ignore_errors=True)


# What a listing needs of a run: msgspec skips the rest of the document unread.


@dataclass(frozen=True, slots=True)
class _HeadStrategy:
    strategy: str
    metrics: Mapping[str, Interval] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _HeadEvaluation:
    snapshot: str
    questions: int
    strategies: tuple[_HeadStrategy, ...] = ()


@dataclass(frozen=True, slots=True)
class _HeadCircumstances:
    created_at: str
    questions_file: str


@dataclass(frozen=True, slots=True)
class _Head:
    name: str
    made_with: _HeadCircumstances
    evaluation: _HeadEvaluation
    format: int = field(default=FORMAT)

    def entry(self) -> RunEntry:
        of = self.evaluation
        metrics = {
            result.strategy: {name: metric.value for name, metric in result.metrics.items()}
            for result in of.strategies
        }
        made, questions = self.made_with, of.questions
        told = (self.name, made.created_at, of.snapshot, made.questions_file, questions)
        return RunEntry(*told, tuple(metrics), metrics)


def _free_name(wanted: str, taken: set[str]) -> str:
    if not _NAME.fullmatch(wanted) or wanted == LATEST:
        raise BadInputError(
            f"{wanted!r} is no name for a run: letters, digits, dots and dashes make one, and not {LATEST!r}."
        )
    if wanted in taken:
        raise BadInputError(f"There is a run {wanted!r} already; choose another name.")
    return wanted


def _first_free(stem: str, taken: set[str]) -> str:
    """The stem, or with the first number after it that makes it free."""
    return next(name for name in (stem, *(f"{stem}-{i}" for i in range(2, 1000))) if name not in taken)


def _decode(path: Path, kind: Any) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise LodgeError(f"The run {path.parent.name} cannot be read: {error}.") from error
