"""A migration, killed: the next start finishes it, and all that was there is there."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from typing import Any

from alembic import command
from sqlalchemy import select

from scripts.research.killing.killed import PATIENCE_S, Kills, Plan
from server.errors import LodgeError
from server.models import Feedback
from server.storage.engine import engine_for
from server.storage.migrate import HEAD, alembic_config, revision_of
from server.storage.tables import Base
from server.workbench.records import open_records
from tests.storage.exchanges import exchange

REVISIONS = ("0001", "0004", "0007", "0009")
EXCHANGES = 150
GIVEN_AT = "2026-03-01T12:00:00+00:00"
# Another process for each kill, forked from one that has imported what it takes: a hundred starts are quick.
FORKS = multiprocessing.get_context("forkserver")
Copies = Callable[[str], AbstractContextManager[str]]  # revision → the URL of a store of it, for a while
Rows = dict[str, list[tuple[Any, ...]]]


def kill_migration(part: str, copies: Copies, plan: Plan) -> Kills:
    """So many kills, each over a new copy of records of an old revision; `copies` makes those by revision."""
    FORKS.set_forkserver_preload(["scripts.research.killing.migration", "alembic.autogenerate"])
    chance, done = plan.moments(), Kills(part)
    expected: dict[str, Rows] = {}
    takes_s: dict[str, float] = {}
    for revision in REVISIONS[: plan.kills]:
        with copies(revision) as url:
            takes_s[revision] = _killed_after(url, PATIENCE_S)[1]
            expected[revision] = rows_of(url)
    while done.made < plan.kills:
        revision = REVISIONS[done.made % len(REVISIONS)]
        with copies(revision) as url:
            ended, _ = _killed_after(url, chance.uniform(0, takes_s[revision]))
            done.count("had ended", ended)
            done.count("rows compared", sum(map(len, expected[revision].values())))
            done.note(_trouble_in(url, expected[revision]))
    return done


def old_records(url: str, revision: str) -> None:
    """Conversations with feedback in records of that revision."""
    with closing(open_records(url)) as store:
        for number in range(EXCHANGES):
            own, refused = f"c{number // 3}", number % 4 == 0
            store.conversations.record(exchange(number, conversation=own, refused=refused, topic="aid"))
            if number % 5 == 0:
                store.conversations.rate(
                    Feedback(own, f"m{number}", number % 2 == 0, "", "So it is.", GIVEN_AT)
                )
    engine = engine_for(url, foreign_keys=False)
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), revision)
    engine.dispose()


def rows_of(url: str) -> Rows:
    """All there is in a store, by table."""
    engine, found = engine_for(url), {}
    with engine.connect() as connection:
        for table in Base.metadata.sorted_tables:
            rows = connection.execute(select(table).order_by(*table.primary_key.columns))
            found[table.name] = [tuple(row) for row in rows]
    engine.dispose()
    return found


def _killed_after(url: str, seconds: float) -> tuple[bool, float]:
    """Whether a migration had ended before so many seconds, and how many it took until then."""
    begun = FORKS.Event()
    process = FORKS.Process(target=_migrate, args=(url, begun))
    process.start()
    begun.wait(PATIENCE_S)
    began = time.monotonic()
    process.join(seconds)
    took_s, ended = time.monotonic() - began, process.exitcode is not None
    process.kill()
    process.join()
    return ended, took_s


def _migrate(url: str, begun: Any) -> None:
    begun.set()
    open_records(url).close()


def _trouble_in(url: str, expected: Rows) -> str | None:
    """What is wrong after the next start, as a sentence."""
    try:
        open_records(url).close()
    except LodgeError as error:
        return error.message
    engine = engine_for(url)
    with engine.connect() as connection:
        revision = revision_of(connection)
    engine.dispose()
    if revision != HEAD:
        return f"the records are at revision {revision}"
    found = rows_of(url)
    other = [name for name in expected if found[name] != expected[name]]
    return f"other rows than there should be in: {', '.join(other)}" if other else None
