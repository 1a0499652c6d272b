"""The page on what is worth keeping, as an editor works through a sample with it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from admin.labelling import told
from admin.labelling.question import choices
from server.models import Feedback
from server.workbench.labelling.choose import Reason
from server.workbench.labelling.store import Label
from server.workbench.records import open_records
from tests.admin.conftest import Office, running
from tests.admin.test_console import console, links, press, shown
from tests.storage.empty import put_empty_store
from tests.storage.exchanges import DEADLINE, TUITION, as_typed, exchange

NOW = datetime.now(UTC).isoformat()
ASKED = "When does add/drop end?"
REFUSED = "Who won the cup?"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """An editor's, with an answer of today that was rated not helpful, and a refusal."""
    store = open_records(put_empty_store(tmp_path))
    store.conversations.record(as_typed(exchange(1, question=ASKED, asked_at=NOW)))
    store.conversations.record(
        as_typed(exchange(2, conversation="c2", question=REFUSED, refused=True, asked_at=NOW))
    )
    store.conversations.rate(Feedback("c1", "m1", False, "wrong", "", NOW))
    with running(store, "editor") as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office
    store.close()


def drawn(question: str) -> AppTest:
    """The page with a sample, at that question."""
    app = press(console("label"), "Draw")
    if question not in [header.value.replace("\\", "") for header in app.header]:
        app.query_params["question"] = "m1" if question == ASKED else "m2"
        app.run()
    return app


def bar(app: AppTest) -> str:
    [progress] = app.get("progress")
    return str(progress.proto.text)


def test_a_sample_is_drawn_and_shows_why_a_question_is_in_it_and_what_was_shown(desk: Office) -> None:
    app = console("label")
    assert "No sample has been drawn yet." in shown(app)
    app = drawn(ASKED)
    page = shown(app).replace("\\", "")
    assert bar(app) == "0 of 2 labelled"
    for words in (
        "Answered surely, and rated not helpful · Drawn at random",
        "The last day is 3 February. [1]",
        f"[Dates and deadlines](<{DEADLINE.url}>)",
        "None of those drawn at random is labelled yet.",
    ):
        assert words in page


def test_right_keeps_the_cited_page_with_the_words_that_are_proposed(desk: Office) -> None:
    app = drawn(ASKED)
    app.text_input(key="right-m1-words").input("3 February")
    press(app, "Right")
    [golden] = desk.store.golden.all()
    assert (golden.question, golden.pages) == (ASKED, (DEADLINE.url,))
    assert (golden.answers, golden.source) == (("3 February",), "visitors")
    assert bar(app) == "1 of 2 labelled"
    assert "**Of 1 drawn at random, 1 right** (100%)" in shown(app)
    assert ("The golden question", f"id={golden.id}") in links(app)


def test_the_last_label_is_taken_back_with_its_golden_question(desk: Office) -> None:
    app = drawn(REFUSED)
    assert not {"Right", "Partly right"} & {button.label for button in app.button}
    press(app, "The site does not say")
    assert [one.refuse for one in desk.store.golden.all()] == [True]
    press(app, "Take it back")
    assert desk.store.golden.all() == ()
    assert app.header[0].value.replace("\\", "") == REFUSED
    assert bar(app) == "0 of 2 labelled"


def test_a_wrong_answer_is_kept_with_the_page_that_is_right_or_by_its_label_alone(desk: Office) -> None:
    app = drawn(ASKED)
    app.selectbox(key="m1-page").select(TUITION.url).run()
    press(app, "Wrong")
    assert "which words a right answer must have" in app.error[0].value
    assert bar(app) == "0 of 2 labelled"
    app.text_input(key=f"not-m1-{TUITION.url}-words").input("in full")
    press(app, "Wrong")
    assert [(one.pages, one.answers) for one in desk.store.golden.all()] == [((TUITION.url,), ("in full",))]
    press(drawn_again(REFUSED), "Wrong: the site does say")
    assert len(desk.store.golden.all()) == 1
    app.run()
    assert bar(app) == "2 of 2 labelled"
    assert "All are labelled" in app.success[0].value


def drawn_again(question: str) -> AppTest:
    """The sample that is there, in another session."""
    app = console("label", question="m1" if question == ASKED else "m2")
    assert not app.exception
    return app


def test_what_was_labelled_is_looked_at_again_and_labelled_otherwise(desk: Office) -> None:
    app = press(drawn(ASKED), "Not worth keeping")
    [(_, query)] = [one for one in links(app) if "question=m1" in one[1]]
    assert "sample=1" in query
    app = drawn_again(ASKED)
    assert "Labelled before: Not worth keeping." in shown(app)
    press(app, "Partly right")
    assert [one.label for one in desk.store.labels.questions(1) if one.label] == ["partly"]


def test_a_viewer_sees_how_far_it_is_and_labels_nothing(
    desk: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(drawn(ASKED), "Right")
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", desk.store.tokens.create("looker", "viewer", 1))
    app = console("label")
    assert not app.exception
    assert bar(app) == "1 of 2 labelled"
    assert "To label takes an editor." in shown(app)
    assert not {button.label for button in app.button} & {"Draw", *told.LABELS.values(), "Take it back"}


def test_every_label_has_a_key_and_every_reason_words() -> None:
    assert [key for *_, key, _ in choices(refused=False)] == ["1", "2", "3", "4", "5"]
    assert [key for *_, key, _ in choices(refused=True)] == ["3", "4", "5"]
    assert set(told.LABELS) == set(_names(Label))
    assert set(told.REASONS) == set(_names(Reason))


def _names(literal: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = literal.__args__
    return names


@pytest.mark.parametrize(
    ("partly", "words"),
    [
        (0, "(64%); of all, most likely 39% to 84% are right."),
        (2, "(64%) and 2 partly; of all, most likely 39% to 84% are right."),
    ],
)
def test_the_share_is_told_with_its_interval_and_its_number(partly: int, words: str) -> None:
    share = {"n": 14, "right": 9, "partly": partly, "value": 9 / 14, "low": 0.388, "high": 0.837}
    assert told.share(share) == f"**Of 14 drawn at random, 9 right** {words}"
