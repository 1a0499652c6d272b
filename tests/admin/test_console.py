"""The console's pages, driven without a browser against a real admin API."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

import admin
from admin import session
from server.models import Caution, Feedback, PlainContact
from server.models.curation import Notice
from tests.admin.conftest import Office
from tests.storage.exchanges import exchange

CONSOLE = Path(admin.__file__).parent / "console.py"


# The folder of each page.
FEATURES = {
    "audit": "access",
    "conversation": "conversations",
    "conversations": "conversations",
    "coverage": "coverage",
    "crawl": "crawls",
    "evaluation": "evaluations",
    "blind": "evaluations",
    "feedback": "conversations",
    "filters": "curation",
    "gap": "gaps",
    "gaps": "gaps",
    "golden": "golden",
    "golden_question": "golden",
    "judge": "coverage",
    "label": "labelling",
    "notifications": "notifications",
    "owned": "owners",
    "owners": "owners",
    "overview": "coverage",
    "snapshots": "snapshots",
    "trace": "traces",
    "widget": "sites",
}


def console(page: str | None = "conversations", **query: str) -> AppTest:
    """The console, at one of its pages."""
    app = AppTest.from_file(CONSOLE, default_timeout=20).run()
    if page:
        app.switch_page(f"{FEATURES[page]}/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    return app.run() if page or query else app


def press(app: AppTest, label: str) -> AppTest:
    """The page after the one button of that label."""
    [button] = [one for one in app.button if one.label == label]
    button.click().run()
    assert not app.exception
    return app


def shown(app: AppTest) -> str:
    """All the text on the page."""
    kinds = (app.title, app.header, app.subheader, app.text, app.markdown, app.caption, app.info, app.error)
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
    office.store.conversations.record(exchange(1, question="How much is tuition?"))
    office.store.conversations.record(exchange(2, conversation="c2", question="Who *won*?", refused=True))
    app = console()
    assert not app.exception
    assert links(app) == [(r"Who \*won\*\?", "id=c2"), (r"How much is tuition\?", "id=c1")]
    assert sum("1 refused" in str(markdown.value) for markdown in app.markdown) == 1


def test_the_list_turns_pages(office: Office) -> None:
    for number in range(30):
        office.store.conversations.record(exchange(number, conversation=f"c{number}"))
    app = console()
    label, query = links(app)[-1]
    assert label == "Older"
    app.query_params["before"] = parse_qs(query)["before"][0]
    app.run()
    assert not app.exception
    assert [query for _, query in links(app)][:5] == ["id=c4", "id=c3", "id=c2", "id=c1", "id=c0"]
    assert links(app)[-1][0] == "Newest"


def test_a_conversation_reads_as_the_visitor_saw_it_with_numbered_sources(office: Office) -> None:
    office.store.conversations.record(exchange(1))
    office.store.conversations.record(exchange(2, question="And in 1876?", refused=True))
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
    assert "Refused: nothing found that answers" in page
    assert "Closest pages: [Tuition and fees]" in page
    assert ("See how this answer came about", "id=t1") in links(app)


def test_a_trace_shows_question_rewrite_table_and_notes(office: Office) -> None:
    office.store.conversations.record(exchange())
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
    assert list(table.value["both"]) == ["1 · 0.790", "2 · 0.500", "3 · 0.100"]
    assert list(table.value["What became of it"]) == ["✓ cited [1]", *["✕ not read for the answer"] * 2]
    assert [expander.label for expander in app.expander][2] == r"retrieve\.semantic\: 6\.0 ms\, passages\: 2"
    assert '"alpha":0.3' in app.json[1].value.replace(" ", "")
    assert r"15 ms in all" in shown(app)


def test_a_trace_can_be_named_by_hand(office: Office) -> None:
    office.store.conversations.record(exchange())
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
    office.store.tokens.revoke("reader")
    app.run()
    assert "did not accept the token" in app.error[0].value
    assert app.text_input[0].label == "Admin token"


def test_a_server_that_is_down_says_where_it_looked(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_API_URL", "http://127.0.0.1:1")
    app = console()
    assert not app.exception
    assert "No server answers at http://127.0.0.1:1" in app.error[0].value.replace("\\", "")
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


def test_a_developer_sees_who_changed_what_and_what_it_was(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.store.tokens.create("dev", "developer", 1))
    office.store.curation.put_notice(
        Notice("snow", "main", "Closed *today*.", "2999-01-01T00:00:00+00:00"), by="ana"
    )
    office.store.curation.remove_notice("snow", by="ben")
    app = console("audit")
    assert not app.exception
    labels = [expander.label for expander in app.expander]
    assert [label.partition(" · ")[2] for label in labels] == [
        "**ben** removed notice snow",
        "**ana** made notice snow",
        r"**command line** made token dev",
        r"**command line** made token reader",
    ]
    assert "Closed *today*." in list(app.table[0].value["Before"])
    app.selectbox[0].select("notice")
    app.text_input[0].input("ana")
    app.button[0].click().run()
    assert len(app.expander) == 1


def test_the_log_is_not_for_others(office: Office) -> None:
    app = console("audit")
    assert not app.exception
    assert "takes the role developer" in app.error[0].value


def test_what_a_role_may_not_open_is_not_in_its_menu() -> None:
    menus = {role: session.offered(role, "developer") for role in ("viewer", "editor", "developer")}
    assert menus == {"viewer": "hidden", "editor": "hidden", "developer": "visible"}
    assert session.offered(None, "developer") == "visible"  # who has not signed in yet may be anyone


def test_the_log_turns_pages(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.store.tokens.create("dev", "developer", 1))
    for number in range(30):
        office.store.curation.put_notice(Notice(f"n{number}", "main", "Closed.", "2999-01-01T00:00:00+00:00"))
    app = console("audit")
    label, query = links(app)[-1]
    assert (label, len(app.expander)) == ("Older", 25)
    app.query_params["before"] = parse_qs(query)["before"][0]
    app.run()
    assert len(app.expander) == 7
    assert links(app)[-1][0] == "Newest"


def test_an_editor_finds_conversations_and_clears_the_search(office: Office) -> None:
    office.store.conversations.record(exchange(1, topic="aid"))
    office.store.conversations.record(exchange(2, conversation="c2", question="Who won?", refused=True))
    office.store.conversations.rate(Feedback("c2", "m2", False, "wrong", "", "2026-03-04T00:00:00+00:00"))
    app = console()
    choices = {box.label: box.options for box in app.selectbox}
    assert choices["Topic"] == ["any", "aid"]
    assert choices["Answered by"] == ["any", "quoting the site"]
    boxes = {box.label: box for box in app.selectbox}
    boxes["Outcome"].select("Refused")
    boxes["Visitor's rating"].select("Not helpful")
    app.text_input[0].input("won")
    app.button[0].click().run()
    assert not app.exception
    assert links(app) == [("Show all", ""), (r"Who won\?", "id=c2")]
    assert {name: app.query_params[name] for name in app.query_params} == {
        "outcome": "Refused",
        "rating": "Not helpful",
        "text": "won",
    }


def test_what_nobody_asked_says_so_and_keeps_the_search(office: Office) -> None:
    office.store.conversations.record(exchange())
    app = console(
        "conversations", text="nobody wrote this", topic="gone", since="2026-01-01", until="tomorrow"
    )
    assert not app.exception
    assert [info.value for info in app.info] == ["No conversation is like that."]
    assert app.text_input[0].value == "nobody wrote this"
    assert [box.value for box in app.selectbox if box.label == "Topic"] == ["gone"]
    assert not app.get("download_button")


def test_older_pages_of_a_search_are_of_the_same_search(office: Office) -> None:
    for number in range(60):
        office.store.conversations.record(
            exchange(number, conversation=f"c{number}", refused=number % 2 == 0)
        )
    app = console("conversations", outcome="Refused")
    label, query = links(app)[-1]
    assert (label, parse_qs(query)["outcome"]) == ("Older", ["Refused"])
    app.query_params["before"] = parse_qs(query)["before"][0]
    app.run()
    assert [query for _, query in links(app)][1:6] == ["id=c8", "id=c6", "id=c4", "id=c2", "id=c0"]
    assert links(app)[-1] == ("Newest", "outcome=Refused")


def test_what_is_found_can_be_exported(office: Office) -> None:
    office.store.conversations.record(exchange())
    labels = [button.proto.label for button in console().get("download_button")]
    assert labels == ["CSV, for spreadsheets", "JSON lines", "Parquet"]


def test_what_is_personal_is_not_shown_and_what_the_visitor_thought_is(office: Office) -> None:
    office.store.conversations.record(
        exchange(
            question="I am ana@example.edu",
            notices=("Closed *today*.",),
            contacts=(PlainContact("Registrar", phone="(802) 555-0110"),),
            as_of="2026-01-05",
            cautions=(Caution("past_term", 1, "2025-fall"),),
        )
    )
    office.store.conversations.rate(
        Feedback("c1", "m1", False, "off_topic", "call 802-555-0199", "2026-03-04T00:00:00+00:00")
    )
    app = console("conversation", id="c1")
    assert not app.exception
    page = shown(app) + "".join(str(warning.value) for warning in app.warning)
    assert "I am [e-mail 1]" in page
    assert "call [phone 1]" in page
    assert "ana@" not in page
    for seen in (
        r"Closed \*today\*\.",
        r"Registrar\: \(802\) 555\-0110",
        r"As of 2026\-01\-05",
        r"\[1\]",
        "off topic",
    ):
        assert seen in page, seen
    assert "The visitor did not find this helpful" in page


def test_a_developer_holds_a_conversation_and_erases_it(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODGE_ADMIN_TOKEN", office.store.tokens.create("dev", "developer", 1))
    office.store.conversations.record(exchange(1, conversation="c1"))
    app = console("conversation", id="c1")
    assert "Privacy" in shown(app)
    app.text_input[0].input("Case 14")
    next(button for button in app.button if button.label == "Hold").click().run()
    assert any("Case 14" in str(warning.value) for warning in app.warning)
    assert not any(button.label == "Erase" for button in app.button)
    next(button for button in app.button if button.label == "End the hold").click().run()
    assert office.store.conversations.conversation("c1")["hold"] is None
    app.checkbox[0].check()
    next(button for button in app.button if button.label == "Erase").click().run()
    assert not app.exception
    assert office.store.search.conversations(limit=5) == []


def test_a_viewer_sees_a_hold_and_can_do_nothing_about_it(office: Office) -> None:
    office.store.conversations.record(exchange(1, conversation="c1"))
    office.store.retention.hold("c1", "Case 14")
    app = console("conversation", id="c1")
    assert any("On legal hold" in str(warning.value) for warning in app.warning)
    assert "Privacy" not in shown(app)
