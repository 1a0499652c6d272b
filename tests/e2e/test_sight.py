"""The chat page and the widget as they are seen: size, zoom, spacing, colour, movement, paper."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from server.messages.catalogue import MESSAGES_DIR
from server.sites.theme import contrast
from tests.e2e.conftest import NewPage
from tests.e2e.controls import targets
from tests.e2e.hosting import PLAIN
from tests.e2e.house import House
from tests.e2e.states import answered, everything, rated, searching
from tests.e2e.views import ON_ITS_SIDE, PHONE, ZOOMED, Options, space_text, style
from tests.e2e.visitor import answer_in, chat_frame, launcher, open_panel

pytestmark = pytest.mark.browser

NARROW: Options = {"viewport": {"width": 320, "height": 640}}
TEXT_200 = "html { font-size: 200% !important; }"
# Whatever holds words and does not show all of them, or sticks out of the window.
CUT = """
() => [...document.querySelectorAll("body *")].filter((one) => {
  const clipped = (part) =>
    part && (getComputedStyle(part).clipPath !== "none" || clipped(part.parentElement));
  if (!one.checkVisibility() || one.closest(".skip, svg, textarea") || clipped(one)) return false;
  const {overflowX, overflowY} = getComputedStyle(one), {left, right} = one.getBoundingClientRect();
  const cut = (overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1)
    || (overflowY === "hidden" && one.scrollHeight > one.clientHeight + 1);
  return cut || left < -1 || right > innerWidth + 1;
}).map((one) => `${one.localName}.${one.className} ${one.innerText}`)
"""
OVERLAP = """
() => {
  const parts = ".answer p, .answer h4, .answer li, .message, .tools > *, .answer .person";
  const texts = [...document.querySelectorAll(parts)]
    .filter((one) => one.checkVisibility() && !one.closest(".unseen"));
  const boxes = texts.map((one) => [one, one.getBoundingClientRect()]);
  return boxes.flatMap(([one, a]) => boxes.filter(([other, b]) => one !== other && !one.contains(other)
    && !other.contains(one) && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
    && b.top < a.bottom - 1).map(([other]) => `${one.className} ${other.className}`));
}
"""
# The colour of an edge, and of what lies behind the element that has it.
EDGES = """
([css, property]) => [...document.querySelectorAll(css)].filter((one) => one.checkVisibility()).map((one) => {
  const solid = (part) => {
    const colour = getComputedStyle(part).backgroundColor;
    return colour === "rgba(0, 0, 0, 0)" ? solid(part.parentElement) : colour;
  };
  return [getComputedStyle(one)[property], solid(one.parentElement)];
})
"""
MOVEMENT = """
() => document.getAnimations().map((one) => one.effect.getComputedTiming())
  .map(({duration, iterations}) => ({duration, iterations}))
"""


def scrolls_sideways(page: Page | Frame) -> bool:
    """Whether the page is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def assert_all_can_be_read(page: Page | Frame) -> None:
    """Nothing is cut off, nothing lies upon anything else, and one scrolls in one direction only."""
    assert page.evaluate(CUT) == []
    assert page.evaluate(OVERLAP) == []
    assert not scrolls_sideways(page)


def hexadecimal(colour: str) -> str:
    """ "rgb(23, 98, 107)" → "#17626b"."""
    return "#" + "".join(f"{int(part):02x}" for part in colour[colour.index("(") + 1 : -1].split(",")[:3])


@pytest.mark.parametrize(
    ("view", "lang"), [(PHONE, "es"), (ZOOMED, "es"), (PHONE, "ar")], ids=["320 px", "400 %", "right to left"]
)
@pytest.mark.wcag("1.4.4", "1.4.10")
def test_at_320_px_and_400_percent_everything_can_be_read(
    new_page: NewPage, house: House, view: Options, lang: str
) -> None:
    page = new_page(reduced_motion="reduce", **view)
    page.goto(f"{house.chat}&lang={lang}&embed=1")
    everything(page)
    assert_all_can_be_read(page)
    page.locator(".menu > summary").click()
    page.locator(".confirm > summary").click()
    assert_all_can_be_read(page)
    page.locator(".languages a").last.scroll_into_view_if_needed()
    expect(page.locator(".languages a").last).to_be_in_viewport(ratio=1)


@pytest.mark.wcag("1.4.4", "1.4.12")
def test_with_text_spaced_wide_or_twice_as_large_everything_can_be_read(
    new_page: NewPage, house: House
) -> None:
    page = new_page(reduced_motion="reduce", **NARROW)
    page.goto(f"{house.chat}&embed=1")
    everything(page)
    space_text(page)
    assert_all_can_be_read(page)
    page.set_viewport_size({"width": 640, "height": 640})
    style(page, TEXT_200)
    assert_all_can_be_read(page)


@pytest.mark.wcag("1.4.10", "1.4.12")
def test_the_buttons_own_words_may_be_long_and_spaced_wide(new_page: NewPage, house: House) -> None:
    words = "Ask the university a question about anything at all"
    script = house.host.script.replace("async", f'data-label="{words}" async')
    house.host.page = PLAIN.format(body="", script=script)
    page = new_page(**NARROW)
    page.goto(house.host.url)
    button = launcher(page, words)
    button.wait_for()
    space_text(page)
    fits = "(one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight"
    assert button.evaluate(fits)
    expect(button).to_be_in_viewport(ratio=1)
    launcher(page, words).click()
    chat_frame(page)
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("view", [PHONE, ON_ITS_SIDE], ids=["upright", "on its side"])
@pytest.mark.wcag("1.3.4")
def test_a_phone_may_be_held_either_way(new_page: NewPage, house: House, view: Options) -> None:
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page = new_page(**view)
    page.goto(house.host.url)
    frame = open_panel(page)
    width, height = view["viewport"]["width"], view["viewport"]["height"]
    assert frame.evaluate("[innerWidth, innerHeight]") == [width, height]
    answer_in(frame)
    expect(frame.locator(".sources")).to_be_attached()
    assert not scrolls_sideways(frame)


@pytest.mark.wcag("2.5.8")
def test_whatever_can_be_pressed_is_at_least_24_px_each_way(new_page: NewPage, house: House) -> None:
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page = new_page(**NARROW)
    page.goto(house.host.url)
    for open_state in (False, True):
        box = launcher(page).bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44, open_state
        if not open_state:
            frame = open_panel(page)
    everything(frame)
    frame.locator(".menu > summary").click()
    frame.locator(".confirm > summary").click()
    found = targets(frame)
    assert len(found) > 40
    assert [one for one in found if min(one["width"], one["height"]) < 24] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.wcag("1.4.11")
def test_edges_rings_and_states_stand_out_from_what_is_behind_them(
    new_page: NewPage, house: House, scheme: Any
) -> None:
    page = new_page(color_scheme=scheme)
    page.goto(house.chat)
    rated(page)
    page.locator(".menu > summary").click()
    low = []
    for css, colour in (
        (".ask", "borderTopColor"),
        (".ask button", "backgroundColor"),
        (".tool:not([aria-pressed=true])", "borderTopColor"),
        (".tool[aria-pressed=true]", "backgroundColor"),
        (".why textarea", "borderTopColor"),
        (".why button", "backgroundColor"),
        (".menu button", "borderTopColor"),
        (".reference", "borderTopColor"),
        (".follow-up button", "borderTopColor"),
    ):
        pairs = page.evaluate(EDGES, [css, colour])
        assert pairs, css
        low += [(css, *pair) for pair in pairs if contrast(*map(hexadecimal, pair)) < 3]
    for css in (".tool", ".ask", ".page-link", "summary"):
        [ring, behind] = page.evaluate(EDGES, [css, "color"])[0]
        link = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--link')")
        low += [(css, ring, behind)] if contrast(link, hexadecimal(behind)) < 3 else []
    assert low == []


@pytest.mark.wcag("1.4.1")
def test_colour_alone_says_nothing(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    everything(page)
    lines = "(ones) => ones.map((one) => getComputedStyle(one).textDecorationLine)"
    assert set(page.locator("main a:not(.reference)").evaluate_all(lines)) == {"underline"}
    edges = "(ones) => ones.map((one) => getComputedStyle(one).borderTopStyle)"
    assert set(page.locator(".reference, .tool").evaluate_all(edges)) == {"solid"}
    expect(page.locator(".failed .problem")).to_contain_text("not available")
    ask_too_much = page.locator("#question")
    ask_too_much.fill("x" * 202)
    expect(page.locator("#limit")).to_have_text("2 characters too many")


@pytest.mark.wcag("1.4.11")
def test_in_forced_colours_buttons_have_edges_and_states_can_be_told(new_page: NewPage, house: House) -> None:
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page = new_page(forced_colors="active")
    page.goto(house.host.url)
    edge = "(one) => getComputedStyle(one).borderTopStyle"
    assert launcher(page).evaluate(edge) == "solid"
    frame = open_panel(page)
    rated(frame)
    edges = "(ones) => ones.map((one) => getComputedStyle(one).borderTopStyle)"
    assert set(frame.locator("button").evaluate_all(edges)) == {"solid"}
    fill = "(one) => getComputedStyle(one).backgroundColor"
    up, down = (frame.locator(f".feedback button[value={value}]").first for value in ("up", "down"))
    assert up.evaluate(fill) != down.evaluate(fill)


@pytest.mark.wcag("1.4.13", "3.2.1")
def test_nothing_appears_where_the_pointer_or_the_focus_is(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    answered(page)
    page.locator("#question").blur()
    before = page.locator("body").aria_snapshot()
    for control in page.locator("main button:visible, main a:visible, main summary:visible").all():
        control.hover()
        control.focus()
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    assert page.locator("body").aria_snapshot() == before
    expect(page.locator("[title]")).to_have_count(0)


@pytest.mark.wcag("2.2.2", "2.3.1")
def test_what_moves_stops_by_itself_and_never_flashes(new_page: NewPage, house: House) -> None:
    page = new_page(reduced_motion="no-preference")
    page.goto(house.chat)
    searching(page)
    moving = page.evaluate(MOVEMENT)
    assert moving
    assert [one for one in moving if one["duration"] * one["iterations"] > 5_000] == []
    assert [one for one in moving if one["iterations"] > 1 and one["duration"] < 334] == []
    expect(page.get_by_role("button", name="Stop")).to_be_visible()


@pytest.mark.wcag("2.2.2", "2.3.1")
def test_who_wants_less_movement_gets_none(new_page: NewPage, house: House) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(house.chat)
    searching(page)
    assert page.evaluate(MOVEMENT) == []
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.wcag("2.2.1")
def test_nothing_a_visitor_does_has_a_time_limit(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.clock.install()
    page.goto(house.chat)
    answer_in(page, "When is it?")
    page.locator("#question").fill("And then")
    page.clock.fast_forward("24:00:00")
    expect(page.locator("#question")).to_have_value("And then")
    expect(page.locator(".sources")).to_be_visible()
    answer_in(page, "And then?")
    assert house.parts.asker.asked[1].history, "the conversation is still known"


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.wcag("1.3.3")
def test_no_instruction_needs_sight(lang: str) -> None:
    words = {
        "en": "above below left-hand right-hand corner round green red blue icon",
        "es": "arriba abajo izquierda derecha esquina redondo verde rojo azul icono",
    }
    messages = tomllib.loads((MESSAGES_DIR / f"{lang}.toml").read_text(encoding="utf-8"))
    forms = [value.values() if isinstance(value, dict) else [value] for value in messages.values()]
    said = " ".join(text for texts in forms for text in texts if isinstance(text, str)).lower().split()
    assert set(words[lang].split()).isdisjoint(word.strip(".,:;()") for word in said)
