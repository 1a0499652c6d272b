"""What a visitor is told on the chat page where a question cannot be asked or answered, and keeps of it."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from server.app import WebOptions
from server.http.limits import LimitOptions
from tests.e2e.conftest import NewPage
from tests.e2e.visitor import answer_in, ask
from tests.scripted_app import ScriptedParts, serving, web_app

pytestmark = pytest.mark.browser


@pytest.mark.wcag("3.3.7", "4.1.3")
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


@pytest.mark.wcag("3.3.7", "4.1.3")
def test_offline_says_so_and_keeps_the_question(page: Page) -> None:
    page.context.set_offline(True)
    expect(page.get_by_role("alert").filter(has_text="You are offline")).to_be_visible()
    ask(page, "Hello?")
    expect(page.locator("#notice")).to_contain_text("could not be sent")
    expect(page.get_by_label("Your question")).to_have_value("Hello?")
    page.context.set_offline(False)
    expect(page.locator("#notice")).to_be_empty()
    page.keyboard.press("Enter")
    expect(page.locator(".sources")).to_be_visible()


def test_the_counter_counts_as_the_pages_language_does(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat?lang=es")
    box, counter = page.get_by_label("Su pregunta"), page.locator("#limit")
    box.fill("x" * 199)
    expect(counter).to_have_text("Queda 1 carácter")
    box.fill("x" * 203)
    expect(counter).to_have_text("Sobran 3 caracteres")


@pytest.mark.wcag("3.3.1", "3.3.2", "3.3.3")
def test_the_limit_is_told_before_counted_and_explained(page: Page) -> None:
    box, counter = page.get_by_label("Your question"), page.locator("#limit")
    expect(box).to_have_accessible_description("At most 200 characters.")
    box.fill("x" * 150)
    expect(counter).to_have_attribute("data-quiet", "")
    box.fill("x" * 165)
    expect(counter).to_have_text("35 characters left")
    expect(counter).to_be_in_viewport()
    box.fill("x" * 199)
    expect(counter).to_have_text("1 character left")
    box.fill("x" * 199 + "🎓")
    expect(counter).to_have_text("0 characters left")
    box.fill("x" * 202)
    expect(counter).to_have_text("2 characters too many")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="longer than 200 characters")).to_be_visible()
    expect(box).to_have_value("x" * 202)
    expect(box).to_have_attribute("aria-invalid", "true")
    answer_in(page, "Shorter?")
    expect(page.locator("#notice")).to_be_empty()
    expect(box).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.wcag("3.3.1", "3.3.3")
def test_an_empty_question_is_explained_in_words(page: Page) -> None:
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Please type a question first.")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_accessible_description(
        "At most 200 characters. Please type a question first."
    )


def test_a_failure_on_our_side_keeps_the_question(page: Page) -> None:
    ask(page, "unready")
    expect(page.get_by_role("alert").filter(has_text="not available")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value("unready")


def test_after_too_many_questions_the_page_counts_down_and_then_lets_one_ask(
    parts: ScriptedParts, new_page: NewPage
) -> None:
    options = WebOptions(limits=LimitOptions(site="1 per 6 second"))
    with serving(web_app(options, parts)) as url:
        page = new_page()
        page.goto(f"{url}/chat?site=main")
        # The window slides in buckets of six seconds: one more gets in where one ends between the questions.
        time.sleep(6 - time.time() % 6)
        ask(page, "hello")
        expect(page.locator(".answer .tools")).to_have_count(1)
        ask(page, "hello again")
        problem = page.locator("#notice .problem")
        expect(problem.locator("[aria-hidden]")).to_contain_text(re.compile(r"again in \d+ seconds"))
        expect(page.locator("#question")).to_have_value("hello again")
        expect(problem).to_have_count(0)
        expect(page.locator("#announce")).to_have_text("You can ask again now.")
        page.locator("#question").press("Enter")
        expect(page.locator(".answer .tools")).to_have_count(2)
