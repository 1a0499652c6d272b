"""The console's pages, driven without a browser against a real admin API."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

import admin
from tests.admin.conftest import Office
from tests.records_db.exchanges import exchange

CONSOLE = Path(admin.__file__).parent / "console.py"


def console(page: str | None = None, **query: str) -> AppTest:
    """The console, at one of its pages."""
    app = AppTest.from_file(CONSOLE, default_timeout=20).run()
    if page:
        app.switch_page(f"views/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    return app.run() if page or query else app


def shown(app: AppTest) -> str:
    """All the text on the page."""
    kinds = (app.title, app.subheader, app.text, app.markdown, app.caption, app.info, app.error)
    return "\n".join(str(element.value) for elements in kinds for element in elements)


def links(app: AppTest) -> list[tuple[str, str]]:
    """Label and query of every page link."""
    return [(link.proto.label, link.proto.query_string) for link in app.get("page_link")]


def test_an_empty_store_says_that_no_one_has_asked(office: Office) -> None:
    app = console()
    assert not app.exception
    assert [info.value for info in app.info] == [
        "No one has asked anything yet. Questions appear here at once."
    ]
    assert "Signed in as viewer" in shown(app)


def test_the_list_is_newest_first_and_marks_refusals(office: Office) -> None:
    office.store.record(exchange(1, question="How much is tuition?"))
    office.store.record(exchange(2, conversation="c2", question="Who *won*?", refused=True))
    app = console()
    assert not app.exception
    assert links(app) == [(r"Who \*won\*\?", "id=c2"), (r"How much is tuition\?", "id=c1")]
    assert sum("1 refused" in str(markdown.value) for markdown in app.markdown) == 1


def test_the_list_turns_pages(office: Office) -> None:
    for number in range(30):
        office.store.record(exchange(number, conversation=f"c{number}"))
    app = console()
    label, query = links(app)[-1]
    assert label == "Older"
    app.query_params["before"] = parse_qs(query)["before"][0]
    app.run()
    assert not app.exception
    assert [query for _, query in links(app)][:5] == ["id=c4", "id=c3", "id=c2", "id=c1", "id=c0"]
    assert links(app)[-1][0] == "Newest"


def test_a_conversation_reads_as_the_visitor_saw_it_with_numbered_sources(office: Office) -> None:
    office.store.record(exchange(1))
    office.store.record(exchange(2, question="And in 1876?", refused=True))
    app = console("conversation", id="c1")
    assert not app.exception
    assert [text.value for text in app.text] == [
        "When does add/drop end?",
        "The last day is 3 February. [1]",
        "And in 1876?",
        "I could not find that.",
    ]
    page = shown(app)
    assert r"**\[1\]** [Dates and deadlines](<https://www.larkmoor.example/registrar/deadlines>)" in page
    assert "Refused: no evidence" in page
    assert "Closest pages: [Tuition and fees]" in page
    assert ("See how this answer came about", "id=t1") in links(app)


def test_a_trace_shows_question_rewrite_table_and_notes(office: Office) -> None:
    office.store.record(exchange())
    app = console("trace", id="t1")
    assert not app.exception
    assert [text.value for text in app.text] == [
        "When does add/drop end?",
        "When is the add/drop deadline?",
        "The last day is 3 February. [1]",
    ]
    [table] = app.dataframe
    assert list(table.value["Page"]) == [
        "Dates and deadlines · Spring term",
        "Tuition and fees · Refunds",
        "Alumni",
    ]
    assert list(table.value["fusion"]) == ["1 · 0.790", "2 · 0.500", "3 · 0.100"]
    assert list(table.value["What became of it"]) == ["✓ cited [1]", *["✕ not read for the answer"] * 2]
    assert [expander.label for expander in app.expander][2] == r"retrieve\.semantic\: 6\.0 ms\, passages\: 2"
    assert '"alpha":0.3' in app.json[1].value.replace(" ", "")
    assert r"15 ms in all" in shown(app)


def test_a_trace_can_be_named_by_hand(office: Office) -> None:
    office.store.record(exchange())
    app = console("trace")
    assert "paste a trace id" in shown(app)
    app.text_input[0].input(" t1 ").run()
    assert len(app.dataframe) == 1


@pytest.mark.parametrize(("page", "sentence"), [("trace", "no trace"), ("conversation", "no conversation")])
def test_an_unknown_id_says_so(office: Office, page: str, sentence: str) -> None:
    app = console(page, id="nobody")
    assert not app.exception
    assert sentence in app.error[0].value


def test_without_a_token_it_asks_and_keeps_it_in_the_session(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LODGE_ADMIN_TOKEN")
    app = console()
    assert app.title[0].value == "Sign in"
    assert not app.error
    app.text_input[0].input("lodge_wrong")
    app.button[0].click().run()
    assert "did not accept" in app.error[0].value
    app.text_input[0].input(office.token)
    app.button[0].click().run()
    assert app.title[0].value == "Conversations"
    app.sidebar.button[0].click().run()
    assert app.title[0].value == "Sign in"


def test_a_revoked_token_leads_back_to_the_form(office: Office) -> None:
    app = console()
    office.store.revoke("reader")
    app.run()
    assert "did not accept the token" in app.error[0].value
    assert app.text_input[0].label == "Admin token"


def test_a_server_that_is_down_says_where_it_looked(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_API_URL", "http://127.0.0.1:1")
    app = console()
    assert not app.exception
    assert "No server answers at http://127.0.0.1:1" in app.error[0].value
    assert app.button[0].label == "Try again"


def test_the_widgets_line_is_written_for_a_site_and_its_choices(office: Office) -> None:
    app = console("widget")
    assert not app.exception
    script, element, origins = (code.value for code in app.code)
    assert script == f'<script src="{office.url}/widget.js" data-site="main" async></script>'
    assert element == '<lodge-chat site="main"></lodge-chat>'
    assert origins == "https://www.larkmoor.example"
    app.text_input(key="address").input("https://ask.larkmoor.example/")
    app.text_input(key="label").input('Ask "Finch"')
    app.selectbox(key="corner").select("left")
    app.selectbox[0].select("library").run()
    assert app.code[0].value == (
        '<script src="https://ask.larkmoor.example/widget.js" data-site="library" '
        'data-label="Ask &quot;Finch&quot;" data-position="left" async></script>'
    )
    assert app.code[2].value == "https://library.larkmoor.example"
