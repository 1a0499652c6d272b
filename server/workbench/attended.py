"""`python -m server.workbench.attended COMMAND …`: a `lodge` command that ends with whoever began it.

A server that is killed can end nothing any more; but its end of the pipe that is this process's standard
input is closed by the system, and then the command is asked to end in its own way.
"""

from __future__ import annotations

import os
import runpy
import signal
import threading


def _end_when_left() -> None:
    while os.read(0, 1):  # not `sys.stdin`, whose lock would be held while the interpreter ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_end_when_left, name="attended", daemon=True).start()
    runpy.run_module("server.cli", run_name="__main__", alter_sys=True)
