"""Find a Valkey or Redis server, and haproxy, for the tests of several servers, or get them with apt as root.

Without them those tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import sys

from scripts.debian import can_install, install

STORES = ("valkey-server", "redis-server")
PROXY = "haproxy"
# Debian puts servers where only root looks.
_WHERE = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"))


def find_store() -> str | None:
    """The path of a Valkey or Redis server, or None. `LODGE_REDIS` goes before all others."""
    named = (os.environ.get("LODGE_REDIS"), *(shutil.which(name, path=_WHERE) for name in STORES))
    return next((path for path in named if path and os.access(path, os.X_OK)), None)


def find_proxy() -> str | None:
    """The path of haproxy, or None."""
    return shutil.which(PROXY, path=_WHERE)


def main() -> int:
    """0 whether there are any in the end or not: what needs them is skipped, and says so."""
    if find_store() and find_proxy():
        return 0
    if can_install():
        print("No Redis or no haproxy found; installing them for the tests …", flush=True)
        install("redis-server", PROXY)
    if not (find_store() and find_proxy()):
        print("No Redis or no haproxy here: the tests of several servers are skipped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
