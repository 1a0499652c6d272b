"""The files of a live snapshot, damaged under a server: it says so, never answers wrongly, and goes on."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scripts.research.killing.killed import PATIENCE_S, Kills, Plan, kill, lodge, wait_until
from scripts.research.killing.records import trouble_in
from scripts.research.killing.server import settings_of
from scripts.research.killing.visitors import Acknowledged, Visitors
from server.ingest.publish import SnapshotStore
from tests import small_site

HONEST = {200, 204, 503}
SHARE_OF_BOTH = 0.25  # of the damage reaches the earlier snapshot too, so that none is left to answer from
SOON_S = 2.0  # within which the server should say so
KNOWN_FROM = 100  # answers, all that visitors get of a snapshot that is whole are among them


def _truncate(path: Path, _other: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def _overwrite(path: Path, _other: Path, chance: random.Random) -> None:
    """Some bytes in place, none of them as it was; now and then the time of the content is set back."""
    had, data = path.stat(), path.read_bytes()
    start = chance.randrange(len(data))
    end = chance.randint(start + 1, len(data))
    with path.open("r+b") as file:
        file.seek(start)
        file.write(bytes(byte ^ chance.randint(1, 255) for byte in data[start:end]))
    if chance.random() < 0.5:
        os.utime(path, ns=(had.st_atime_ns, had.st_mtime_ns))


def _become_other(path: Path, other: Path, _chance: random.Random) -> None:
    """In place, as `rsync --inplace` writes."""
    data = _of_other(path, other)
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


def _replace(path: Path, other: Path, _chance: random.Random) -> None:
    """By renaming, as most programs write."""
    aside = path.with_name(".aside")
    aside.write_bytes(_of_other(path, other))
    aside.replace(path)


def _of_other(path: Path, other: Path) -> bytes:
    """The other snapshot's file; a byte more where it is the same."""
    data = other.read_bytes()
    return data + b" " if data == path.read_bytes() else data


def _delete(path: Path, _other: Path, _chance: random.Random) -> None:
    path.unlink()


HARMS: Mapping[str, Callable[[Path, Path, random.Random], None]] = {
    "truncated": _truncate,
    "overwritten": _overwrite,
    "written over by another snapshot's": _become_other,
    "replaced": _replace,
    "deleted": _delete,
}


def damage_snapshots(folder: Path, plan: Plan) -> Kills:
    """So many times a file of the live snapshot damaged while one `lodge serve` answers visitors."""
    chance, done = plan.moments(), Kills("live snapshot's files")
    records_url = f"sqlite:///{folder}/records.sqlite"
    settings = settings_of(folder, records_url)
    small_site.index_pages(settings, small_site.changed_pages())
    shelf = SnapshotStore(settings.snapshots_dir)
    snapshots = [shelf.folder / name for name in reversed(shelf.names())]
    good = [Path(shutil.copytree(one, folder / "good" / one.name)) for one in snapshots]
    process = lodge(settings, "serve", log=folder / "server.log")
    try:
        known = _known(settings.port, shelf)
        while done.made < plan.kills and process.poll() is None:
            visitors = _visitors(settings.port)
            visitors.answered.wait(PATIENCE_S)
            time.sleep(chance.uniform(0, 0.4))
            done.count(_harm(snapshots[0], good[1], chance))
            if chance.random() < SHARE_OF_BOTH:
                done.count(_harm(snapshots[1], good[0], chance))
            began, trouble = time.monotonic(), None
            if not _says(process, settings.port, whole=False):
                trouble = "the server did not say that its snapshot is damaged"
            done.count(f"told of within {SOON_S:.0f} s", time.monotonic() - began <= SOON_S)
            time.sleep(chance.uniform(0, 0.4))
            done.count("with none left to answer from", _told(settings.port)[0] == 503)
            _restore(snapshots, good)
            if not _says(process, settings.port, whole=True):
                trouble = trouble or "the server did not answer from the whole snapshot again"
            had = visitors.stop()
            done.count("answers acknowledged", len(had.answers))
            done.count("turned away with 503", had.statuses[503])
            if process.poll() is not None:
                trouble = f"the server has died ({process.returncode})"
            done.note(trouble or wrong(had, known) or trouble_in(records_url, had))
    finally:
        kill(process)
    return done


def _harm(hit: Path, other: Path, chance: random.Random) -> str:
    """A file of a snapshot damaged, in what way."""
    name, how = chance.choice(sorted(path.name for path in hit.iterdir())), chance.choice([*HARMS])
    HARMS[how](hit / name, other / name, chance)
    return how


def _says(process: subprocess.Popen[bytes], port: int, *, whole: bool) -> bool:
    """Whether the server lives to say so in time."""
    wait_until(lambda: (_told(port) == (200, [])) is whole or process.poll() is not None)
    return process.poll() is None and (_told(port) == (200, [])) is whole


def _known(port: int, shelf: SnapshotStore) -> set[tuple[str, str]]:
    """What a whole snapshot answers, by its name, for both of them; the later one is live in the end."""
    found: set[tuple[str, str]] = set()
    for name in shelf.names():
        shelf.publish(name)
        wait_until(lambda: _told(port) == (200, []))
        visitors = _visitors(port)
        wait_until(partial(_has_enough, visitors.had))
        found |= _said(visitors.stop())
    return found


def _visitors(port: int) -> Visitors:
    """Every question opens a conversation: a second one could follow on an answer of the other snapshot."""
    return Visitors(port, asked_in_one=1)


def _has_enough(had: Acknowledged) -> bool:
    return len(had.answers) >= KNOWN_FROM


def _said(had: Acknowledged) -> set[tuple[str, str]]:
    return {(answer["snapshot"], answer["answer"]) for answer in had.answers.values()}


def wrong(had: Acknowledged, known: set[tuple[str, str]]) -> str | None:
    """What visitors should not have been told, as a sentence."""
    other = {status: number for status, number in had.statuses.items() if status not in HONEST}
    if other:
        return f"visitors were answered {other}"
    return next((f"{name} was said to say {said!r}" for name, said in _said(had) - known), None)


def _restore(snapshots: Sequence[Path], good: Sequence[Path]) -> None:
    """Every file that is another, in place or anew."""
    for folder, backup in zip(snapshots, good, strict=True):
        for path in backup.iterdir():
            there = folder / path.name
            if not there.exists() or there.read_bytes() != path.read_bytes():
                shutil.copyfile(path, there)


def _told(port: int) -> tuple[int, list[str]]:
    """The status of `/readyz` and what it names as degraded; 0 where nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as response:
            told: dict[str, Any] = json.load(response)
            return response.status, told["degraded"]
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, []
    except OSError:
        return 0, []
