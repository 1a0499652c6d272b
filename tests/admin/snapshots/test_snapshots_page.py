"""The page of snapshots over a real server: compared, published against the golden questions, gone back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from server.models.curation import AskedSuggestion
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.access.auth import Role
from tests.admin.conftest import running
from tests.admin.test_console import console, press, shown
from tests.small_site import SITE

TUITION = GoldenQuestion("tuition", "main", "How much is tuition for residents?", (SITE + "/tuition",))


@pytest.fixture
def serving(own_snapshots: Settings) -> Iterator[answering.Serving]:
    serving = answering.build_serving(own_snapshots)
    yield serving
    serving.close()


@pytest.fixture
def role() -> Role:
    return "developer"


@pytest.fixture(autouse=True)
def office(serving: answering.Serving, role: Role, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with running(serving.records, role, snapshots=serving.snapshots, jobs=serving.jobs) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield


def page() -> AppTest:
    app = console("snapshots")
    assert not app.exception
    return app


def once_ended(serving: answering.Serving, app: AppTest) -> AppTest:
    """The page after the job that it waits for."""
    while serving.jobs.all()[0].state in ("waiting", "running"):
        time.sleep(0.02)
    app.run()
    assert not app.exception
    return app


def boxes(app: AppTest) -> str:
    """What the coloured boxes say."""
    kinds = (app.success, app.warning, app.error, app.info)
    return "\n".join(str(box.value) for kind in kinds for box in kind).replace("\\", "")


def test_two_snapshots_are_compared_and_a_page_shows_what_changed(serving: answering.Serving) -> None:
    app = page()
    assert "14 pages" in shown(app)
    assert [metric.value for metric in app.metric] == ["1", "1", "1", "12"]
    assert list(app.dataframe[0].value["Page"]) == ["Boat House"]
    app.radio[0].set_value("changed").run()
    assert list(app.dataframe[0].value["What differs"]) == ["text"]
    [choose] = [one for one in app.selectbox if one.label == "See what changed on"]
    choose.set_value(SITE + "/library").run()
    assert "midnight" in app.text[0].value
    assert "2 a.m." in app.text[1].value
    app.radio[0].set_value("out").run()
    assert list(app.dataframe[0].value["Why it is left out"]) == ["The crawl no longer has it."]


def test_a_failed_golden_question_blocks_until_a_developer_says_why(serving: answering.Serving) -> None:
    serving.records.golden.put(TUITION)
    first, second = serving.snapshots.shelf.names()
    app = once_ended(serving, press(page(), "Ask the golden questions over both"))
    assert "1 that were right before are not any more" in boxes(app)
    app = once_ended(serving, press(app, "Publish it"))
    assert "Golden questions that are answered rightly now, and not over it: 1." in boxes(app)
    assert serving.snapshots.shelf.current_name == first
    press(app, "Publish all the same")
    assert "Say why" in boxes(app)
    [reason] = [one for one in app.text_input if one.label.startswith("Why it should be published")]
    reason.input("Tuition is set in May.")
    app = press(app, "Publish all the same")
    said = boxes(app)  # it is told once, and may have ended by now
    assert f"{second} is live" in said + boxes(once_ended(serving, app))
    assert serving.snapshots.shelf.current_name == second
    press(app, "Go back to it")
    assert "No golden question is asked first" in boxes(app)
    assert serving.snapshots.shelf.current_name == second
    press(app, "Yes, go back now")
    assert serving.snapshots.shelf.current_name == first


@pytest.mark.parametrize("role", ["viewer"])
def test_a_viewer_looks_and_changes_nothing(serving: answering.Serving) -> None:
    app = page()
    assert not list(app.button)
    assert "takes a developer" in shown(app)
    assert len(app.metric) == 4


@pytest.mark.parametrize("role", ["editor"])
def test_suggested_questions_that_are_not_shown_are_listed_and_an_editor_accepts_a_page(
    serving: answering.Serving,
) -> None:
    assert "not shown" not in headings(page())
    asked = AskedSuggestion("main", "en", "When is it open?", refused=False, cited=(SITE + "/library",))
    refused = AskedSuggestion("main", "", "Who?", refused=True)
    serving.records.suggestions.keep([asked, refused], "s1")
    serving.records.suggestions.keep([replace(asked, cited=(SITE + "/boats",)), refused], "s2")
    app = page()
    assert "Suggested questions that are not shown" in headings(app)
    assert "When is it open? (main, en): It is answered from" in shown(app).replace("\\", "")
    assert "Who? (main): It is not answered." in shown(app).replace("\\", "")
    app = press(app, "This page is right")
    assert "When is it open?" not in shown(app)
    assert serving.records.suggestions.withheld() == {"main": frozenset({"Who?"})}


def headings(app: AppTest) -> str:
    return "\n".join(one.value for one in app.subheader)
