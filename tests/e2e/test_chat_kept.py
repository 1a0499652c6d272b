"""What the chat page keeps of a conversation, where, and how it is erased."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server.errors import NotFoundError
from tests.e2e.conftest import NewPage
from tests.e2e.visitor import answer_in, ask, until
from tests.scripted_app import DEADLINE, ScriptedParts, stored

pytestmark = pytest.mark.browser

NO_STORAGE = """
Object.defineProperty(window, "sessionStorage", {get() { throw new DOMException("no", "SecurityError") }})
"""


def test_a_reload_brings_the_conversation_back_and_a_new_tab_does_not(
    page: Page, server: str, parts: ScriptedParts
) -> None:
    answer_in(page, "One?")
    page.reload()
    expect(page.locator(".message-text")).to_have_text("One?")
    answer_in(page, "Two?")
    assert parts.asker.asked[1].history[0] == ("user", "One?")
    page.reload()
    expect(page.locator(".message-text")).to_have_text(["One?", "Two?"])
    other = page.context.new_page()
    other.goto(f"{server}/chat")
    other.wait_for_load_state("networkidle")
    expect(other.locator(".message-text")).to_have_count(0)
    library = page.context.new_page()
    library.goto(f"{server}/chat?site=library")
    expect(library.locator(".message-text")).to_have_count(0)


def test_where_a_browser_lets_nothing_be_stored_the_page_works_and_forgets(
    new_page: NewPage, server: str
) -> None:
    page = new_page()
    page.add_init_script(NO_STORAGE)
    page.goto(f"{server}/chat")
    answer_in(page, "One?")
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(page.locator(".message-text")).to_have_count(0)


@pytest.mark.wcag("3.3.4")
def test_starting_over_asks_first_and_then_erases_on_the_server_too(
    page: Page, server: str, parts: ScriptedParts
) -> None:
    answer_in(page, "My secret?")
    assert stored(parts) == 1
    page.get_by_text("Options").click()
    page.get_by_text("Start over", exact=True).click()
    expect(page.get_by_text("It cannot be undone.")).to_be_visible()
    assert stored(parts) == 1
    page.get_by_role("button", name="Erase and start over").click()
    expect(page.locator("#news")).to_have_text("The conversation has been erased, here and on the server.")
    expect(page.locator("#announce")).to_have_text(
        "The conversation has been erased, here and on the server."
    )
    assert stored(parts) == 0
    page.goto(f"{server}/chat")
    page.wait_for_load_state("networkidle")
    expect(page.locator(".message-text")).to_have_count(0)


def test_an_answer_under_way_is_erased_as_well(page: Page, parts: ScriptedParts) -> None:
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.get_by_text("Options").click()
    page.get_by_text("Start over", exact=True).click()
    page.get_by_role("button", name="Erase and start over").click()
    expect(page.locator("#news")).to_be_visible()
    parts.asker.gate.set()
    assert parts.asker.closed.wait(10)
    until(page, lambda: stored(parts) == 0)


def test_the_conversation_can_be_saved(page: Page) -> None:
    answer_in(page, "When?")
    page.get_by_text("Options").click()
    with page.expect_download() as text:
        page.get_by_role("button", name="Save as text").click()
    assert DEADLINE in Path(text.value.path()).read_text(encoding="utf-8")
    with page.expect_download() as data:
        page.get_by_role("button", name="Save as data").click()
    saved = json.loads(Path(data.value.path()).read_text(encoding="utf-8"))
    assert saved["conversation"][0]["question"] == "When?"
    expect(page.locator(".message-text")).to_have_text("When?")


def test_no_cookie_is_set_and_nothing_but_the_conversations_id_is_stored(
    page: Page, parts: ScriptedParts
) -> None:
    assert page.evaluate("() => ({...sessionStorage})") == {"htmx-current-path-for-history": "/chat"}
    answer_in(page, "When?")
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.length") == 0
    assert page.evaluate("() => ({...sessionStorage})") == {
        "htmx-current-path-for-history": "/chat",
        "lodge:main": parts.asker.asked[0].conversation_id,
    }


def test_nothing_is_fetched_from_anywhere_else(new_page: NewPage, server: str) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server}/demo")
    page.goto(f"{server}/chat")
    answer_in(page, "When?")
    assert [url for url in asked if not url.startswith(server)] == []


def test_a_conversation_that_is_gone_from_the_records_is_gone_from_the_tab(
    page: Page, parts: ScriptedParts
) -> None:
    answer_in(page, "When?")
    [conversation] = parts.records.search.conversations(limit=1)
    parts.records.conversations.erase(conversation.id, "main")
    with pytest.raises(NotFoundError):
        parts.records.conversations.conversation(conversation.id)
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(page.locator(".message-text")).to_have_count(0)
    answer_in(page, "Again?")
