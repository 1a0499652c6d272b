"""An editor at the console, over a server that can ask golden questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.settings import Settings
from server.workbench.evaluations.service import KeptEvaluations
from server.workbench.jobs import Jobs
from server.workbench.records import open_records
from tests.admin.conftest import Office, running
from tests.scripted_app import ScriptedGolden


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.close()


@pytest.fixture
def office(tmp_path: Path, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    store = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    asker, evaluations = ScriptedGolden(store), KeptEvaluations(Settings(home=tmp_path))
    with running(store, "editor", jobs=jobs, golden=asker, evaluations=evaluations) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office
    store.close()
