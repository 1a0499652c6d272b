"""The trace page in a real browser, over the small college: what became of a page, and asking again."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console
from tests.small_site import SITE


def test_a_developer_sees_where_a_page_was_lost_and_asks_again(console: Console, new_page: NewPage) -> None:
    console.ask("How much is tuition for residents of the state?", "trace", strategy="hybrid")
    page = new_page(viewport={"width": 1400, "height": 1000})
    console.visit(page, "developer", "trace?id=t-trace")
    expect(page.get_by_role("heading", name="Passages, and where each fell")).to_be_visible()
    expect(page.get_by_text("▲ moved up")).to_be_visible()
    box = page.get_by_label("Its address")
    box.fill(SITE + "/archive/2019")
    box.press("Enter")
    expect(page.get_by_text("It was left out of the index (archive)")).to_be_visible()
    words = page.get_by_label("Words that a right answer must have")
    words.fill("$9,800")
    words.press("Tab")
    page.get_by_role("button", name="Make this a golden question").click()
    expect(page.get_by_text(f"This is a golden question; right page: {SITE}/archive/2019")).to_be_visible()
    expect(page.get_by_role("button", name="Make this a golden question")).to_have_count(0)
    page.get_by_role("button", name="Ask again as it is now").click()
    expect(page.get_by_text("The same answer from the same places.")).to_be_visible()
    expect(page.get_by_text("Now, with the live settings")).to_be_visible()
