"""A page as a browser shows it: Chromium runs its scripts, and the crawler fetches what they ask for.

The only import of Playwright (`lodge[render]`). Chromium itself reaches nothing: its connections go to a
proxy that is not there, and each request is answered here, from the page as it was fetched or through the
crawler, which keeps to the site, its robots.txt and its pace. One page at a time; time, bytes and requests
have an end.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from server.ingest.crawl.fetch import FetchedResponse

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Route

# What the crawler fetches for a page being rendered; None: it does not.
Get = Callable[[str], Awaitable[FetchedResponse | None]]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "It takes lodge[render] and a Chromium; LODGE_BROWSER names one."
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--proxy-server=127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
_ASKED = frozenset({"script", "xhr", "fetch"})
_PASSED_ON = ("content-type", "access-control-allow-origin")
_TIDY = "document.querySelectorAll('script:not([type*=json]), noscript, style').forEach(e => e.remove())"
_MOST_SCRIPTS_KEPT = 200  # answers that pages of a site ask for again
_LEFT_TO_READ_S = 3.0  # of the time of a page, once its scripts are cut short


class RenderError(Exception):
    """A page was not rendered; `message` says why, in a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """How long a page may take, what it may fetch, and how many bytes of both it may come to."""

    timeout_s: float = 60.0
    max_bytes: int = 10_000_000
    max_requests: int = 60


class ChromiumRenderer:
    """One Chromium for a crawl, started with the first page; begun again where it has ended."""

    def __init__(self, limits: RenderLimits, user_agent: str, browser: str = "") -> None:
        self._limits = limits
        self._user_agent = user_agent
        self._path = browser
        self._turn = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._scripts: dict[str, FetchedResponse] = {}

    async def render(self, page: FetchedResponse, get: Get) -> bytes:
        """Its HTML in UTF-8 once scripts have run, or as far as they have come when time is up."""
        async with self._turn:
            try:
                async with asyncio.timeout(self._limits.timeout_s + _LEFT_TO_READ_S):
                    html = await self._shown(page, get)
            except TimeoutError:
                await self.close()
                raise RenderError("Rendering it took too long.") from None
            except ImportError:
                raise RenderError(MISSING) from None
            except RenderError:
                raise
            except Exception as error:  # a browser fails in many ways, and none of them ends a crawl
                await self.close()
                raise RenderError(f"The browser failed ({type(error).__name__}).") from error
        if len(html) > self._limits.max_bytes:
            raise RenderError(f"Rendered, it is larger than {self._limits.max_bytes:,} bytes.")
        return html

    async def close(self) -> None:
        """End the browser; a next page begins another."""
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        with suppress(Exception):  # it has ended already, or does not answer
            if browser is not None:
                await asyncio.wait_for(browser.close(), _LEFT_TO_READ_S)
        with suppress(Exception):
            if playwright is not None:
                await asyncio.wait_for(playwright.stop(), _LEFT_TO_READ_S)

    async def _shown(self, page: FetchedResponse, get: Get) -> bytes:
        browser = await self._started()
        context = await browser.new_context(
            user_agent=self._user_agent, service_workers="block", accept_downloads=False
        )
        try:
            return await self._visit(context, page, get)
        finally:
            await context.close()

    async def _visit(self, context: BrowserContext, page: FetchedResponse, get: Get) -> bytes:
        from playwright.async_api import TimeoutError as OutOfTimeError  # noqa: PLC0415  (an extra)

        tab = await context.new_page()
        answers = _Answers(page, get, self._limits, self._scripts)
        await tab.route("**/*", answers.answer)
        await tab.route_web_socket("**/*", lambda socket: socket.close())
        context.on("page", lambda popup: popup.close())
        milliseconds = self._limits.timeout_s * 1000
        try:
            await tab.goto(page.url, wait_until="commit", timeout=milliseconds)
            await tab.wait_for_load_state("networkidle", timeout=milliseconds)
        except OutOfTimeError:
            answers.is_over = True
        if tab.url.startswith("chrome-error:"):
            raise RenderError("It goes elsewhere as soon as it is shown.")
        return await _html_of(tab)

    async def _started(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            return self._browser
        from playwright.async_api import async_playwright  # noqa: PLC0415  (an extra)

        self._playwright = await async_playwright().start()
        path = self._path or next(filter(None, map(shutil.which, NAMES)), None)
        if not path and not Path(self._playwright.chromium.executable_path).exists():
            raise RenderError(MISSING)
        self._browser = await self._playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        return self._browser


async def _html_of(tab: Page) -> bytes:
    await tab.evaluate(_TIDY)
    return (await tab.content()).encode("utf-8", "replace")


class _Answers:
    """What the browser is told when a page asks for something, one request after the other."""

    def __init__(
        self, page: FetchedResponse, get: Get, limits: RenderLimits, scripts: dict[str, FetchedResponse]
    ) -> None:
        self.is_over = False
        self._page = page
        self._get = get
        self._limits = limits
        self._scripts = scripts
        self._turn = asyncio.Lock()
        self._asked = 0
        self._bytes = 0
        self._is_shown = False

    async def answer(self, route: Route) -> None:
        """Fulfil a request, or refuse it: only the page itself is ever navigated to."""
        request = route.request
        if request.is_navigation_request():
            if self._is_shown or request.frame.parent_frame is not None:
                await route.abort("aborted")  # the page stays; another code would bring the browser's own
                return
            self._is_shown = True
            kind = self._page.headers.get("content-type", "text/html")
            await route.fulfill(status=200, headers={"content-type": kind}, body=self._page.body)
        elif request.resource_type == "stylesheet":
            await route.fulfill(status=200, content_type="text/css", body="")
        elif request.resource_type in _ASKED and request.method == "GET":
            await self._fetched(route, request.url, is_script=request.resource_type == "script")
        else:
            await route.abort()

    async def _fetched(self, route: Route, url: str, *, is_script: bool) -> None:
        async with self._turn:
            reply = self._scripts.get(url) or await self._reply(url)
        if reply is None or self.is_over:
            await route.abort()
            return
        if is_script and len(self._scripts) < _MOST_SCRIPTS_KEPT:
            self._scripts[url] = reply
        headers = {name: reply.headers[name] for name in _PASSED_ON if name in reply.headers}
        await route.fulfill(status=reply.status, headers=headers, body=reply.body)

    async def _reply(self, url: str) -> FetchedResponse | None:
        if self.is_over or self._asked >= self._limits.max_requests or self._bytes >= self._limits.max_bytes:
            return None
        self._asked += 1
        reply = await self._get(url)
        self._bytes += len(reply.body) if reply else 0
        return reply
