"""The console's page on coverage, over the small college's live snapshot."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from server.models import ALL_TURNS, Question
from server.settings import Settings
from server.wiring import serving as answering
from tests import small_site
from tests.admin.conftest import running
from tests.admin.test_console import console, shown

TUITION = Question("How much is tuition for residents of the state?", "c1", "m1", "t1")


def test_coverage_shows_topics_and_pages(
    small_home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    serving = answering.build_serving(replace(settings, reranker=""))
    list(serving.asker.ask(TUITION))
    with running(serving.records, gaps=serving.gaps, coverage=serving.coverage) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        app = console("coverage")
        pages = len(serving.coverage.never_cited(ALL_TURNS, ""))
        assert not app.exception
        assert [tab.label for tab in app.tabs] == ["Topics", "Never cited", "Badly rated", "Out of date"]
        assert f"{pages:,} were not" in shown(app)
        never = next(frame.value for frame in app.dataframe if "Page" in frame.value)
        assert len(never) == pages
        app.text_input(key="never-cited").input("harbour library").run()
        assert list(next(frame.value for frame in app.dataframe if "Page" in frame.value)["Title"]) == [
            "Harbour Library"
        ]
        assert [button.proto.label for button in app.get("download_button")] == [
            "All of them, CSV for spreadsheets"
        ]
    serving.close()
