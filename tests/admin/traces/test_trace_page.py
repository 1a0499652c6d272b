"""From a wrong answer to its reason, on the trace page over the small college, as a developer sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from admin.traces.golden_of_trace import offered
from server.models import Question
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from tests import small_site
from tests.admin.conftest import Office, running
from tests.admin.test_console import console, links, press, shown
from tests.small_site import SITE

TUITION = Question("How much is tuition for residents of the state?", "c1", "m1", "t1", strategy="hybrid")


@pytest.fixture
def serving(small_home: Settings, tmp_path: Path) -> Iterator[answering.Serving]:
    """The small college's server, which has answered one question."""
    settings = small_site.settings_for(tmp_path / "home")
    settings.snapshots_dir.symlink_to(small_home.snapshots_dir)
    serving = answering.build_serving(replace(settings, reranker="", refusal_threshold=0.2))
    assert list(serving.asker.ask(TUITION))
    yield serving
    serving.close()


@pytest.fixture
def office(serving: answering.Serving, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    with running(serving.records, "developer", serving.traces) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        yield office


def trace_page() -> AppTest:
    app = console("trace", id="t1")
    assert not app.exception
    return app


def badges(app: AppTest) -> str:
    """What the coloured boxes say."""
    boxes = (app.success, app.warning, app.error)
    return "\n".join(str(box.value) for kind in boxes for box in kind).replace("\\", "")


def test_the_page_tells_gate_topics_evidence_and_where_each_passage_fell(office: Office) -> None:
    app = trace_page()
    page = shown(app).replace("\\", "")
    assert "likely the site's business, its nearest passage at" in page
    assert "✓ enough: an answer takes 0.2" in page
    [table] = app.dataframe
    fates = list(table.value["What became of it"])
    assert fates[0].startswith("✓ cited [1]")
    assert "✕ not read for the answer" in fates
    assert list(table.value)[2:-2] == ["by meaning", "by words", "word by word", "both", "put first", "read"]


def test_the_page_that_should_have_answered_is_told_where_it_fell(office: Office) -> None:
    app = trace_page()
    rows = app.dataframe[0].value
    fallen = rows["Address"][list(rows["What became of it"]).index("✕ not read for the answer")]
    app.text_input(key="should-have").input(fallen).run()
    assert not app.exception
    assert "It came as far as" in badges(app)
    assert set(app.dataframe[1].value["Address"]) == {fallen}


@pytest.mark.parametrize(
    ("path", "words"), [("/archive/2019", "Left out by the rule"), ("/nowhere", "Not known")]
)
def test_a_page_that_is_not_in_the_index_says_why(office: Office, path: str, words: str) -> None:
    app = trace_page()
    app.text_input(key="should-have").input(SITE + path).run()
    assert not app.exception
    assert words in badges(app)


def test_what_is_no_address_is_an_error_on_the_page(office: Office) -> None:
    app = trace_page()
    app.text_input(key="should-have").input("the fees page").run()
    assert "no address of a page" in badges(app)


def test_a_golden_question_takes_the_page_that_should_have_answered_and_the_words(office: Office) -> None:
    app = trace_page()
    app.text_input(key="should-have").input(SITE + "/library#hours").run()
    press(app, "Make this a golden question")
    assert "Say which words a right answer must have" in badges(app)
    assert not office.store.golden.all()
    [words] = [one for one in app.text_input if (one.key or "").endswith("/library-words")]
    words.input("to midnight")
    press(app, "Make this a golden question")
    [golden] = office.store.golden.all()
    assert (golden.question, golden.pages) == (TUITION.text, (SITE + "/library",))
    assert golden.answers == ("to midnight",)
    assert (golden.site, golden.from_trace) == ("main", "t1")
    assert f"This is a golden question; right page: {SITE}/library" in badges(app)
    assert f"id={golden.id}" in [query for _, query in links(app)]
    assert "Make this a golden question" not in [button.label for button in app.button]


def test_a_right_answer_is_kept_with_the_pages_it_cites(office: Office) -> None:
    app = trace_page()
    press(app, "The answer is right: make it a golden question")
    [golden] = office.store.golden.all()
    assert golden.pages == tuple(dict.fromkeys(one["url"] for one in cited(office)))
    assert len(golden.answers) == 1  # a figure of the answer itself
    assert "The answer is right: make it a golden question" not in [button.label for button in app.button]


def cited(office: Office) -> list[dict[str, str]]:
    found: list[dict[str, str]] = office.store.conversations.trace("t1")["answer"]["citations"]
    return found


def test_asking_again_gives_the_same_and_says_so(office: Office) -> None:
    app = trace_page()
    app.button[-2].click().run()
    assert not app.exception
    assert "The same answer from the same places." in badges(app)


def test_another_threshold_is_a_refusal_beside_the_original(office: Office) -> None:
    app = trace_page()
    for label in ("An answer is given from this confidence", "Shown as what seems to answer from"):
        next(slider for slider in app.slider if slider.label == label).set_value(1.0)
    app.button[-1].click().run()
    assert not app.exception
    assert "Another answer: text, refused" in badges(app)
    answers = [text.value for text in app.text]
    assert "$9,240" in answers[-2]
    assert "$9,240" not in answers[-1]
    assert "Now, refusal_threshold 1.0, seems_threshold 1.0" in shown(app).replace("\\", "")
    changed = next(table.value for table in app.dataframe if "name" in table.value)
    assert list(changed.iloc[0]) == ["refusal_threshold", "0.2", "1.0"]


def test_another_strategy_shows_which_passages_moved(office: Office) -> None:
    app = trace_page()
    app.selectbox[0].select("keyword")
    app.button[-1].click().run()
    assert not app.exception
    moved = next(table.value for table in app.dataframe if "" in table.value)
    assert set(moved[""]) <= {"+ new", "✕ gone", "▲ up", "▼ down"}


def test_what_the_server_refuses_is_said_in_place(office: Office) -> None:
    app = trace_page()
    app.selectbox[0].select("keyword+rerank")
    app.button[-1].click().run()
    assert not app.exception
    assert "There is no strategy 'keyword+rerank'" in badges(app)


def test_asking_again_is_offered_to_developers_alone(
    serving: answering.Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(serving.records, "editor", serving.traces) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        app = trace_page()
        assert "A developer can ask the same question again here" in shown(app)
        assert not app.slider


def test_viewers_see_that_it_is_a_golden_question_and_cannot_make_one(
    serving: answering.Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = GoldenQuestion("", "main", TUITION.text, refuse=True, from_trace="t1")
    serving.records.golden.add(kept)
    with running(serving.records, "viewer", serving.traces) as office:
        monkeypatch.setenv("LODGE_API_URL", office.url)
        monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.token)
        app = trace_page()
        assert "This is a golden question; it must not be answered" in badges(app)
        assert not [button for button in app.button if "golden question" in button.label]


@pytest.mark.parametrize(
    ("answer", "page", "right_answer"),
    [
        (None, None, None),
        (None, "https://e.example/", {"page": "https://e.example/"}),
        ({"refused": True}, None, {"refuse": True}),
        ({"refused": False, "citations": []}, None, None),
    ],
)
def test_what_one_click_keeps(
    answer: dict[str, Any] | None, page: str | None, right_answer: dict[str, Any] | None
) -> None:
    assert offered(answer, page)[1] == right_answer
