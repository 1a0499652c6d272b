"""The chat page in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage
from tests.web.scripted import DEADLINE, ScriptedParts

pytestmark = pytest.mark.browser

SLOW_RECORDER = """
() => {
  window.said = [];
  const region = document.querySelector("#announce");
  new MutationObserver(() => window.said.push(region.textContent.trim()))
    .observe(region, {childList: true, characterData: true, subtree: true});
}
"""


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def test_an_answer_streams_in_and_ends_with_its_sources(
    new_page: NewPage, server: str, parts: ScriptedParts
) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "open the gate")
    expect(page.locator(".pending .status")).to_have_text("Searching…")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    parts.asker.gate.set()
    source = page.get_by_role("link", name="Transfer Students")
    expect(source).to_have_attribute("href", "https://www.larkmoor.example/admissions/transfer")
    expect(page.locator(".pending")).to_have_count(0)
    page.get_by_text("Show the passage").first.click()
    expect(page.locator("mark").first).to_have_text(DEADLINE)


def test_the_live_region_says_searching_and_then_the_answer_once(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.evaluate(SLOW_RECORDER)
    ask(page, "When?")
    expect(page.locator(".sources")).to_be_visible()
    said = [text for text in page.evaluate("window.said") if text]
    assert said[0] == "Searching…"
    assert len(said) == 2
    assert said[1].startswith(f"Answer: {DEADLINE}")


def test_a_second_question_knows_the_first(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "One?")
    expect(page.locator(".sources")).to_have_count(1)
    expect(page.get_by_label("Your question")).to_have_value("")
    ask(page, "Two?")
    expect(page.locator(".sources")).to_have_count(2)
    assert parts.asker.asked[1].history[0] == ("user", "One?")


def test_shift_enter_makes_a_line(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.get_by_label("Your question").fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.get_by_label("Your question")).to_have_value("one\ntwo")


def test_a_lost_connection_says_so_and_keeps_the_question(
    new_page: NewPage, server: str, parts: ScriptedParts
) -> None:
    page = new_page()
    page.route("**/chat/events/*", lambda route: route.abort())
    page.goto(f"{server}/chat")
    ask(page, "Is anybody there?")
    expect(page.get_by_role("alert").filter(has_text="connection was lost")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value("Is anybody there?")
    page.unroute("**/chat/events/*")
    page.keyboard.press("Enter")
    expect(page.locator(".sources")).to_be_visible()


def test_a_question_that_cannot_be_sent_stays_in_the_box(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.context.set_offline(True)
    ask(page, "Hello?")
    expect(page.locator("#notice")).to_contain_text("could not be sent")
    expect(page.get_by_label("Your question")).to_have_value("Hello?")
    page.context.set_offline(False)
    page.keyboard.press("Enter")
    expect(page.locator(".sources")).to_be_visible()
    expect(page.locator("#notice")).to_be_empty()


def test_too_long_a_question_says_so_and_stays_in_the_box(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "x" * 201)
    expect(page.locator("#notice")).to_contain_text("200 are the most")
    expect(page.get_by_label("Your question")).to_have_value("x" * 201)


def test_a_failure_on_our_side_keeps_the_question(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "unready")
    expect(page.get_by_role("alert").filter(has_text="not available")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value("unready")


def test_leaving_the_page_ends_the_flow(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.goto("about:blank")
    assert parts.asker.closed.wait(10)


def test_without_script_it_is_a_page_with_a_form(new_page: NewPage, server: str) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{server}/chat")
    for question in ("When is it?", "Any nobel prize?"):
        page.get_by_label("Your question").fill(question)
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".message-text").last).to_have_text(question)
    expect(page.get_by_role("link", name="Transfer Students")).to_be_visible()
    expect(page.get_by_role("link", name="Ask a person")).to_be_visible()
    assert page.url.endswith("/chat?site=main#latest")


def test_a_phone_scrolls_in_one_direction_only(new_page: NewPage, server: str) -> None:
    page = new_page(viewport={"width": 320, "height": 640})
    page.goto(f"{server}/chat")
    ask(page, "When? " + "W" * 60)
    expect(page.locator(".sources")).to_be_visible()
    ask(page, "Any nobel prize?")
    expect(page.locator(".closest")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_targets_are_large_enough(new_page: NewPage, server: str) -> None:
    """WCAG 2.2, 2.5.8: 24 by 24 CSS pixels for what is not inside a sentence."""
    page = new_page(viewport={"width": 320, "height": 640})
    page.goto(f"{server}/chat")
    ask(page, "When?")
    expect(page.locator(".sources")).to_be_visible()
    for target in page.locator("button, summary, textarea, .reference, .page-link, .start-over").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24, target.inner_text()


def test_no_cookie_is_set_and_nothing_of_the_conversation_is_stored(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "When?")
    expect(page.locator(".sources")).to_be_visible()
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.length") == 0
    assert page.evaluate("() => ({...sessionStorage})") == {"htmx-current-path-for-history": "/chat"}


def test_nothing_is_fetched_from_anywhere_else(new_page: NewPage, server: str) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server}/demo")
    page.goto(f"{server}/chat")
    ask(page, "When?")
    expect(page.locator(".sources")).to_be_visible()
    assert [url for url in asked if not url.startswith(server)] == []
