"""`lodge index` of a home's pages file in its own process, so that it can be killed or kept short of disk.

The processes are forked from one that has the imports behind it; importing this module is most of their time.
"""

from __future__ import annotations

import multiprocessing
import resource
from multiprocessing.connection import Connection
from pathlib import Path

from server.errors import LodgeError
from tests import small_site


def run_job(home: str, most_bytes: int | None, results: Connection) -> None:
    """Say that it starts, then what came of it: a snapshot's name, or an error's class and sentence."""
    if most_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    settings = small_site.settings_for(Path(home))
    results.send("started")
    try:
        results.send(small_site.index_pages(settings).snapshot)
    except LodgeError as error:
        results.send((type(error).__name__, error.message))


class IndexProcess:
    """One run; `most_bytes` is the longest file it can write."""

    def __init__(self, home: Path, most_bytes: int | None = None) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.ingest.run_index"])
        self._results, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=run_job, args=(str(home), most_bytes, sender))
        self._process.start()
        sender.close()
        assert self._receive() == "started"

    def kill(self) -> bool:
        """`kill -9`; whether it came before the run had ended."""
        self._process.kill()
        self._process.join()
        self._results.close()
        return self._process.exitcode != 0

    def result(self) -> object:
        """What the run said at its end."""
        result = self._receive()
        self._process.join()
        self._results.close()
        return result

    def _receive(self) -> object:
        assert self._results.poll(60), "the index run said nothing"
        result: object = self._results.recv()
        return result
