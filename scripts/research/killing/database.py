"""PostgreSQL itself, killed under a server: that says so, answers again by itself, and has lost nothing."""

from __future__ import annotations

import signal
import time
import urllib.error
import urllib.request
from pathlib import Path

from scripts.research.killing.killed import PATIENCE_S, Kills, Plan, kill, lodge, wait_until
from scripts.research.killing.records import trouble_in
from scripts.research.killing.server import settings_of
from scripts.research.killing.visitors import Acknowledged, Visitors
from tests.postgres import Postgres

WAYS = (signal.SIGKILL, signal.SIGKILL, signal.SIGQUIT, signal.SIGINT)
HONEST = {0, 200, 204, 503}  # 0: the connection itself


def kill_database(folder: Path, server: Postgres, plan: Plan) -> Kills:
    """So many kills of the database while one `lodge serve` answers visitors over it all the time."""
    chance, done = plan.moments(), Kills("postgresql itself")
    records_url = server.new_database(template="lodge_template")
    settings = settings_of(folder, records_url)
    process = lodge(settings, "serve", log=folder / "server.log")
    try:
        trouble = None if _answers(settings.port) else "the server did not answer after it was started"
        while done.made < plan.kills:
            visitors = Visitors(settings.port)
            visitors.answered.wait(PATIENCE_S)
            time.sleep(chance.uniform(0, 0.4))
            server.stop(chance.choice(WAYS))
            time.sleep(chance.uniform(0, 0.4))
            done.count("found unready", _status(settings.port, "/readyz") == 503)
            server.start()
            visitors.answered.clear()
            if not visitors.answered.wait(PATIENCE_S):
                trouble = "the server did not answer again"
            had = visitors.stop()
            done.count("answers acknowledged", len(had.answers))
            done.count("turned away with 503", had.statuses[503])
            done.note(trouble or _dishonest(had) or trouble_in(records_url, had))
            trouble = None if process.poll() is None else "the server has died"
    finally:
        kill(process)
    return done


def _dishonest(had: Acknowledged) -> str | None:
    other = {status: number for status, number in had.statuses.items() if status not in HONEST}
    return f"visitors were answered {other}" if other else None


def _answers(port: int) -> bool:
    return wait_until(lambda: _status(port, "/readyz") == 200, every_s=0.05)


def _status(port: int, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
            status: int = response.status
            return status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return 0
