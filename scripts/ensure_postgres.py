"""Find a PostgreSQL server for the tests, or get one with apt as root; without one, its tests are skipped."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from scripts.debian import can_install, install

DEBIAN = Path("/usr/lib/postgresql")  # a folder a version; its programs are not on the path
NEEDED = ("initdb", "postgres")


def find_postgres() -> Path | None:
    """The folder with the newest server's programs, or None. `LODGE_POSTGRES` goes before all others."""
    named = [os.environ.get("LODGE_POSTGRES")]
    versions = sorted(DEBIAN.glob("*/bin"), key=lambda folder: (len(folder.parent.name), folder.parent.name))
    on_path = shutil.which("initdb")
    folders = [Path(one) for one in named if one] + versions[::-1]
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if _serves(folder)), None)


def _serves(folder: Path) -> bool:
    return all(os.access(folder / program, os.X_OK) for program in NEEDED)


def main() -> int:
    """0 whether there is one in the end or not: what needs it is skipped, and says so."""
    if find_postgres():
        return 0
    if can_install():
        print("No PostgreSQL found; installing one for the tests …", flush=True)
        install("postgresql")
    if not find_postgres():
        print("No PostgreSQL here: the tests that need one are skipped. Install it, or set LODGE_POSTGRES.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
