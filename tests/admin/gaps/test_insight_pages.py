"""The console's pages on what visitors need, driven without a browser against a real admin API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from server.models import ALL_TURNS, Feedback
from server.workbench.records import open_records
from tests.admin.conftest import Office, running
from tests.admin.test_console import console, links, shown
from tests.scripted_app import ScriptedCoverage, ScriptedGaps
from tests.storage.empty import put_empty_store
from tests.storage.exchanges import TUITION, as_typed, exchange

TODAY = datetime.now(UTC)
POOL = "When is the pool open?"


@pytest.fixture
def editors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """An office with an editor's token, insight, and three questions of the last two days."""
    store = open_records(put_empty_store(tmp_path))
    gaps = ScriptedGaps(store)
    for number, days in ((1, 1), (2, 0), (3, 0)):
        at = (TODAY - timedelta(days=days)).isoformat()
        refused = number < 3
        asked = exchange(
            number, conversation=f"c{number}", question=POOL, refused=refused, asked_at=at, topic="admissions"
        )
        store.conversations.record(as_typed(asked))
    store.conversations.rate(Feedback("c3", "m3", False, "outdated", "Call 802-555-0148", TODAY.isoformat()))
    gaps.work_off()
    with running(store, "editor", gaps=gaps, coverage=ScriptedCoverage(store)) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office
    store.close()


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click().run()


def labelled(elements: Any, label: str) -> Any:
    return next(element for element in elements if element.label == label)


def test_the_overview_comes_first_and_tells_its_plots_in_words_and_tables(editors: Office) -> None:
    app = console(None)
    assert not app.exception
    assert app.title[0].value == "Overview"
    metrics = {metric.label: metric.value for metric in app.metric}
    assert (metrics["Questions"], metrics["Refused"], metrics["Found helpful"]) == ("3", "67 %", "0 %")
    day = TODAY.date().isoformat()
    assert f"3 questions in 2 days, most of them on {day}: 2." in shown(app)
    table = app.dataframe[0].value
    assert list(table["Refused"]) == [1, 1]
    assert [expander.label for expander in app.expander][:2] == [
        "Questions by day: the numbers",
        "Ratings by day: the numbers",
    ]
    alts = [chart.proto.alt for chart in app.get("vega_lite_chart")]
    assert len(alts) == 5
    assert all(alts)


def test_a_sample_is_judged_and_the_overview_tells_what_share_was_right(editors: Office) -> None:
    app = console("judge", outcome="refused")
    assert not app.exception
    assert "None was judged yet." in shown(app)
    press(app, "Rightly refused")
    assert not app.exception
    assert "**Right so far: 1 of 1**; of all, most likely 21% to 100%." in shown(app)
    assert "Refused: **Right so far: 1 of 1**" in shown(console(None))
    assert [one.right for one in editors.store.judgements.shares(ALL_TURNS)] == [0, 0, 1]


def test_days_without_questions_say_so_and_the_bar_chooses_others(editors: Office) -> None:
    app = console("overview", since="2020-01-01", until="2020-01-31")
    assert [info.value for info in app.info] == ["No one asked anything in these days. Choose others above."]
    labelled(app.selectbox, "Topic").select("admissions")
    press(app, "Show")
    assert {name: app.query_params[name] for name in app.query_params} == {
        "since": "2020-01-01",
        "until": "2020-01-31",
        "topic": "admissions",
    }


def test_missing_answers_are_listed_with_count_trend_and_office(editors: Office) -> None:
    app = console("gaps")
    assert not app.exception
    [(label, query)] = links(app)
    assert (label, query) == (r"When is the pool open\?", "id=1")
    assert "**3 times** · 2 found nothing, 1 did not help" in shown(app)
    assert "Admissions Office (admissions)" in shown(app)
    labelled(app.selectbox, "What became of it").select("ignored").run()
    assert [info.value for info in app.info] == ["There is none like that in these days."]
    assert app.query_params["state"] == "ignored"


def test_an_editor_follows_a_gap_from_its_questions_to_its_mending(editors: Office) -> None:
    app = console("gap", id="1")
    assert not app.exception
    assert ("The conversation", "id=c3") in links(app)
    assert ("Why it went so", "id=t3") in links(app)
    assert "admissions@larkmoor" in shown(app).replace("\\", "")
    press(app, "Ignore")
    assert app.error[0].value == "Say in the note why it is ignored."
    app.text_input[0].input("The hours are on the page now.")
    press(app, "Mark as mended")
    assert "State: **mended, to be asked again**" in shown(app)
    assert "The hours are on the page now." in shown(app)
    press(app, "Ask again now")
    assert "**Asked again: answered now**" in shown(app)
    assert editors.store.gaps.get(1)["state"] == "answered"


def test_the_pages_that_came_nearest_are_the_latest_answers(editors: Office) -> None:
    editors.store.conversations.erase("c3", "main")
    assert f"[Tuition and fees](<{TUITION.url}>)" in shown(console("gap", id="1"))


def test_feedback_is_worked_through(editors: Office) -> None:
    app = console("feedback")
    assert not app.exception
    assert "“Call [phone 1]”" in shown(app)
    assert "New: 1 · In work: 0 · Done: 0 · Dismissed: 0" in shown(app)
    app.selectbox[-1].select("done")
    app.text_input[-1].input("Page corrected.")
    press(app, "Save")
    assert [info.value for info in app.info] == ["No new feedback."]
    app = console("feedback", state="done")
    assert "Page corrected." in shown(app)
    assert r"Done\: reader" in shown(app)


def test_a_viewer_reads_and_changes_nothing(editors: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", editors.store.tokens.create("v", "viewer", 1))
    for page, query in (("gap", {"id": "1"}), ("feedback", {})):
        app = console(page, **query)
        assert not app.exception
        assert not {"Save", "Ignore", "Mark as mended"} & {button.label for button in app.button}


def test_an_empty_store_has_nothing_to_do(office: Office) -> None:
    for page, words in (
        ("overview", "No one asked anything"),
        ("gaps", "Nothing to do"),
        ("feedback", "No visitor has found an answer unhelpful yet"),
    ):
        app = console(page)
        assert not app.exception
        assert words in app.info[0].value


@pytest.mark.parametrize(
    ("page", "query"), [("gaps", {"offset": "-x", "kind": "odd"}), ("feedback", {"state": "odd"})]
)
def test_an_address_that_means_nothing_is_read_as_none(
    editors: Office, page: str, query: dict[str, str]
) -> None:
    app = console(page, **query)
    assert not app.exception
    assert not app.error
