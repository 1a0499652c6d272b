"""Questions and answers on the chat page, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.visitor import ANNOUNCED, answer_in, ask, has_focus, said, until
from tests.scripted_app import DEADLINE, ScriptedParts, stored

pytestmark = pytest.mark.browser


def test_an_answer_streams_in_and_ends_with_its_sources(page: Page, parts: ScriptedParts) -> None:
    ask(page, "open the gate")
    expect(page.locator(".pending .status")).to_have_text("Searching…")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    parts.asker.gate.set()
    source = page.get_by_role("link", name="Transfer Students")
    expect(source).to_have_attribute(
        "href", re.compile(r"^https://www\.larkmoor\.example/admissions/transfer#:~:text=")
    )
    expect(page.locator(".pending")).to_have_count(0)
    page.get_by_text("Show the passage").first.click()
    expect(page.locator("mark").first).to_have_text(DEADLINE)


@pytest.mark.wcag("4.1.3")
def test_the_live_region_says_searching_and_then_the_answer_once(page: Page) -> None:
    page.evaluate(ANNOUNCED)
    answer_in(page, "When?")
    assert said(page)[0] == "Searching…"
    assert len(said(page)) == 2
    assert said(page)[1].startswith(f"Answer: {DEADLINE}")
    assert page.locator("[aria-live], [role=status], [role=alert]").count() == 2, "and #notice"


def test_a_second_question_knows_the_first(page: Page, parts: ScriptedParts) -> None:
    answer_in(page, "One?")
    expect(page.get_by_label("Your question")).to_have_value("")
    answer_in(page, "Two?")
    assert parts.asker.asked[1].history[0] == ("user", "One?")


def test_shift_enter_makes_a_line(page: Page) -> None:
    page.get_by_label("Your question").fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.get_by_label("Your question")).to_have_value("one\ntwo")


def test_what_one_could_ask_is_asked_by_a_click(page: Page, parts: ScriptedParts) -> None:
    page.get_by_text("Admissions", exact=True).click()
    page.get_by_role("button", name="How do I apply?").click()
    expect(page.locator(".sources")).to_be_visible()
    assert parts.asker.asked[0].text == "How do I apply?"
    expect(page.locator(".welcome")).to_be_hidden()
    assert has_focus(page, ".turn"), "the button that had the focus is gone"
    answer_in(page, "When can I transfer?")
    page.get_by_role("button", name="How do I apply?").click()
    expect(page.locator(".sources")).to_have_count(3)
    assert len({asked.conversation_id for asked in parts.asker.asked}) == 1


def test_an_answer_can_be_stopped(page: Page, parts: ScriptedParts) -> None:
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert").filter(has_text="You stopped this answer")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value("open the gate")
    assert parts.asker.closed.wait(10)
    parts.asker.gate.set()
    page.locator("#question").press("Enter")
    expect(page.locator(".sources")).to_be_visible()


def test_leaving_the_page_ends_the_flow(page: Page, parts: ScriptedParts) -> None:
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.goto("about:blank")
    assert parts.asker.closed.wait(10)


@pytest.mark.wcag("4.1.3")
def test_an_answer_can_be_rated_with_words(page: Page, parts: ScriptedParts) -> None:
    answer_in(page, "When?")
    up, down = (page.get_by_role("button", name=name, exact=True) for name in ("Helpful", "Not helpful"))
    up.focus()
    page.keyboard.press("Enter")
    expect(up).to_have_attribute("aria-pressed", "true")
    expect(up).to_be_focused()
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    expect(up).to_have_attribute("aria-pressed", "false")
    page.get_by_label("It is out of date").check()
    page.get_by_label("In your own words").fill("That was 2019.")
    page.evaluate(ANNOUNCED)
    page.get_by_role("button", name="Send feedback").click()
    expect(page.locator(".thanks")).to_have_text("Thank you. Your words have been noted.")
    assert said(page) == ["Thank you. Your words have been noted."]
    [conversation] = parts.records.search.conversations(limit=1)
    feedback = parts.records.conversations.conversation(conversation.id)["messages"][1]["feedback"]
    assert (feedback["helpful"], feedback["reason"], feedback["comment"]) == (
        False,
        "outdated",
        "That was 2019.",
    )
    page.reload()
    expect(page.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")


@pytest.mark.wcag("4.1.3")
def test_an_answer_can_be_copied_with_its_sources(new_page: NewPage, server: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{server}/chat")
    answer_in(page, "When?")
    page.evaluate(ANNOUNCED)
    page.get_by_role("button", name="Copy").click()
    until(page, lambda: said(page) == ["The answer has been copied."])
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].startswith(DEADLINE)
    assert lines[-2].startswith(
        "Transfer Students <https://www.larkmoor.example/admissions/transfer#:~:text="
    )


@pytest.mark.wcag("3.3.7")
def test_without_script_it_is_a_page_with_forms(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{server}/chat")
    for question in ("When is it?", "Any nobel prize?"):
        page.get_by_label("Your question").fill(question)
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".message-text").last).to_have_text(question)
    assert page.url.endswith("/chat?site=main&lang=en#latest")
    expect(page.get_by_role("link", name="Transfer Students")).to_be_visible()
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    page.get_by_role("button", name="Not helpful").last.click()
    page.get_by_label("Something is missing").check()
    page.get_by_role("button", name="Send feedback").click()
    expect(page.locator(".thanks")).to_have_text("Thank you. Your words have been noted.")
    page.get_by_label("Your question").fill("x" * 201)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#notice")).to_contain_text("longer than 200 characters")
    expect(page.get_by_label("Your question")).to_have_value("x" * 201)
    page.get_by_text("Options").click()
    page.get_by_text("Start over", exact=True).click()
    page.get_by_role("button", name="Erase and start over").click()
    expect(page.locator("#news")).to_be_visible()
    assert stored(parts) == 0


def test_escape_closes_the_menu_first(page: Page) -> None:
    page.get_by_text("Options").click()
    expect(page.locator(".menu-list")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".menu-list")).to_be_hidden()
    expect(page.locator(".menu > summary")).to_be_focused()
