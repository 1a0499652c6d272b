"""The widget on other people's pages, in a real browser."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Frame, Page, expect

from server.web.application import web_app
from server.web.options import WebOptions
from tests.e2e.conftest import NewPage
from tests.web.scripted import ScriptedParts, serving, site_table

pytestmark = pytest.mark.browser

STRICT = "default-src 'self'; script-src {lodge}; frame-src {lodge}; require-trusted-types-for 'script'"
PAGE = "<!doctype html><title>Host</title><h1>Host</h1>{style}{body}{script}"


class HostSite(http.server.ThreadingHTTPServer):
    """Another origin, with one page on it."""

    page = ""
    policy = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Page(http.server.BaseHTTPRequestHandler):
    server: HostSite

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if self.server.policy:
            self.send_header("Content-Security-Policy", self.server.policy)
        self.end_headers()
        self.wfile.write(self.server.page.encode())

    def log_message(self, *_: object) -> None:
        """Nothing to say."""


@pytest.fixture
def host() -> Iterator[HostSite]:
    with HostSite(("127.0.0.1", 0), _Page) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site
        site.shutdown()


@pytest.fixture
def lodge(host: HostSite, parts: ScriptedParts) -> Iterator[str]:
    """A server that lets the host site embed it."""
    parts.sites = site_table(main={"origins": [host.url]}, library={"origins": [host.url]})
    with serving(web_app(WebOptions(), parts)) as url:
        host.page = PAGE.format(style="", body="", script=script_line(url))
        yield url


def script_line(server: str) -> str:
    return f'<script src="{server}/widget.js" data-site="main" async></script>'


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for it from outside: Playwright's own polling evaluates a string, which our policy forbids."""
    deadline = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        page.wait_for_timeout(20)


def launcher(page: Page) -> dict[str, Any]:
    """What assistive technology sees of the button: its shadow root is closed to everything else."""
    page.locator("lodge-chat:defined").wait_for(state="attached")
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    [node] = [node for node in tree["nodes"] if node["role"]["value"] == "button"]
    properties = {entry["name"]: entry["value"].get("value") for entry in node["properties"]}
    return {
        "name": node["name"]["value"],
        "expanded": properties["expanded"],
        "focused": properties.get("focused"),
    }


def is_open(page: Page) -> bool:
    return bool(page.evaluate("document.querySelector('lodge-chat').isOpen"))


def chat_frame(page: Page) -> Frame:
    """The panel's frame, once its question box has the focus."""
    until(page, lambda: len(page.frames) == 2)
    frame = page.frames[1]
    frame.locator("#question").wait_for()
    until(
        page, lambda: bool(frame.evaluate("document.hasFocus() && document.activeElement.id === 'question'"))
    )
    return frame


def open_panel(page: Page) -> Frame:
    page.locator("lodge-chat").click()
    return chat_frame(page)


def answer_in(frame: Frame) -> None:
    frame.page.keyboard.type("When is it?")
    frame.page.keyboard.press("Enter")
    expect(frame.get_by_role("link", name="Transfer Students")).to_be_visible()


def test_a_visitor_opens_it_asks_reads_and_closes_by_keyboard(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/demo")
    assert launcher(page) == {"name": "Ask a question", "expanded": False, "focused": None}
    for _ in range(6):  # past the page's five links
        page.keyboard.press("Tab")
    assert launcher(page)["focused"]
    page.keyboard.press("Enter")
    frame = chat_frame(page)
    assert launcher(page)["expanded"]
    answer_in(frame)
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    assert launcher(page) == {"name": "Ask a question", "expanded": False, "focused": True}
    assert page.context.cookies() == []


def test_the_conversation_is_still_there_when_it_is_opened_again(new_page: NewPage, server: str) -> None:
    page = new_page()
    page.goto(f"{server}/demo")
    answer_in(open_panel(page))
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    frame = open_panel(page)
    expect(frame.get_by_role("link", name="Transfer Students")).to_be_visible()


def test_nothing_but_the_loader_is_fetched_before_it_is_opened(new_page: NewPage, server: str) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(server)))
    page.goto(f"{server}/demo")
    launcher(page)
    page.wait_for_load_state("networkidle")
    assert [
        url for url in asked if not url.startswith(("/demo", "/static/demo.css", "/static/lodge.svg"))
    ] == ["/widget.js"]
    open_panel(page)
    assert "/chat?site=main&embed=1" in asked


def test_it_works_on_another_origin_under_a_strict_policy(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    host.policy = STRICT.format(lodge=lodge)
    page = new_page()
    page.goto(host.url)
    answer_in(open_panel(page))
    page.keyboard.press("Escape")
    until(page, lambda: not is_open(page))
    box = page.locator("lodge-chat").bounding_box()
    assert box
    assert box["height"] == 56, "the policy kept the style sheet out"


def test_a_page_that_is_not_allowed_to_embed_it_gets_no_chat(
    new_page: NewPage, host: HostSite, server: str
) -> None:
    host.page = PAGE.format(style="", body="", script=script_line(server))
    page = new_page(complaints_expected=True)
    page.goto(host.url)
    page.locator("lodge-chat").click()
    until(page, lambda: len(page.frames) == 2)
    page.wait_for_load_state("networkidle")
    expect(page.frames[1].locator("#question")).to_have_count(0)


@pytest.mark.parametrize(
    "css",
    [
        "* { all: unset !important }",
        "lodge-chat, button { display: none !important }",
        "body * { position: static !important; font-size: 3px !important; transform: rotate(3deg) }",
    ],
)
def test_the_host_pages_rules_do_not_reach_it(
    new_page: NewPage, host: HostSite, lodge: str, css: str
) -> None:
    host.page = PAGE.format(style=f"<style>{css}</style>", body="", script=script_line(lodge))
    page = new_page(viewport={"width": 800, "height": 600})
    page.goto(host.url)
    launcher(page)
    box = page.locator("lodge-chat").bounding_box()
    assert box
    assert (box["height"], box["y"] + box["height"], box["x"] + box["width"]) == (56, 584, 784)
    answer_in(open_panel(page))


def test_messages_from_other_windows_and_words_are_ignored(
    new_page: NewPage, host: HostSite, lodge: str
) -> None:
    page = new_page()
    page.goto(host.url)
    open_panel(page)
    page.evaluate("window.postMessage('lodge:close', '*')")
    page.frames[1].evaluate("origin => window.parent.postMessage('something else', origin)", host.url)
    page.wait_for_timeout(100)
    assert is_open(page)


def test_an_element_placed_by_hand_is_the_only_one(new_page: NewPage, host: HostSite, lodge: str) -> None:
    host.page = PAGE.format(
        style="",
        body="<lodge-chat site='library' label='Ask the library'></lodge-chat>",
        script=script_line(lodge) * 2,
    )
    page = new_page()
    page.goto(host.url)
    assert launcher(page)["name"] == "Ask the library"
    expect(page.locator("lodge-chat")).to_have_count(1)
    assert open_panel(page).url == f"{lodge}/chat?site=library&embed=1"


def test_a_pages_own_script_can_open_and_close_it(new_page: NewPage, host: HostSite, lodge: str) -> None:
    page = new_page()
    page.goto(host.url)
    launcher(page)
    page.evaluate(
        """() => {
          window.heard = [];
          for (const name of ["lodge-open", "lodge-close"])
            document.addEventListener(name, (event) => heard.push(event.type));
          document.querySelector("lodge-chat").open();
          document.querySelector("lodge-chat").close();
        }"""
    )
    assert page.evaluate("heard") == ["lodge-open", "lodge-close"]


def test_on_a_phone_it_fills_the_screen_and_can_be_closed(new_page: NewPage, server: str) -> None:
    page = new_page(viewport={"width": 320, "height": 640}, has_touch=True)
    page.goto(f"{server}/demo")
    frame = open_panel(page)
    assert frame.evaluate("[innerWidth, innerHeight]") == [320, 640]
    assert frame.evaluate("document.documentElement.scrollWidth") == 320
    page.touchscreen.tap(320 - 28, 28)
    until(page, lambda: not is_open(page))
