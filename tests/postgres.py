"""A PostgreSQL of the tests' own: Debian's server in a new folder on a free port of loopback."""

from __future__ import annotations

import getpass
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from scripts.ensure_postgres import find_postgres
from server.workbench.records import open_records

PASSWORD = "harbour-lights"  # of a server that only this machine can call, for as long as the tests run
NOT_THERE = "no PostgreSQL server here (python -m scripts.ensure_postgres)"
TEMPLATE = "lodge_template"
STARTS_WITHIN_S = 60.0
# Of every table, sequence and constraint: whoever alters one leaves another sum.
_SHAPE = """
SELECT (SELECT sum(oid::bigint) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
       (SELECT sum(oid::bigint) FROM pg_constraint), (SELECT coalesce(sum(oid::bigint), 0) FROM pg_trigger)
"""
_END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
QUICK = {"fsync": "off", "full_page_writes": "off"}  # it may be killed; the machine may not
SMALL = {"shared_buffers": "32MB", "max_connections": "60", "log_min_messages": "fatal"}


class Postgres:
    """One server; it can be started, stopped and killed again and again over the same files.

    `durable` keeps what it has acknowledged even when it is killed, as a server for real does.
    """

    def __init__(self, binaries: Path, *, durable: bool = False) -> None:
        self._binaries, self._durable = binaries, durable
        self._folder = Path(tempfile.mkdtemp(prefix="lodge-postgres-"))
        self._data, self.port = self._folder / "data", _free_port()
        user = _server_user()
        self._as_user: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._lent: str | None = None
        self._shape: tuple[Any, ...] | None = None
        self._as_new = b""
        password = self._folder / "password"
        password.write_text(PASSWORD, encoding="utf-8")
        if os.geteuid() == 0:
            self._as_user = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
            for path in (self._folder, password):
                shutil.chown(path, user)
        self._run("initdb", "-D", self._data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
                  "-A", "scram-sha-256", f"--pwfile={password}")  # fmt: skip

    def start(self) -> None:
        """Starts it, and waits until it can be asked."""
        give_up_at = time.monotonic() + STARTS_WITHIN_S
        while True:
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()  # again, where what was killed still holds its memory
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                if time.monotonic() > give_up_at:
                    raise
                time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stops it: SIGINT ends all connections first, SIGQUIT does not, and SIGKILL takes all of it."""
        if self._process is None:
            return
        if how == signal.SIGKILL:
            self._kill()
        else:
            self._process.send_signal(how)
        self._process.wait(timeout=STARTS_WITHIN_S)
        self._process = None

    def remove(self) -> None:
        """Stops it, and removes its files."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, database: str = "postgres", *, password: str = PASSWORD) -> str:
        """As somebody would write it in `LODGE_RECORDS_URL`."""
        return f"postgresql://postgres:{password}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> None:
        """One statement by its own connection, outside of any transaction."""
        with psycopg.connect(self.url(database), autocommit=True, connect_timeout=5) as connection:
            connection.execute(statement.encode())

    def has(self, database: str) -> bool:
        """Whether there is a database of that name."""
        with psycopg.connect(self.url(), connect_timeout=5) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database])
            return found.fetchone() is not None

    def new_database(self, *, template: str = "template0") -> str:
        """The URL of a database that nobody has used."""
        name = f"lodge_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def lend(self) -> str:
        """The URL of one database that test after test is lent, its tables as in the template.

        To empty it takes a tenth of what a new one takes; one whose tables were altered is replaced.
        """
        if self._lent is None or not self._emptied(self._lent):
            if self._lent is not None:
                self.drop(self._lent)
            self._lent = self.new_database(template=TEMPLATE)
            with psycopg.connect(self._lent, autocommit=True) as connection:
                self._as_new = _statements_as_new(connection)
                self._shape = connection.execute(_SHAPE).fetchone()
        return self._lent

    def _emptied(self, url: str) -> bool:
        with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
            connection.execute(_END_OTHERS)
            if connection.execute(_SHAPE).fetchone() != self._shape:
                return False
            connection.execute(self._as_new)
        return True

    def drop(self, url: str) -> None:
        """Drops a database, whoever is still connected."""
        self.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")

    def make_template(self) -> None:
        """A database with the records' tables, of which copies are made at little cost."""
        self.execute(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
        open_records(self.url(TEMPLATE)).close()

    def _run(self, binary: str, *arguments: str | Path) -> None:
        command = [self._binaries / binary, *arguments]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False, **self._as_user)
        if done.returncode != 0:
            raise RuntimeError(f"{binary}: {done.stderr}")

    def _started(self) -> subprocess.Popen[bytes]:
        chosen = SMALL | ({} if self._durable else QUICK)
        chosen |= {"listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": ""}
        options = [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]
        command = [str(self._binaries / "postgres"), "-D", str(self._data), *options]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd="/", stdout=log, stderr=log, **self._as_user)

    def _kill(self) -> None:
        """The server and all of its processes at once, as a machine that loses its power does."""
        assert self._process is not None
        own = self._process.pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        for pid in (own, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def needed(server: Postgres | None) -> Postgres:
    """The server; a test that cannot do without is skipped where there is none."""
    if server is None:
        pytest.skip(NOT_THERE)
    return server


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[Postgres | None]:
    """A server with the records' template in it; None where there is no PostgreSQL."""
    binaries = find_postgres()
    if binaries is None:
        yield None
        return
    server = Postgres(binaries, durable=durable)
    try:
        server.start()
        server.make_template()
        yield server
    finally:
        server.remove()


def _statements_as_new(connection: psycopg.Connection[Any]) -> bytes:
    """What empties all tables, sets their sequences back and writes the rows that are in them now."""
    in_public = "WHERE schemaname = 'public'"
    tables = [row[0] for row in connection.execute(f"SELECT tablename FROM pg_tables {in_public}")]
    sequences = connection.execute(f"SELECT sequencename FROM pg_sequences {in_public}").fetchall()
    no_order = "SET session_replication_role = replica"  # no foreign key minds it
    statements: list[sql.Composable] = [sql.SQL(no_order)]
    statements += [sql.SQL("DELETE FROM {}").format(sql.Identifier(table)) for table in tables]
    statements += [sql.SQL("SELECT setval({}, 1, false)").format(sql.Literal(name)) for (name,) in sequences]
    for table in tables:
        into = sql.SQL("INSERT INTO {} VALUES ({})")
        for row in connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))):
            values = sql.SQL(", ").join(map(sql.Literal, row))
            statements.append(into.format(sql.Identifier(table), values))
    return sql.SQL("; ").join(statements).as_bytes(connection)


def _server_user() -> str:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return getpass.getuser()
    with suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return "nobody"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
