"""The pages on golden questions, as an editor works with them."""

from __future__ import annotations

import threading

import pytest
from streamlit.testing.v1 import AppTest

from server.models.golden import GoldenOutcome, GoldenQuestion
from server.workbench.job_store import OPEN
from server.workbench.jobs import JobProgress, Jobs
from tests.admin.conftest import Office
from tests.admin.test_console import console, links, press, shown
from tests.scripted_app import CITATIONS

TRANSFER = GoldenQuestion(
    "transfer", "main", "When do *transfers* apply?", (CITATIONS[0].url,), topic="admissions"
)
NOBEL = GoldenQuestion("nobel", "main", "Who won the Nobel prize?", refuse=True)


def page(app: AppTest) -> str:
    """All its words, without Markdown's backslashes."""
    boxes = (app.success, app.warning)
    return (shown(app) + "".join(str(box.value) for kind in boxes for box in kind)).replace("\\", "")


def note(office: Office, *failures: tuple[str, str | None]) -> None:
    outcomes = [GoldenOutcome(own, why, f"said of {own}", ("https://e.example/",)) for own, why in failures]
    office.store.golden.note_run(
        outcomes, site="main", occasion="asked", snapshot="s1", strategy="hybrid", by="ana"
    )


def ended(jobs: Jobs) -> None:
    for _ in range(10_000):
        if all(job.state not in OPEN for job in jobs.all()):
            return
        threading.Event().wait(0.001)


def test_without_any_it_says_what_to_do(office: Office) -> None:
    app = console("golden")
    assert not app.exception
    assert "Open a wrong answer in Conversations" in app.info[0].value
    assert ("New golden question", "site=main") in links(app)


def test_an_editor_asks_them_all_and_sees_what_flipped(office: Office, jobs: Jobs) -> None:
    for golden in (TRANSFER, NOBEL):
        office.store.golden.put(golden)
    note(office, ("transfer", None), ("nobel", "It is answered, and should not be."))
    app = console("golden")
    assert "1 right, ✕ 1 wrong" in page(app)
    assert "– Not asked" not in page(app)
    press(app, "Ask them all now")
    ended(jobs)
    app.run()
    assert "2 right, ✕ 0 wrong" in page(app)
    assert "0 broke, 1 was mended, 1 came out the same." in page(app)
    assert ("**Who won the Nobel prize\\?**", "id=nobel") in links(app)


def test_a_run_under_way_shows_how_far_it_is_and_can_be_stopped(office: Office, jobs: Jobs) -> None:
    office.store.golden.put(NOBEL)
    begun, go_on = threading.Event(), threading.Event()

    def work(progress: JobProgress) -> None:
        progress.at(3, 14, "Who won?")
        begun.set()
        assert go_on.wait(20)
        progress.at(4, 14)

    jobs.start("golden", "main", "ana", work)
    assert begun.wait(10)
    app = console("golden")
    assert [bar.proto.text for bar in app.get("progress")] == [r"Asking 4 of 14: Who won\?"]
    assert "Ask them all now" not in [button.label for button in app.button]
    press(app, "Stop")
    go_on.set()
    ended(jobs)
    app.run()
    assert "stopped before its end" in page(app)


def test_a_run_that_failed_says_why(office: Office, jobs: Jobs) -> None:
    office.store.golden.put(NOBEL)

    def work(_: JobProgress) -> None:
        raise ZeroDivisionError

    jobs.start("golden", "main", "ana", work)
    ended(jobs)
    app = console("golden")
    assert "came to no end" in page(app)
    assert "They have not been asked yet." in page(app)


def test_the_list_is_narrowed_and_turns_pages(office: Office) -> None:
    for number in range(30):
        office.store.golden.put(GoldenQuestion(f"q{number:02}", "main", f"Question {number:02}?"))
    note(office, *((f"q{number:02}", "It is not answered." if number == 7 else None) for number in range(29)))
    app = console("golden")
    own = [query for _, query in links(app) if query.startswith("id=")]
    assert (own[:2], len(own)) == (["id=q07", "id=q29"], 25)
    assert links(app)[-1] == ("Next", "site=main&page=2")
    app.query_params["page"] = "2"
    app.run()
    assert len([query for _, query in links(app) if query.startswith("id=")]) == 5
    box = next(box for box in app.selectbox if box.label == "Show")
    assert box.options == [
        "All (30)", "Wrong now (1)", "Known gaps (0)", "Right now (28)", "Not asked yet (1)",
    ]  # fmt: skip
    box.select("failed")
    press(app, "Find")
    assert [query for _, query in links(app) if query.startswith("id=")] == ["id=q07"]
    assert "✕ It is not answered." in page(app)
    app = console("golden", text="nobody wrote this")
    assert "No golden question is like that." in page(app)


def test_one_question_shows_its_last_answer_and_its_history(office: Office) -> None:
    office.store.golden.put(TRANSFER)
    note(office, ("transfer", None))
    note(office, ("transfer", "None of its right pages is cited."))
    app = console("golden_question", id="transfer")
    assert not app.exception
    text = page(app)
    assert "✕ None of its right pages is cited." in text
    assert "said of transfer" in text
    assert f"Has to cite [{CITATIONS[0].url}]" in text
    assert "Oldest to newest: ✓ ✕" in text
    [table] = app.dataframe
    assert list(table.value["Outcome"]) == ["✕ None of its right pages is cited.", "✓ Right"]
    assert set(table.value["By"]) == {"ana"}


def test_an_editor_changes_and_removes_one(office: Office) -> None:
    office.store.golden.put(TRANSFER)
    app = console("golden_question", id="transfer")
    pages, answers = app.text_area[1], app.text_area[2]
    assert pages.value == CITATIONS[0].url
    answers.input(" March 1 \n\nOctober 15")
    press(app, "Keep")
    assert office.store.golden.get("transfer").answers == ("March 1", "October 15")
    assert "Kept." in page(app)
    app.text_area[0].input(" ")
    assert "The question is empty" in page(press(app, "Keep"))
    press(app, "Remove this golden question")
    assert office.store.golden.all() == ()
    assert app.title[0].value == "Golden questions"


def test_a_new_one_is_kept_under_a_name_of_its_words(office: Office) -> None:
    app = console("golden_question", site="library")
    assert app.title[0].value == "New golden question"
    app.text_area[0].input("Who won the chess cup?")
    app.checkbox[0].check()
    press(app, "Keep")
    assert office.store.golden.all() == (
        GoldenQuestion("who-won-the-chess-cup", "library", "Who won the chess cup?", refuse=True),
    )
    assert "It must not be answered" in page(app)


def test_viewers_see_everything_and_change_nothing(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.store.golden.put(TRANSFER)
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.store.tokens.create("viewer", "viewer", 1))
    for app in (console("golden"), console("golden_question", id="transfer")):
        assert not app.exception
        assert not {button.label for button in app.button} & {
            "Ask them all now",
            "Keep",
            "Remove this golden question",
        }
    assert "An editor makes them" not in page(console("golden"))
