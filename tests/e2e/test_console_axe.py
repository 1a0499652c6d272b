"""axe-core finds nothing in the main part of the console's pages; the frame around it is Streamlit's."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from server.models.notifications import Owner
from tests.e2e.axe import findings
from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console, idle

pytestmark = [pytest.mark.browser, pytest.mark.long]

MAIN = "section[data-testid=stMain], .stMain"


# Every page that the navigation names, and those that others lead to.
PAGES = (
    "",
    "judge",
    "gaps",
    "feedback",
    "coverage",
    "conversations",
    "conversation?id=c-axe",
    "trace?id=t-axe",
    "mend?trace=t-axe",
    "golden",
    "label",
    "evaluation",
    "blind",
    "crawl",
    "snapshots",
    "filters",
    "hours",
    "widget",
    "owners",
    "notifications",
    "audit",
)


def test_axe_finds_nothing_on_any_page_of_the_console(console: Console, new_page: NewPage) -> None:
    console.ask("How many books may undergraduates borrow?", "axe", strategy="hybrid")
    page = console.visit(new_page(), "editor")
    found = []
    for path in PAGES:
        page.goto(f"{console.url}/{path}")
        expect(page.get_by_text("Signed in as editor")).to_be_visible()
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
        idle(page)
        found += [f"{path}: {one}" for one in findings(page, within=MAIN)]
    assert "\n".join(found) == ""


def test_an_owner_sees_a_page_of_their_own_and_no_other(console: Console, new_page: NewPage) -> None:
    store = console.parts.records
    store.owners.put(Owner("sport", "main", "topic", "sport", "Recreation"))
    console.tokens["owner"] = store.tokens.create("Recreation", "owner", 1)
    page = console.visit(new_page(), "owner")
    expect(page.get_by_role("heading", name="What waits for Recreation", level=1)).to_be_visible()
    expect(page.get_by_text("questions about sport")).to_be_visible()
    assert findings(page, within=MAIN) == []
    page.goto(f"{console.url}/conversations")
    expect(page.get_by_role("heading", name="What waits for Recreation", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="Conversations", level=1)).to_have_count(0)
