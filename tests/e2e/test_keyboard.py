"""The chat page and the widget by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import NewPage
from tests.e2e.controls import count, tab_through
from tests.e2e.hosting import PLAIN
from tests.e2e.house import House
from tests.e2e.states import answered, empty, everything, rated, refused, searching
from tests.e2e.views import PHONE, ZOOMED, Options
from tests.e2e.visitor import chat_frame, has_focus, is_open, launcher, open_panel, until

pytestmark = pytest.mark.browser

DESK: Options = {"viewport": {"width": 1000, "height": 700}}
PANEL: Options = {"viewport": {"width": 400, "height": 640}}


def start(page: Page) -> None:
    """Put the focus before the first control, where a page begins, once nothing that comes in moves it."""
    expect(page.locator(".htmx-settling, .htmx-added")).to_have_count(0)
    page.evaluate(
        "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')"
    )


def tab_to(page: Page, css: str) -> None:
    """Press Tab until it has the focus."""
    for _ in range(100):
        if has_focus(page, css):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key never comes to {css}")


@pytest.mark.parametrize("view", [PANEL, PHONE, ZOOMED], ids=["panel", "phone", "zoomed"])
@pytest.mark.wcag("2.1.1", "2.1.2", "2.4.3", "2.4.7", "2.4.11", "3.2.1")
def test_tab_comes_to_every_control_in_order_visibly_and_leaves(
    new_page: NewPage, house: House, view: Options
) -> None:
    page = new_page(reduced_motion="reduce", **view)
    page.goto(f"{house.chat}&embed=1")
    everything(page)
    turns, address = page.locator(".turn").count(), page.url
    start(page)
    stops = tab_through(page)
    assert [stop.index for stop in stops] == list(range(count(page)))
    assert [stop.name for stop in stops if stop.ring < 2] == [], "the focus can be seen"
    assert [stop.name for stop in stops if not stop.seen] == [], "and nothing covers it"
    assert (page.locator(".turn").count(), page.url) == (turns, address)


@pytest.mark.wcag("2.1.2", "2.4.3")
def test_shift_and_tab_go_the_same_way_back(new_page: NewPage, house: House) -> None:
    page = new_page(reduced_motion="reduce", **DESK)
    page.goto(house.chat)
    refused(page)
    start(page)
    stops = tab_through(page)
    assert len(stops) == count(page)
    back = tab_through(page, "Shift+Tab")
    assert [stop.index for stop in back] == [stop.index for stop in reversed(stops)]


@pytest.mark.wcag("2.1.2")
@pytest.mark.parametrize("view", [DESK, PHONE], ids=["panel", "whole screen"])
def test_escape_closes_a_panel_whose_page_has_not_come_yet(
    new_page: NewPage, house: House, view: Options
) -> None:
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page = new_page(**view)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/chat?*", hold)
    page.goto(house.host.url)
    launcher(page).press("Enter")
    until(page, lambda: bool(held))
    assert is_open(page)
    page.keyboard.press("Escape")
    assert not is_open(page)
    launcher(page).press("Enter")
    held[0].continue_()
    chat_frame(page)


@pytest.mark.wcag("2.4.1")
def test_the_first_link_skips_to_the_question(new_page: NewPage, house: House) -> None:
    page = new_page(**DESK)
    page.goto(house.chat)
    answered(page)
    start(page)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the question")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#question")).to_be_focused()


@pytest.mark.wcag("2.1.1", "3.2.2")
def test_everything_on_an_answer_is_done_by_keyboard(new_page: NewPage, house: House) -> None:
    page = new_page(**DESK)
    page.goto(house.chat)
    answered(page)
    start(page)
    tab_to(page, ".reference")
    page.keyboard.press("Enter")
    until(page, lambda: has_focus(page, ".source"))
    tab_to(page, ".source summary")
    page.keyboard.press("Space")
    expect(page.locator("mark").first).to_be_visible()
    tab_to(page, ".feedback button[value=down]")
    page.keyboard.press("Space")
    expect(page.locator(".why")).to_be_visible()
    tab_to(page, ".why [type=radio]")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Something is missing")).to_be_checked()
    expect(page.locator(".why")).to_be_visible()
    tab_to(page, ".why textarea")
    page.keyboard.type("A date.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".thanks")).to_have_text("Thank you. Your words have been noted.")
    until(
        page, lambda: has_focus(page, ".feedback button[value=down]")
    )  # the button that had the focus is gone
    tab_to(page, ".answer .person summary")
    page.keyboard.press("Enter")
    expect(page.locator(".answer .contacts")).to_be_visible()
    tab_to(page, ".follow-up button")
    page.keyboard.press("Enter")
    expect(page.locator(".sources")).to_have_count(2)


@pytest.mark.wcag("2.1.1", "2.4.3")
def test_the_menu_opens_asks_before_erasing_and_closes_by_keyboard(new_page: NewPage, house: House) -> None:
    page = new_page(**PANEL)
    page.goto(house.chat)
    answered(page)
    start(page)
    tab_to(page, ".menu > summary")
    page.keyboard.press("Enter")
    expect(page.locator(".menu-list")).to_be_visible()
    tab_to(page, ".confirm > summary")
    page.keyboard.press("Enter")
    expect(page.locator(".confirm button")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".menu-list")).to_be_hidden()
    expect(page.locator(".menu > summary")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, ".confirm button")
    page.keyboard.press("Enter")
    expect(page.locator("#news")).to_be_visible()
    until(page, lambda: has_focus(page, "#question"))


@pytest.mark.wcag("2.4.3")
def test_the_focus_is_not_lost_with_the_button_that_stops_an_answer(new_page: NewPage, house: House) -> None:
    page = new_page(**PANEL)
    page.goto(house.chat)
    searching(page)
    page.get_by_role("button", name="Stop").focus()
    page.keyboard.press("Enter")
    until(page, lambda: has_focus(page, "#question"))
    page.keyboard.press("Enter")
    expect(page.locator(".pending")).to_be_visible()
    page.get_by_role("button", name="Stop").focus()
    house.parts.asker.gate.set()
    expect(page.locator(".sources")).to_be_visible()
    until(page, lambda: has_focus(page, ".turn:last-child"))


@pytest.mark.wcag("2.1.4")
def test_no_letter_is_a_shortcut(new_page: NewPage, house: House) -> None:
    page = new_page(**DESK)
    page.goto(house.chat)
    rated(page)
    page.locator(".menu > summary").focus()
    before = page.locator("body").aria_snapshot()
    page.keyboard.type("abcdefghijklmnopqrstuvwxyz0123456789/?.,")
    assert page.locator("body").aria_snapshot() == before


@pytest.mark.wcag("2.5.2")
def test_a_press_that_ends_elsewhere_does_nothing(new_page: NewPage, house: House) -> None:
    page = new_page(**DESK)
    page.goto(house.chat)
    empty(page)
    for css in (".suggestions button", ".ask button", ".menu > summary"):
        page.locator(css).first.hover()
        page.mouse.down()
        page.mouse.move(5, 690)
        page.mouse.up()
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator(".menu-list")).to_be_hidden()
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page.goto(house.host.url)
    launcher(page).hover()
    page.mouse.down()
    page.mouse.move(5, 5)
    page.mouse.up()
    assert not is_open(page)


@pytest.mark.wcag("2.4.11")
def test_escape_takes_the_panel_away_from_what_it_covers_and_leaves_the_focus_there(
    new_page: NewPage, house: House
) -> None:
    covered = "<a href='#' id='covered' style='position: fixed; right: 120px; bottom: 200px'>Covered</a>"
    house.host.page = PLAIN.format(body=covered, script=house.host.script)
    page = new_page(**DESK)
    page.goto(house.host.url)
    open_panel(page)
    page.locator("#covered").focus()
    assert is_open(page)
    page.keyboard.press("Escape")
    assert not is_open(page)
    expect(page.locator("#covered")).to_be_focused()


@pytest.mark.wcag("2.1.2", "2.4.3", "3.2.1")
def test_the_panel_takes_the_focus_gives_it_back_and_does_not_keep_it(
    new_page: NewPage, house: House
) -> None:
    body = "<button id='before'>Before</button>{element}<button id='after'>After</button>"
    element = "<lodge-chat site='main'></lodge-chat>"
    house.host.page = PLAIN.format(body=body.format(element=element), script=house.host.script)
    page = new_page(**DESK)
    page.goto(house.host.url)
    launcher(page).wait_for()
    page.locator("#before").focus()
    page.keyboard.press("Tab")
    expect(launcher(page)).to_be_focused()
    assert not is_open(page), "having the focus opens nothing"
    page.keyboard.press("Space")
    frame = chat_frame(page)
    stops = tab_through(page, frame=frame)
    assert stops, "what comes after the question"
    assert has_focus(page, "#after"), "the page goes on where the panel ends"
    page.keyboard.press("Shift+Tab")
    until(page, lambda: bool(frame.evaluate("document.hasFocus()")))
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    expect(launcher(page)).to_be_focused()
