"""Two real servers on one records store: a crawl at one is seen, ended and outlived by the other."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from scripts.research.several.fleet import Fleet, running
from server.settings import Settings
from server.workbench.records import open_records
from tests import postgres as postgresql
from tests.postgres import Postgres
from tests.workbench.test_running import PAGES, college

pytestmark = pytest.mark.long

SOON_S = 120.0


@dataclass(frozen=True)
class Pair:
    """Two servers, and a developer who asks them."""

    fleet: Fleet
    developer: httpx.Client

    def call(self, server: int, method: str, path: str, body: Any = None) -> httpx.Response:
        url = f"{self.fleet.members[server].url}/admin/api/v1{path}"
        return self.developer.request(method, url, json=body)

    def job(self, server: int, job_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.call(server, "GET", f"/jobs/{job_id}").raise_for_status().json()
        return found

    def wait(self, server: int, job_id: str, *states: str) -> dict[str, Any]:
        """The job, once it is in one of these states."""
        wait_until(lambda: self.job(server, job_id)["state"] in states)
        return self.job(server, job_id)


def wait_until(seen: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + SOON_S
    while not seen():
        assert time.monotonic() < give_up_at
        time.sleep(0.2)


def children_of(pid: int) -> list[int]:
    """The processes that a process has begun, on Linux."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(own) for file in files for own in file.read_text(encoding="ascii").split()]


def is_alive(pid: int) -> bool:
    """Whether a process is still at work; one that nobody has asked after is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(params=["sqlite", "postgresql"])
def records_url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres | None) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'records.sqlite'}"
    else:
        server = postgresql.needed(postgres)
        url = server.new_database(template=postgresql.TEMPLATE)
        yield url
        server.drop(url)


def test_a_crawl_outlives_the_server_that_is_killed_in_the_middle_of_it(
    own_snapshots: Settings, records_url: str, tmp_path: Path
) -> None:
    records = open_records(records_url)
    token = records.tokens.create("ops", "developer", 1)
    records.close()
    with college(is_open=False) as (host, site):
        settings = replace(
            own_snapshots,
            records_url=records_url,
            crawl_private_hosts=host,
            crawl_delay_s=0.0,
            crawl_timeout_s=5,
        )
        bearer = {"Authorization": f"Bearer {token}"}
        with (
            running(2, settings.as_environ(), tmp_path) as fleet,
            httpx.Client(headers=bearer, timeout=SOON_S) as developer,
        ):
            pair = Pair(fleet, developer)
            start = {"urls": [f"http://{host}/"]}

            # One server's crawl is the other's to see, to keep out of, and to end.
            job = pair.call(0, "POST", "/crawl/start", start).raise_for_status().json()
            assert site.visited.wait(SOON_S)
            assert pair.wait(1, job["id"], "running")["server"] == job["server"]
            assert pair.call(1, "POST", "/crawl/start", start).status_code == 409
            assert pair.call(1, "DELETE", f"/jobs/{job['id']}").is_success
            assert "next crawl goes on" in pair.wait(1, job["id"], "cancelled", "done")["says"]
            site.visited.clear()

            # The server dies in the middle of another one.
            job = pair.call(0, "POST", f"/jobs/{job['id']}/again").raise_for_status().json()
            assert site.visited.wait(SOON_S)
            assert fleet.members[0].process is not None
            commands = children_of(fleet.members[0].process.pid)
            assert len(commands) == (sys.platform == "linux")
            fleet.members[0].kill()
            lost = pair.wait(1, job["id"], "lost")
            assert lost["says"] == "The server was stopped while it ran."
            site.opened.set()
            wait_until(lambda: not any(map(is_alive, commands)))

            # The other begins it again, and the first, when it is back, knows how that ended.
            again = pair.call(1, "POST", f"/jobs/{job['id']}/again").raise_for_status().json()
            assert (again["about"], again["arguments"]) == (host, lost["arguments"])
            report = pair.wait(1, again["id"], "done", "failed")
            assert report["state"] == "done", report["says"]
            fleet.members[0].start()
            fleet.members[0].wait()
            states = [one["state"] for one in pair.call(0, "GET", "/jobs?kind=crawl").json()["jobs"]]
            assert states == ["done", "lost", "cancelled"]
            [crawl] = pair.call(0, "GET", "/crawl").json()["sites"]
            assert crawl["held"] == len(PAGES) + 1
