"""The chat page in a real browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server.app import WebOptions
from server.errors import NotFoundError
from server.http.limits import LimitOptions
from tests.e2e.conftest import NewPage
from tests.e2e.house import ARABIC
from tests.e2e.visitor import answer_in, ask, has_focus, until
from tests.scripted_app import DEADLINE, ScriptedParts, serving, site_table, web_app

pytestmark = pytest.mark.browser

ANNOUNCED = """
() => {
  window.said = [];
  const region = document.querySelector("#announce");
  new MutationObserver(() => window.said.push(region.textContent.trim()))
    .observe(region, {childList: true, characterData: true, subtree: true});
}
"""
NO_STORAGE = """
Object.defineProperty(window, "sessionStorage", {get() { throw new DOMException("no", "SecurityError") }})
"""
LOOK = """
(css) => {
  const { backgroundColor, borderRadius, fontFamily } = getComputedStyle(document.querySelector(css));
  return [backgroundColor, borderRadius, fontFamily];
}
"""


def said(page: Page) -> list[str]:
    """What the live region has said since `ANNOUNCED`."""
    return [text for text in page.evaluate("window.said") if text]


def stored(parts: ScriptedParts) -> int:
    """How many conversations are in the records."""
    return len(parts.records.search.conversations(limit=100))


@pytest.fixture
def in_arabic(parts: ScriptedParts, tmp_path: Path) -> Iterator[str]:
    """A server that has one more file of messages."""
    (tmp_path / "messages").mkdir()
    (tmp_path / "messages" / "ar.toml").write_text(ARABIC, encoding="utf-8")
    with serving(web_app(WebOptions(messages_dir=tmp_path / "messages"), parts)) as url:
        yield url


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
    expect(source).to_have_attribute(
        "href", re.compile(r"^https://www\.larkmoor\.example/admissions/transfer#:~:text=")
    )
    expect(page.locator(".pending")).to_have_count(0)
    page.get_by_text("Show the passage").first.click()
    expect(page.locator("mark").first).to_have_text(DEADLINE)


@pytest.mark.wcag("4.1.3")
def test_the_live_region_says_searching_and_then_the_answer_once(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.evaluate(ANNOUNCED)
    answer_in(page, "When?")
    assert said(page)[0] == "Searching…"
    assert len(said(page)) == 2
    assert said(page)[1].startswith(f"Answer: {DEADLINE}")
    assert page.locator("[aria-live], [role=status], [role=alert]").count() == 2, "and #notice"


def test_a_second_question_knows_the_first(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    answer_in(page, "One?")
    expect(page.get_by_label("Your question")).to_have_value("")
    answer_in(page, "Two?")
    assert parts.asker.asked[1].history[0] == ("user", "One?")


def test_shift_enter_makes_a_line(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.get_by_label("Your question").fill("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.get_by_label("Your question")).to_have_value("one\ntwo")


def test_what_one_could_ask_is_asked_by_a_click(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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
def test_offline_says_so_and_keeps_the_question(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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
def test_the_limit_is_told_before_counted_and_explained(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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
def test_an_empty_question_is_explained_in_words(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").filter(has_text="Please type a question first.")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_accessible_description(
        "At most 200 characters. Please type a question first."
    )


def test_a_failure_on_our_side_keeps_the_question(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "unready")
    expect(page.get_by_role("alert").filter(has_text="not available")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value("unready")


def test_an_answer_can_be_stopped(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert").filter(has_text="You stopped this answer")).to_be_visible()
    expect(page.get_by_label("Your question")).to_have_value("open the gate")
    assert parts.asker.closed.wait(10)
    parts.asker.gate.set()
    page.locator("#question").press("Enter")
    expect(page.locator(".sources")).to_be_visible()


def test_leaving_the_page_ends_the_flow(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.goto("about:blank")
    assert parts.asker.closed.wait(10)


def test_a_reload_brings_the_conversation_back_and_a_new_tab_does_not(
    new_page: NewPage, server: str, parts: ScriptedParts
) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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
    new_page: NewPage, server: str, parts: ScriptedParts
) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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


def test_an_answer_under_way_is_erased_as_well(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")
    page.get_by_text("Options").click()
    page.get_by_text("Start over", exact=True).click()
    page.get_by_role("button", name="Erase and start over").click()
    expect(page.locator("#news")).to_be_visible()
    parts.asker.gate.set()
    assert parts.asker.closed.wait(10)
    until(page, lambda: stored(parts) == 0)


def test_the_conversation_can_be_saved(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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


@pytest.mark.wcag("4.1.3")
def test_an_answer_can_be_rated_with_words(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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


def test_the_language_can_be_changed_and_the_conversation_stays(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    answer_in(page, "When?")
    page.get_by_text("Options").click()
    page.get_by_role("link", name="Español").click()
    expect(page.get_by_role("heading", name="Fuentes")).to_be_visible()
    expect(page.locator(".answer-text")).to_have_attribute("lang", "en")
    expect(page.get_by_role("button", name="Enviar")).to_be_visible()


@pytest.mark.wcag("1.3.2", "3.1.1")
def test_a_language_from_right_to_left_is_one_more_file(new_page: NewPage, in_arabic: str) -> None:
    page = new_page(viewport={"width": 320, "height": 640})
    page.goto(f"{in_arabic}/chat?lang=ar")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    answer_in(page, "When?")
    send, box = (
        page.get_by_role("button", name="إرسال").bounding_box(),
        page.locator("#question").bounding_box(),
    )
    assert send
    assert box
    assert send["x"] < box["x"]
    assert page.evaluate("getComputedStyle(document.querySelector('.answer-text')).direction") == "ltr"
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_sites_theme_is_its_own(new_page: NewPage, server: str, parts: ScriptedParts) -> None:
    parts.sites = site_table(main={"theme": {"colour": "#7a1f2b", "corner_px": 0, "font": "Georgia"}})
    with serving(web_app(WebOptions(), parts)) as red:
        page = new_page()
        page.goto(f"{red}/chat")
        assert page.evaluate(LOOK, ".ask button") == ["rgb(122, 31, 43)", "0px", "Georgia"]
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(LOOK, ".ask button")[0] != "rgb(122, 31, 43)"


def test_escape_closes_the_menu_first(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    page.get_by_text("Options").click()
    expect(page.locator(".menu-list")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".menu-list")).to_be_hidden()
    expect(page.locator(".menu > summary")).to_be_focused()


def test_paper_shows_the_conversation_its_passages_and_addresses(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    answer_in(page, "When?")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("mark").first).to_be_visible()
    for unwanted in (".composer", ".menu", ".tools"):
        expect(page.locator(unwanted).first).to_be_hidden()
    after = "getComputedStyle(document.querySelector('.page-link'), '::after').content"
    assert "https://www.larkmoor.example/admissions/transfer" in page.evaluate(after)


def test_no_cookie_is_set_and_nothing_but_the_conversations_id_is_stored(
    new_page: NewPage, server: str, parts: ScriptedParts
) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
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
    new_page: NewPage, server: str, parts: ScriptedParts
) -> None:
    page = new_page()
    page.goto(f"{server}/chat")
    answer_in(page, "When?")
    [conversation] = parts.records.search.conversations(limit=1)
    parts.records.conversations.erase(conversation.id, "main")
    with pytest.raises(NotFoundError):
        parts.records.conversations.conversation(conversation.id)
    page.reload()
    page.wait_for_load_state("networkidle")
    expect(page.locator(".message-text")).to_have_count(0)
    answer_in(page, "Again?")


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
