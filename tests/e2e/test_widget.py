"""The widget on other people's pages, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.hosting import PLAIN, HostSite, script_line
from tests.e2e.visitor import answer_in, chat_frame, is_open, launcher, open_panel, until
from tests.scripted_app import CONTACT_URL, ScriptedParts, site_table

pytestmark = pytest.mark.browser

SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""


def listen(page: Page) -> None:
    """Keep the widget's events in `heard`."""
    page.evaluate(
        """() => {
          window.heard = [];
          for (const name of ["open", "close", "question", "answer", "error"])
            document.addEventListener(`lodge-${name}`, (event) => heard.push([name, event.detail]));
        }"""
    )


@pytest.mark.wcag("2.1.1", "2.1.2", "2.4.3", "4.1.2")
def test_a_visitor_opens_it_asks_reads_and_closes_by_keyboard(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    host.page = PLAIN.format(body="<a href='#'>A link</a>", script=host.script)
    page = new_page()
    page.goto(host.url)
    button = launcher(page)
    expect(button).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    frame = chat_frame(page)
    expect(button).to_have_attribute("aria-expanded", "true")
    answer_in(frame)
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(button).to_be_focused()
    assert page.context.cookies() == []


def test_the_conversation_is_still_there_when_it_is_opened_again(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    page = new_page()
    page.goto(host.url)
    answer_in(open_panel(page))
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    frame = open_panel(page)
    expect(frame.get_by_role("link", name="Transfer Students")).to_be_visible()


def test_the_conversation_is_still_there_when_the_page_is_loaded_anew_and_in_no_other_tab(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    page = new_page()
    page.goto(host.url)
    answer_in(open_panel(page))
    page.reload()
    expect(open_panel(page).get_by_role("link", name="Transfer Students")).to_be_visible()
    other = page.context.new_page()
    other.goto(host.url)
    frame = open_panel(other)
    expect(frame.locator(".welcome")).to_be_visible()
    expect(frame.locator(".turn")).to_have_count(0)


def test_nothing_but_the_loader_is_fetched_before_it_is_opened(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(host.url)
    launcher(page).wait_for()
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if not url.startswith(host.url)] == [f"{lodge}/widget.js"]
    open_panel(page)
    assert f"{lodge}/chat?site=main&lang=en&embed=1" in asked


def test_nothing_is_stored_on_the_page_and_nothing_on_it_moves(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    host.page = PLAIN.format(body="<p>Words</p>" * 60, script=host.script)
    page = new_page()
    page.add_init_script(SHIFTS)
    page.goto(host.url)
    answer_in(open_panel(page))
    page.keyboard.press("Escape")
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, shifts]") == [
        0,
        0,
        "",
        0,
    ]
    assert page.context.cookies() == []
    assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 0


def test_the_console_of_a_page_that_may_have_it_stays_empty(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    page = new_page()
    lines: list[str] = []
    page.on("console", lambda line: lines.append(line.text))
    page.route("**/favicon.ico", lambda route: route.fulfill(body=""))
    page.goto(host.url)
    answer_in(open_panel(page))
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    open_panel(page)
    assert lines == []


def test_its_words_are_those_of_the_pages_language(new_page: NewPage, host: HostSite, lodge: str) -> None:
    host.page = PLAIN.replace("lang='en'", "lang='es-MX'").format(body="", script=host.script)
    page = new_page()
    page.goto(host.url)
    launcher(page, "Haga una pregunta").click()
    expect(chat_frame(page).get_by_role("heading", name="¿Qué le gustaría saber?")).to_be_visible()


@pytest.mark.parametrize("site", ["main", "nowhere"])
def test_a_page_that_is_not_in_the_table_shows_nothing_and_tells_its_owner(
    new_page: NewPage, host: HostSite, server: str, site: str
) -> None:
    host.page = PLAIN.format(body="", script=script_line(server, site=site))
    page = new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text) if "Lodge" in line.text else None)
    page.goto(host.url)
    page.locator("lodge-chat:defined").wait_for(state="attached")
    until(page, lambda: bool(said))
    assert said == [f'Lodge: {server} has no site "{site}" with the origin {host.url}; nothing is shown.']
    page.evaluate("document.querySelector('lodge-chat').open()")
    expect(page.locator("lodge-chat").get_by_role("button")).to_have_count(0)
    assert len(page.frames) == 1


def test_where_a_browser_is_made_to_frame_it_all_the_same_there_is_no_chat(
    new_page: NewPage, host: HostSite, server: str
) -> None:
    host.page = PLAIN.format(body=f"<iframe src='{server}/chat?site=main&embed=1'></iframe>", script="")
    page = new_page(complaints_expected=True)
    page.goto(host.url)
    page.wait_for_load_state("networkidle")
    expect(page.frames[1].locator("#question")).to_have_count(0)


def test_messages_from_other_windows_and_in_other_words_are_ignored(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    page = new_page()
    page.goto(host.url)
    listen(page)
    frame = open_panel(page)
    page.evaluate("for (const word of ['close', 'answer']) window.postMessage([`lodge-${word}`], '*')")
    frame.evaluate("origin => window.parent.postMessage(['lodge-something'], origin)", host.url)
    frame.evaluate("origin => window.parent.postMessage('lodge-close', origin)", host.url)
    page.wait_for_timeout(100)
    assert is_open(page)
    assert page.evaluate("heard") == [["open", None]]


def test_the_chat_page_hears_only_the_page_around_it(new_page: NewPage, host: HostSite, lodge: str) -> None:
    page = new_page()
    page.goto(host.url)
    frame = open_panel(page)
    frame.evaluate("window.postMessage(['lodge-ask', 'From myself?'], '*')")
    inside = "document.querySelector('lodge-chat').shadowRoot.querySelector('iframe').contentWindow"
    page.evaluate(f"{inside}.postMessage({{word: 'lodge-ask', text: 'Otherwise?'}}, '*')")
    page.evaluate(f"{inside}.postMessage(['lodge-ask', 7], '*')")
    page.wait_for_timeout(100)
    expect(frame.locator(".turn")).to_have_count(0)


def test_an_element_placed_by_hand_is_the_only_one(new_page: NewPage, host: HostSite, lodge: str) -> None:
    by_hand = "<lodge-chat site='library' label='Ask Finch' position='left'>Call 555-0155</lodge-chat>"
    host.page = PLAIN.format(body=by_hand, script=f'<script src="{lodge}/widget.js" async></script>' * 2)
    page = new_page(viewport={"width": 800, "height": 600})
    page.goto(host.url)
    box = launcher(page, "Ask Finch").bounding_box()
    assert box
    assert (box["x"], box["y"] + box["height"]) == (16, 584)
    expect(page.locator("lodge-chat")).to_have_count(1)
    launcher(page, "Ask Finch").click()
    assert chat_frame(page).url == f"{lodge}/chat?site=library&lang=en&embed=1"


def test_before_the_loader_is_there_an_element_shows_what_was_put_into_it(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    body = "<lodge-chat><a href='/contact'>Ask us</a></lodge-chat>"
    host.page = PLAIN.format(body=body, script=host.script)
    page = new_page()
    page.route("**/widget.js", lambda route: route.abort())
    page.goto(host.url)
    expect(page.get_by_role("link", name="Ask us")).to_be_visible()


def test_a_pages_own_script_can_open_ask_and_close_and_hears_what_happens(
    new_page: NewPage, host: HostSite, lodge: str, parts: ScriptedParts
) -> None:
    host.page = PLAIN.format(body="<button id='own'>Help</button>", script=host.script)
    page = new_page()
    page.goto(host.url)
    launcher(page).wait_for()
    listen(page)
    page.locator("#own").focus()
    page.evaluate("document.querySelector('lodge-chat').ask('When is it?')")
    frame = chat_frame(page)
    expect(frame.get_by_role("link", name="Transfer Students")).to_be_visible()
    page.evaluate("document.querySelector('lodge-chat').ask('Any nobel prize?')")
    expect(frame.locator(".refusal")).to_be_visible()
    until(page, lambda: page.evaluate("heard.length") == 5)  # the frame tells the page after it has shown it
    page.evaluate("document.querySelector('lodge-chat').close()")
    expect(page.locator("#own")).to_be_focused()
    assert [asked.text for asked in parts.asker.asked] == ["When is it?", "Any nobel prize?"]
    until(page, lambda: page.evaluate("heard.length") == 6)
    assert page.evaluate("heard") == [
        ["open", None],
        ["question", False],
        ["answer", False],
        ["question", False],
        ["answer", True],
        ["close", None],
    ]


@pytest.mark.parametrize("attribute", ["", "/our/contact"])
def test_while_the_server_is_down_the_button_leads_to_people(
    new_page: NewPage, host: HostSite, lodge: str, attribute: str
) -> None:
    script = script_line(lodge, contact=attribute) if attribute else host.script
    host.page = PLAIN.format(body="", script=script)
    page = new_page()
    page.goto(host.url)
    launcher(page).wait_for()
    listen(page)
    page.route("**/chat?*", lambda route: route.abort())
    launcher(page).click()
    link = page.locator("lodge-chat").get_by_role("link", name="The chat is not available. Ask a person")
    expect(link).to_have_attribute("href", attribute or CONTACT_URL)
    expect(link).to_be_focused()
    assert page.evaluate("heard") == [["open", None], ["error", None]]


def test_while_the_server_hangs_there_is_a_skeleton_and_soon_a_way_out(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    host.page = PLAIN.format(body="", script=host.script)
    page = new_page()
    page.route("**/chat?*", lambda _route: None)
    page.goto(host.url)
    launcher(page).click()
    painted = "(panel) => getComputedStyle(panel).backgroundImage"
    assert "gradient" in page.locator("lodge-chat div").evaluate(painted)
    way_out = page.locator("lodge-chat").get_by_role("link", name="The chat is not available. Ask a person")
    expect(way_out).to_have_attribute("href", CONTACT_URL)
    expect(page.locator("lodge-chat iframe")).to_be_visible()
    expect(launcher(page)).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize("size", [(1000, 700), (390, 844), (320, 568), (844, 390)])
def test_it_opens_at_its_greeting_on_every_size_and_after_starting_over(
    new_page: NewPage, host: HostSite, lodge: str, size: tuple[int, int]
) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(host.url)
    frame = open_panel(page)
    expect(frame.locator("#question")).to_be_focused()
    assert frame.evaluate("scrollY") == 0
    frame.locator(".menu > summary").click()
    frame.get_by_text("Start over", exact=True).click()
    frame.get_by_text("Erase and start over").click()
    frame.locator("#news").wait_for()
    expect(frame.locator("#question")).to_be_focused()
    assert frame.evaluate("scrollY") == 0


def test_on_a_phone_the_button_is_a_circle_above_what_is_fixed_to_the_bottom(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    banner = "<div id='c' style='position:fixed;inset:auto 0 0;height:90px'><button>No</button></div>"
    host.page = PLAIN.format(body=banner, script=script_line(lodge, bottom="40"))
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(host.url)
    launcher(page).wait_for()

    def box() -> tuple[float, float, float]:
        found = launcher(page).bounding_box()
        assert found
        return found["width"], found["height"], 844 - found["y"] - found["height"]

    until(page, lambda: box() == (52, 52, 16 + 90))
    page.locator("#c").evaluate("(one) => one.remove()")
    page.mouse.click(5, 5)
    until(page, lambda: box() == (52, 52, 16 + 40))


def test_with_nobody_to_lead_to_it_says_so(
    new_page: NewPage, host: HostSite, lodge: str, parts: ScriptedParts
) -> None:
    parts.sites = site_table(main={"origins": [host.url], "contact_url": ""})
    page = new_page()
    page.route("**/chat?*", lambda route: route.abort())
    page.route(
        "**/widget.js", lambda route: route.fulfill(body=loader_of(parts), content_type="text/javascript")
    )
    page.goto(host.url)
    launcher(page).click()
    expect(page.locator("lodge-chat").get_by_text("not available at the moment")).to_be_visible()


def loader_of(parts: ScriptedParts) -> bytes:
    from server.messages.catalogue import Catalogue  # noqa: PLC0415
    from server.visitor.assets import Assets, loader  # noqa: PLC0415

    return loader(Assets.read(), parts.sites, Catalogue.read()).body


@pytest.mark.wcag("2.4.11")
def test_on_a_phone_it_fills_the_screen_and_can_be_closed(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    host.page = PLAIN.format(body="<a href='#' id='behind'>A link</a>", script=host.script)
    page = new_page(viewport={"width": 320, "height": 640}, has_touch=True)
    page.goto(host.url)
    frame = open_panel(page)
    assert frame.evaluate("[innerWidth, innerHeight]") == [320, 640]
    assert frame.evaluate("document.documentElement.scrollWidth") == 320
    page.touchscreen.tap(320 - 28, 28)
    until(page, lambda: not is_open(page))
    open_panel(page)
    page.locator("#behind").focus()
    until(page, lambda: not is_open(page))
    expect(page.locator("#behind")).to_be_focused()


def test_on_a_phone_it_leaves_the_keyboard_its_room(new_page: NewPage, host: HostSite, lodge: str) -> None:
    """The visual viewport is what an on-screen keyboard makes smaller; here a script does."""
    page = new_page(viewport={"width": 360, "height": 640}, has_touch=True)
    page.add_init_script(
        "Object.defineProperties(visualViewport, {height: {get: () => window.room ?? innerHeight}, "
        "offsetTop: {get: () => window.room ? 40 : 0}})"
    )
    page.goto(host.url)
    frame = open_panel(page)
    page.evaluate("window.room = 300; visualViewport.dispatchEvent(new Event('resize'))")
    until(page, lambda: frame.evaluate("innerHeight") == 300)
    panel = page.locator("lodge-chat div").bounding_box()
    assert panel
    assert (panel["y"], panel["height"]) == (40, 300)
    page.evaluate("delete window.room; visualViewport.dispatchEvent(new Event('resize'))")
    until(page, lambda: frame.evaluate("innerHeight") == 640)
