"""Pages that are hard to be on: the widget looks and works the same on all, and they look as before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, FloatRect, Frame, Locator, Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.hosting import NAMES
from tests.e2e.house import House
from tests.e2e.pictures import Picture, differing, differing_outside, inside, picture
from tests.e2e.views import Options, style
from tests.e2e.visitor import answer_in, chat_frame, has_focus, until

pytestmark = pytest.mark.browser

VIEW: Options = {"viewport": {"width": 1000, "height": 720}, "reduced_motion": "reduce"}
SHADOW_PX = 30
CORNER_PX = 16
GLOBALS = "Object.getOwnPropertyNames(window).filter((name) => !/\\d+$/.test(name)).sort()"
LOOK = """
(button) => {
  const names = ["display", "color", "backgroundColor", "fontFamily", "fontSize", "fontStyle", "fontWeight",
    "lineHeight", "letterSpacing", "textTransform", "direction", "cursor", "opacity", "visibility",
    "writingMode"];
  const style = getComputedStyle(button);
  return Object.fromEntries(names.map((name) => [name, style[name]]));
}
"""


@dataclass(frozen=True)
class Look:
    """How the widget looks on a page: its button, closed, and its panel with an answer in it."""

    style: dict[str, str]
    button_box: FloatRect
    button: Picture
    panel_box: FloatRect
    panel: Picture

    def differences(self, other: Look) -> list[str]:
        """What is not the same."""
        same = {
            "style": self.style == other.style,
            "places": (self.button_box, self.panel_box) == (other.button_box, other.panel_box),
            "button": differing(self.button, other.button) == 0,
            "panel": differing(self.panel, other.panel) == 0,
        }
        return [what for what, holds in same.items() if not holds]


def page_of_the_widget(page: Page) -> Frame:
    """The frame that the widget is on."""
    return page.frames[1] if page.url.endswith("framed.html") else page.main_frame


def button_on(frame: Frame) -> Locator:
    """The button of the site `main`."""
    return frame.locator("lodge-chat[site=main] button")


def box_of(part: Locator) -> FloatRect:
    """Where it lies in the window."""
    box = part.bounding_box()
    assert box
    return box


def visit(page: Page, house: House, name: str, *, with_widget: bool = True) -> Frame:
    """Go there, and wait until the page has done what it does to itself."""
    house.host.with_widget = with_widget
    page.goto(f"{house.host.url}/hosts/{name}.html")
    if name == "one_page_app":
        page.locator("html.ready").wait_for()
    frame = page_of_the_widget(page)
    if with_widget:
        button_on(frame).wait_for()
    return frame


def ask_in_panel(page: Page, frame: Frame) -> Look:
    """Open it by keyboard, ask, and look."""
    button = button_on(frame)
    closed, look, button_box = picture(page), button.evaluate(LOOK), box_of(button)
    button.focus()
    button.press("Enter")
    chat = chat_frame(page)
    answer_in(chat, "When can I transfer?")
    until(page, lambda: has_focus(chat, "#question"))
    style(
        chat, "textarea { caret-color: transparent !important }"
    )  # which would blink in one of two pictures
    panel_box = box_of(frame.locator("lodge-chat[site=main] div"))
    return Look(
        look,
        button_box,
        inside(closed, button_box, CORNER_PX),
        panel_box,
        inside(picture(page), panel_box, CORNER_PX),
    )


@pytest.fixture(scope="module")
def plain(browser: Browser, open_all_day: House) -> Iterator[Look]:
    """How it looks on a page that does nothing to it."""
    context = browser.new_context(**VIEW)
    page = context.new_page()
    yield ask_in_panel(page, visit(page, open_all_day, "plain"))
    context.close()


def test_there_are_at_least_eight_of_them() -> None:
    assert len(set(NAMES) - {"plain"}) >= 8


@pytest.mark.parametrize("name", [name for name in NAMES if name != "plain"])
@pytest.mark.wcag("2.1.1", "2.1.2")
def test_it_looks_and_works_as_elsewhere_and_the_page_beside_it_is_unchanged(
    new_page: NewPage, house: House, plain: Look, name: str
) -> None:
    page = new_page(**VIEW)
    alone = visit(page, house, name, with_widget=False)
    before, globals_before = picture(page), alone.evaluate(GLOBALS)
    frame = visit(page, house, name)
    buttons = [box_of(one) for one in frame.locator("lodge-chat button").all()]
    assert differing_outside(before, picture(page), buttons, SHADOW_PX) == 0
    look = ask_in_panel(page, frame)
    assert differing_outside(before, picture(page), [*buttons, look.panel_box], SHADOW_PX) == 0
    assert frame.evaluate(GLOBALS) == globals_before
    assert look.differences(plain) == []
    page.keyboard.press("Escape")
    expect(button_on(frame)).to_have_attribute("aria-expanded", "false")
    assert frame.evaluate("document.activeElement.localName") == "lodge-chat"
