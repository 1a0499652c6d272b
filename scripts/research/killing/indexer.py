"""`lodge index`, killed: the live snapshot is whole and answers, and the next run tidies up."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from scripts.research.killing.home import small_home
from scripts.research.killing.killed import Kills, Plan, finished, kill, lodge, wait_until
from server.errors import LodgeError
from server.settings import Settings
from server.wiring.opened import OpenedSnapshot
from tests import small_site

EVERY = 10  # kills, one run is left alone
SHARE_AT_END = 0.5  # of the kills come once all is written: while it is checked, shelved and published
ENDS_IN_S = 1.0  # about, from then on


def kill_indexer(folder: Path, plan: Plan) -> Kills:
    """So many kills over the same home; the pages are others from one run to the next."""
    chance, done = plan.moments(), Kills("indexer")
    settings, log = small_home(folder), folder / "indexer.log"
    files = [
        str(small_site.write_pages(folder / f"pages{number}.jsonl", pages))
        for number, pages in enumerate((small_site.kept_pages(), small_site.changed_pages()))
    ]
    began = time.monotonic()
    whole = finished(lodge(settings, "index", "--pages", files[0], log=log))
    takes_s = time.monotonic() - began
    while done.made < plan.kills:
        before = _live(settings)
        process = lodge(settings, "index", "--pages", files[done.made % 2], log=log)
        if chance.random() < SHARE_AT_END:
            _wait_for_the_end(settings, process)
            time.sleep(chance.uniform(0, ENDS_IN_S))
        else:
            time.sleep(chance.uniform(0, takes_s))
        done.count("had ended", process.poll() is not None)
        kill(process)
        done.count("left something half made", bool(leftovers(settings)))
        done.count("had published", _live(settings) != before)
        trouble = whole or trouble_in(settings)
        if not trouble and (done.made % EVERY == EVERY - 1 or done.made == plan.kills - 1):
            trouble = finished(lodge(settings, "index", "--pages", files[0], log=log))
            trouble = trouble or trouble_in(settings) or next(iter(leftovers(settings)), None)
        done.note(trouble)
    return done


def trouble_in(settings: Settings) -> str | None:
    """What is wrong with the live snapshot, as a sentence."""
    name = _live(settings)
    if not (settings.snapshots_dir / "current" / "manifest.json").is_file():
        return f"the live snapshot {name} is not whole"
    try:
        opened = OpenedSnapshot(settings.snapshots_dir / name, threads=1)
    except LodgeError as error:
        return error.message
    try:
        opened.warm_up()
        found = opened.keyword.search("library", 3)
    except LodgeError as error:
        return error.message
    finally:
        opened.close()
    return None if found else f"the live snapshot {name} finds nothing"


def leftovers(settings: Settings) -> list[str]:
    """What a run has left beside finished snapshots, a sentence each."""
    hidden = (path.name for path in settings.snapshots_dir.iterdir() if path.name.startswith("."))
    return [f"{name} was left" for name in sorted(hidden)]


def _wait_for_the_end(settings: Settings, process: subprocess.Popen[bytes]) -> None:
    """Until the manifest, which is written last, is there."""
    manifests = ".building-*/manifest.json"
    wait_until(lambda: any(settings.snapshots_dir.glob(manifests)) or process.poll() is not None)


def _live(settings: Settings) -> str:
    return (settings.snapshots_dir / "current").readlink().name
