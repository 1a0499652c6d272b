"""The chat page in other languages, in a site's own theme, and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from server.app import WebOptions
from tests.e2e.conftest import NewPage
from tests.e2e.house import ARABIC
from tests.e2e.visitor import answer_in
from tests.scripted_app import ScriptedParts, serving, site_table, web_app

pytestmark = pytest.mark.browser

LOOK = """
(css) => {
  const { backgroundColor, borderRadius, fontFamily } = getComputedStyle(document.querySelector(css));
  return [backgroundColor, borderRadius, fontFamily];
}
"""


@pytest.fixture
def in_arabic(parts: ScriptedParts, tmp_path: Path) -> Iterator[str]:
    """A server that has one more file of messages."""
    (tmp_path / "messages").mkdir()
    (tmp_path / "messages" / "ar.toml").write_text(ARABIC, encoding="utf-8")
    with serving(web_app(WebOptions(messages_dir=tmp_path / "messages"), parts)) as url:
        yield url


def test_the_language_can_be_changed_and_the_conversation_stays(page: Page) -> None:
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


def test_paper_shows_the_conversation_its_passages_and_addresses(page: Page) -> None:
    answer_in(page, "When?")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("mark").first).to_be_visible()
    for unwanted in (".composer", ".menu", ".tools"):
        expect(page.locator(unwanted).first).to_be_hidden()
    after = "getComputedStyle(document.querySelector('.page-link'), '::after').content"
    assert "https://www.larkmoor.example/admissions/transfer" in page.evaluate(after)
