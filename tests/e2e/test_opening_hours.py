"""An editor sees what was understood of a place's hours, corrects it, and a visitor is told."""

from __future__ import annotations

import re
from contextlib import suppress

from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.e2e.axe import findings
from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console, idle

OPEN_ON_SATURDAY = "Is Harbour Library open on Saturday?"
# "on Saturday", "tomorrow, Saturday", "today, Saturday": it is asked on the day that the test runs.
CLOSED_ON_SATURDAY = re.compile(r"No\. Harbour Library is closed (?:on|today,|tomorrow,) Saturday")
WEEK = "Mon–Fri 9 a.m.–5 p.m.; closed Saturday and Sunday"


def ours(page: Page) -> list[str]:
    """What axe-core finds in what the page shows, the navigation and header of the console apart."""
    return findings(page, within='[data-testid="stMainBlockContainer"]')


def say(page: Page, hours: str) -> None:
    """The hours in the form; only what has left the field is sent."""
    field = page.get_by_label("Hours", exact=True)
    field.fill(hours)
    field.press("Tab")


def ask_what_is_told(page: Page) -> None:
    """Once more where the click was lost all the same."""
    for _ in range(3):
        idle(page)
        if not page.get_by_role("button", name="Ask", exact=True).is_visible():
            page.get_by_text("What visitors are told").click()
        page.get_by_role("button", name="Ask", exact=True).click()
        with suppress(PlaywrightTimeoutError):
            page.get_by_text("Is Harbour Library open now?").wait_for(timeout=15_000)
            return


def test_an_editor_corrects_a_week_that_visitors_are_told_and_undoes_it(
    console: Console, new_page: NewPage
) -> None:
    page = console.visit(new_page(viewport={"width": 1400, "height": 1000}), "editor", "hours")
    expect(page.get_by_text("0 understood, 1 not understood · Athletics and recreation")).to_be_visible()
    assert ours(page) == []
    page.get_by_role("link", name="Harbour Library").click()
    expect(page.get_by_role("heading", name="Understood", exact=True)).to_be_visible()
    expect(page.get_by_role("table").get_by_text("8 a.m.–midnight")).to_be_visible()

    idle(page)
    page.get_by_text("Correct it").click()
    say(page, "Mon 9–5")
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_text("could not be read: say a.m. or p.m.")).to_be_visible()
    say(page, WEEK)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text(CLOSED_ON_SATURDAY).first).to_be_visible()
    assert ours(page) == []
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_text("Week: Monday–Friday 9 a.m.–5 p.m.; Saturday, Sunday closed")).to_be_visible()
    expect(page.get_by_text("the editor,").first).to_be_visible()
    told = console.ask(OPEN_ON_SATURDAY, "hours-corrected").answer
    assert CLOSED_ON_SATURDAY.match(told)

    ask_what_is_told(page)
    expect(page.get_by_text("Is Harbour Library open now?")).to_be_visible()
    idle(page)
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("Week: Monday–Friday")).to_have_count(0)
    assert console.ask(OPEN_ON_SATURDAY, "hours-undone").answer.startswith("Yes.")
