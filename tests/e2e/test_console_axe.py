"""axe-core finds nothing in the main part of the console's pages; the frame around it is Streamlit's."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from server.models.notifications import Owner
from tests.e2e.axe import findings
from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("notifications", "Notifications"),
        ("owners", "Owners"),
        ("judge", "Were they right?"),
    ],
)
def test_axe_finds_nothing_on_a_page_of_the_console(
    console: Console, new_page: NewPage, path: str, title: str
) -> None:
    console.ask("How many books may undergraduates borrow?", f"axe-{path}", strategy="hybrid")
    page = console.visit(new_page(), "editor", path)
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    expect(page.get_by_role("spinbutton")).to_have_count(0)  # the overview's dates, which was there before
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    found = findings(page, within="section[data-testid=stMain], .stMain")
    assert "\n".join(found) == ""


def test_an_owner_sees_a_page_of_their_own_and_no_other(console: Console, new_page: NewPage) -> None:
    store = console.parts.records
    store.owners.put(Owner("sport", "main", "topic", "sport", "Recreation"))
    console.tokens["owner"] = store.tokens.create("Recreation", "owner", 1)
    page = console.visit(new_page(), "owner")
    expect(page.get_by_role("heading", name="What waits for Recreation", level=1)).to_be_visible()
    expect(page.get_by_text("questions about sport")).to_be_visible()
    assert findings(page, within="section[data-testid=stMain], .stMain") == []
    page.goto(f"{console.url}/conversations")
    expect(page.get_by_role("heading", name="What waits for Recreation", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="Conversations", level=1)).to_have_count(0)
