"""Kills the parts of Lodge with SIGKILL at random moments, and tells how many kills were survived.

    .venv/bin/python -m scripts.research.killing.kill_parts --kills 100
    .venv/bin/python -m scripts.research.killing.kill_parts --kills 100 --seed 7 server indexer

The parts: the server over SQLite and over PostgreSQL, the indexer, the crawler, a migration of both, and
PostgreSQL itself under a server. Under `damage` nothing is killed: the live snapshot's files are truncated,
written over, replaced and deleted under a server. Everything is real: `lodge` commands as processes, HTTP, a
PostgreSQL of its own. A kill is survived when nothing acknowledged is lost, nothing is half there, and the
next start needs no hand. Ends with 1 where one was not.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scripts.research.killing.crawler import kill_crawler
from scripts.research.killing.damage import damage_snapshots
from scripts.research.killing.database import kill_database
from scripts.research.killing.home import small_home
from scripts.research.killing.indexer import kill_indexer
from scripts.research.killing.killed import Kills, Plan
from scripts.research.killing.migration import kill_migration, old_records
from scripts.research.killing.server import kill_server
from tests.postgres import TEMPLATE, Postgres, running_postgres

Part = Callable[[Path, Plan], Kills]


def parts_with(server: Postgres | None) -> Mapping[str, Part]:
    """The parts by name, in the order they are killed; those over PostgreSQL only where there is one."""
    found: dict[str, Part] = {
        "server": lambda folder, plan: kill_server(
            "server, SQLite", folder, f"sqlite:///{folder}/records.sqlite", plan
        ),
        "damage": damage_snapshots,
        "indexer": kill_indexer,
        "crawler": kill_crawler,
        "migration": lambda folder, plan: kill_migration(
            "migration, SQLite", lambda revision: _old_file(folder, revision), plan
        ),
    }
    if server is not None:
        found |= {
            "server-postgresql": lambda folder, plan: kill_server(
                "server, PostgreSQL", folder, server.new_database(template=TEMPLATE), plan
            ),
            "migration-postgresql": lambda folder, plan: kill_migration(
                "migration, PostgreSQL", lambda revision: _old_database(server, revision), plan
            ),
            "postgresql": lambda folder, plan: kill_database(folder, server, plan),
        }
    return found


@contextmanager
def _old_file(folder: Path, revision: str) -> Iterator[str]:
    """A new copy of a SQLite file of that revision."""
    old, copy = folder / f"{revision}.sqlite", folder / "copy"
    if not old.exists():
        old_records(f"sqlite:///{old}", revision)
    copy.mkdir()
    yield f"sqlite:///{shutil.copy(old, copy)}"
    shutil.rmtree(copy)


@contextmanager
def _old_database(server: Postgres, revision: str) -> Iterator[str]:
    """A new copy of a database of that revision."""
    old = f"lodge_old_{revision}"
    if not server.has(old):
        server.execute(f"CREATE DATABASE {old} TEMPLATE template0")
        old_records(server.url(old), revision)
    url = server.new_database(template=old)
    yield url
    server.drop(url)


def main() -> int:
    """Prints a line for each part."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help="which; all, where none is named")
    parser.add_argument("--kills", type=int, default=100, help="of each part")
    parser.add_argument("--seed", type=int, default=8, help="of the moments")
    given = parser.parse_args()
    survived = True
    print(f"seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="lodge-kills-") as home, running_postgres(durable=True) as server:
        ready = small_home(Path(home) / "ready").snapshots_dir
        for name, part in parts_with(server).items():
            if given.parts and name not in given.parts:
                continue
            folder = Path(home) / name
            folder.mkdir()
            small_home(folder, ready)
            began = time.monotonic()
            done = part(folder, Plan(given.kills, given.seed))
            print(f"{done.line()}; {time.monotonic() - began:.0f} s", flush=True)
            for trouble in done.troubles:
                print(f"    {trouble}", flush=True)
            survived = survived and not done.troubles
    return 0 if survived else 1


if __name__ == "__main__":
    sys.exit(main())
