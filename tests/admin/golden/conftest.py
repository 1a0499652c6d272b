"""An editor at the console, over a server that can ask golden questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.job_store import JobStore
from server.workbench.jobs import Jobs
from server.workbench.records import Records, open_records
from tests.admin.conftest import Office, running
from tests.scripted_app import ScriptedGolden
from tests.storage.empty import put_empty_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Records]:
    store = open_records(put_empty_store(tmp_path))
    yield store
    store.close()


@pytest.fixture
def jobs(store: Records) -> Iterator[Jobs]:
    jobs = Jobs(JobStore(store.transactions))
    yield jobs
    jobs.close()


@pytest.fixture
def office(tmp_path: Path, store: Records, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    asker, evaluations = ScriptedGolden(store), KeptEvaluations(tmp_path / "eval" / "runs")
    with running(store, "editor", jobs=jobs, golden=asker, evaluations=evaluations) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office
