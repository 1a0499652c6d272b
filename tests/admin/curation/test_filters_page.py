"""An editor changes what visitors are told, sees what it would do, publishes it and takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from admin.curation.parts import PARTS
from server.models import Question
from server.models.curation import LeaveOut, RuleSet
from server.settings import Settings
from server.wiring.serving import build_serving
from server.workbench.records import open_records
from tests.admin.conftest import Office, running
from tests.admin.test_console import console, press, shown
from tests.scripted_app import ScriptedPreviews
from tests.small_site import settings_for
from tests.storage.empty import put_empty_store

NEWS = LeaveOut("news", "prefix", "/news/", "Old news misleads.")


@pytest.fixture
def editors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    store = open_records(put_empty_store(tmp_path))
    with running(store, "editor", previews=ScriptedPreviews(store)) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office
    store.close()


def test_a_filter_is_drafted_published_and_undone(editors: Office) -> None:
    app = console("filters")
    assert "Nothing is waiting to be published." in shown(app)
    [value] = [one for one in app.text_area if one.label == "Which"]
    value.set_value("/news/")
    forms = [one for one in app.button if one.label == "Keep in the draft"]
    forms[0].click().run()
    assert not app.exception
    draft = editors.store.rulebooks.draft("main")
    assert draft
    assert [(one.kind, one.value) for one in draft.book.leave_out] == [("prefix", "/news/")]
    assert "+ added" in shown(app)
    assert "leaves out **1** of 2 pages" in shown(app)
    press(app, "Publish to visitors now")
    assert editors.store.rulebooks.book("main").leave_out
    press(app, "Go back to what held before the last change")
    assert not editors.store.rulebooks.book("main").leave_out


def test_what_cannot_be_kept_is_told_by_the_form(editors: Office) -> None:
    app = console("filters")
    [value] = [one for one in app.text_area if one.label == "Which"]
    value.set_value("/")
    next(one for one in app.button if one.label == "Keep in the draft").click().run()
    assert any("would leave out every page" in str(error.value).replace("\\", "") for error in app.error)
    assert editors.store.rulebooks.draft("main") is None


def test_an_item_is_removed_by_its_button(editors: Office) -> None:
    editors.store.rulebooks.put_draft(RuleSet("main", (NEWS,)))
    app = console("filters")
    assert "Old news misleads" in shown(app)
    press(app, "✕")
    draft = editors.store.rulebooks.draft("main")
    assert draft
    assert draft.book.leave_out == ()


def field(app: AppTest, label: str) -> Any:
    """The first field whose label begins so."""
    return next(one for one in (*app.text_area, *app.text_input) if one.label.startswith(label))


def test_an_answer_is_tried_while_it_is_written_with_what_visitors_asked(
    small_home: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(settings_for(tmp_path / "home"), reranker="")
    settings.snapshots_dir.symlink_to(small_home.snapshots_dir)
    with closing(build_serving(settings)) as parts:
        asked = ("what is the price of a parking permit", "What does parking cost, I am jo@example.org?")
        for number, text in enumerate(asked):
            list(parts.asker.ask(Question(text, f"c{number}", f"m{number}", f"t{number}")))
        with running(parts.records, "editor", previews=parts.previews, mending=parts.mending) as office:
            monkeypatch.setenv("LODGE_API_URL", office.url)
            monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
            app = console("filters")
            app.session_state["filters-part"] = "curated"
            field(app, "Ways to ask it").set_value("What does a parking permit cost?").run()
            offered: Any = app.get("button_group")[0]
            assert "jo@example" not in str(offered.options)
            field(app, "The answer").set_value("**$120** a year.")
            field(app, "How else might one ask?").set_value("how much is a parking permit\nWho won?").run()
            assert not app.exception
            page = shown(app)
            assert "Who would get it" in page
            assert "✓" in page
            assert "✕" in page
            assert any("<strong>$120</strong>" in str(one.proto.body) for one in app.get("html"))
            assert parts.records.rulebooks.draft("main") is None
            next(one for one in app.button if str(one.key).startswith("keep-main")).click().run()
            draft = parts.records.rulebooks.draft("main")
            assert draft
            [kept] = draft.book.curated
            assert kept.phrasings == ("What does a parking permit cost?",)
            assert field(app, "The answer").value == ""


def test_a_link_from_an_answer_fills_the_form_in(editors: Office) -> None:
    app = console("filters", pin="https://example.edu/fees", phrase="parking permit")
    assert [one.value for one in app.text_input if one.label == "The page's address"] == [
        "https://example.edu/fees"
    ]


def test_a_viewer_reads_and_changes_nothing(office: Office) -> None:
    office.store.rulebooks.put_draft(RuleSet("main", (NEWS,)))
    app = console("filters")
    assert not app.exception
    assert "Old news misleads" in shown(app)
    assert [one.label for one in app.button] == []


def test_what_a_page_is_is_corrected_in_plain_words(editors: Office) -> None:
    app = console("filters")
    [page] = [one for one in app.text_input if one.label.startswith("Address of the page")]
    page.set_value("https://example.edu/fees")
    [kind] = [one for one in app.selectbox if one.label == "It is"]
    kind.set_value("reference")
    [meant] = [one for one in app.radio if one.label == "It is meant"]
    meant.set_value("for these:")
    [whom] = [one for one in app.multiselect if one.label == "Whom"]
    whom.set_value(["graduate"])
    forms = [one for one in app.button if one.label == "Keep in the draft"]
    forms[[part.key for part in PARTS].index("labels")].click().run()
    assert not app.exception
    draft = editors.store.rulebooks.draft("main")
    assert draft
    assert [(one.kind, one.audiences) for one in draft.book.labels] == [("reference", ("graduate",))]
    assert "is a page that tells how things are and is for graduate students" in shown(app)
