"""A real Chromium over a real server. The parts are scripted, the pages and scripts are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts.ensure_browser import find_browser
from server.app import WebOptions
from server.settings import Settings
from tests.e2e.consoles import Console, open_console
from tests.e2e.hosting import HostSite, host_site
from tests.e2e.house import House, open_house
from tests.scripted_app import ScriptedParts, serving, site_table, web_app

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]

TIMEOUT_MS = 30_000  # for a machine that has other things to do as well
expect.set_options(timeout=TIMEOUT_MS)

NewPage = Callable[..., Page]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests here, and gone with them: Playwright's loop would be in the way of anybody else's."""
    found = find_browser()
    assert found, "The browser tests need Chromium: `make test` installs it, or name it in LODGE_BROWSER."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Makes a page in a context of its own; afterwards no script may have failed, no policy been broken."""
    contexts = []
    complaints: list[str] = []

    def make(*, complaints_expected: bool = False, **options: Any) -> Page:
        context = browser.new_context(**options)
        context.set_default_timeout(TIMEOUT_MS)
        contexts.append(context)
        page = context.new_page()
        if complaints_expected:
            return page
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if _is_complaint(line.text) else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def _is_complaint(line: str) -> bool:
    return "Content Security Policy" in line or "Refused to" in line


@pytest.fixture
def parts(tmp_path: Path) -> ScriptedParts:
    return ScriptedParts(tmp_path)


@pytest.fixture
def server(parts: ScriptedParts) -> Iterator[str]:
    """The address of a running server."""
    with serving(web_app(WebOptions(), parts)) as url:
        yield url


@pytest.fixture
def page(new_page: NewPage, server: str) -> Page:
    """The chat page, open."""
    page = new_page()
    page.goto(f"{server}/chat")
    return page


@pytest.fixture
def host() -> Iterator[HostSite]:
    """Another web site."""
    with host_site() as site:
        yield site


@pytest.fixture
def lodge(host: HostSite, parts: ScriptedParts) -> Iterator[str]:
    """A server that lets the host site embed it."""
    parts.sites = site_table(main={"origins": [host.url]}, library={"origins": [host.url]})
    with serving(web_app(WebOptions(), parts)) as url:
        host.lodge = url
        yield url


@pytest.fixture(scope="package")
def console(small_home: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    """The console, for all tests that visit it; each asks questions of its own."""
    with open_console(small_home, tmp_path_factory.mktemp("console")) as opened:
        yield opened


@pytest.fixture(scope="package")
def open_all_day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The house that `house` lends."""
    with open_house(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture
def house(open_all_day: House) -> Iterator[House]:
    """The shared server and host site. Nobody is left waiting at its gate."""
    host, asker = open_all_day.host, open_all_day.parts.asker
    asker.gate.clear()
    asker.asked.clear()
    host.page, host.policy, host.with_widget = "", "", True
    yield open_all_day
    asker.gate.set()
