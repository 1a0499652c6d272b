"""Signed in at the console: over a reload, another tab and a pasted address, until one signs out."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.conftest import NewPage
from tests.e2e.consoles import Console


def test_one_stays_signed_in_over_a_reload_and_another_tab_until_one_signs_out(
    console: Console, new_page: NewPage
) -> None:
    page = console.visit(new_page(), "editor")
    page.wait_for_function("document.cookie.includes('lodge_console=')")
    [cookie] = [one for one in page.context.cookies() if one["name"] == "lodge_console"]
    assert cookie["value"].startswith("lodgesession_")
    assert console.tokens["editor"] not in cookie["value"]
    page.reload()
    expect(page.get_by_text("Signed in as editor")).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{console.url}/golden")
    expect(other.get_by_role("heading", name="Golden questions", level=1)).to_be_visible()
    assert cookie["value"] not in other.url
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_label("Admin token")).to_be_visible()
    other.wait_for_function("!document.cookie.includes('lodge_console=')")
    page.goto(f"{console.url}/feedback")
    expect(page.get_by_label("Admin token")).to_be_visible()
    assert not [one for one in page.context.cookies() if one["name"] == "lodge_console"]
