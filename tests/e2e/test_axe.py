"""axe-core finds nothing: in every state of the chat page, in every view and language of it, around it."""

from __future__ import annotations

import pytest

from tests.e2e.axe import findings
from tests.e2e.conftest import NewPage
from tests.e2e.hosting import PLAIN
from tests.e2e.house import House
from tests.e2e.states import STATES, everything
from tests.e2e.views import VIEWS, space_text
from tests.e2e.visitor import answer_in, launcher, open_panel

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("state", STATES)
@pytest.mark.wcag("1.1.1", "1.3.1", "1.4.3", "2.4.2", "3.1.1", "4.1.2")
def test_axe_finds_nothing_in_any_state_in_light_and_dark(
    new_page: NewPage, house: House, state: str
) -> None:
    page = new_page(reduced_motion="reduce", viewport={"width": 400, "height": 640})
    page.goto(f"{house.chat}&embed=1")
    STATES[state](page)
    assert findings(page) == []
    page.emulate_media(color_scheme="dark")
    assert findings(page, rules=["color-contrast"]) == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.wcag("1.4.3", "2.5.8", "4.1.2")
def test_axe_finds_nothing_in_any_view(new_page: NewPage, house: House, view: str) -> None:
    page = new_page(**{"reduced_motion": "reduce", **VIEWS[view]})
    page.goto(house.chat)
    everything(page)
    assert findings(page) == []
    page.locator(".menu > summary").click()
    assert findings(page) == []


@pytest.mark.parametrize("lang", ["es", "ar"])
@pytest.mark.wcag("3.1.1", "3.1.2")
def test_axe_finds_nothing_in_other_languages(new_page: NewPage, house: House, lang: str) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(f"{house.chat}&lang={lang}")
    everything(page)
    assert findings(page) == []


@pytest.mark.wcag("1.4.12")
def test_axe_finds_nothing_with_text_spaced_wide(new_page: NewPage, house: House) -> None:
    page = new_page(reduced_motion="reduce", viewport={"width": 320, "height": 640})
    page.goto(house.chat)
    everything(page)
    space_text(page)
    assert findings(page) == []


@pytest.mark.wcag("1.3.1", "4.1.2")
def test_axe_finds_nothing_where_our_script_does_not_arrive(new_page: NewPage, house: House) -> None:
    page = new_page(reduced_motion="reduce")
    page.route("**/static/chat.js*", lambda route: route.abort())
    page.goto(house.chat)
    for question in ("When is it?", "Any nobel prize?"):
        page.locator("#question").fill(question)
        page.locator(".ask button").click()
    page.locator(".feedback button[value=down]").last.click()
    page.locator(".why").wait_for()
    assert findings(page) == []


@pytest.mark.wcag("1.1.1", "1.4.3", "4.1.2")
def test_axe_finds_nothing_in_the_button_the_panel_and_the_link(new_page: NewPage, house: House) -> None:
    house.host.page = PLAIN.format(body="<main><p>Words</p></main>", script=house.host.script)
    page = new_page(reduced_motion="reduce")
    page.goto(house.host.url)
    launcher(page).wait_for()
    assert findings(page, within="lodge-chat") == []
    frame = open_panel(page)
    answer_in(frame)
    assert findings(page, within="lodge-chat") == []
    assert findings(frame) == []
    page.reload()
    page.route("**/chat?*", lambda route: route.abort())
    launcher(page).click()
    page.locator("lodge-chat").get_by_role("link").wait_for()
    assert findings(page, within="lodge-chat") == []


@pytest.mark.parametrize("path", ["/demo", "/chat?site=nowhere"])
def test_axe_finds_nothing_on_the_other_pages_a_visitor_can_see(
    new_page: NewPage, house: House, path: str
) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(f"{house.url}{path}")
    assert findings(page) == []


def test_axe_does_find_what_is_wrong(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    page.evaluate("document.querySelector('label[for=question]').remove()")
    page.evaluate("document.querySelector('#question').removeAttribute('placeholder')")
    assert [line.split(":")[0] for line in findings(page)] == ["label-title-only", "label"]
