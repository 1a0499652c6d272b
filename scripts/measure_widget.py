"""What the widget costs a page and its visitor: bytes, requests, the host page's main thread, what is stored.

    make run                                        # in another terminal
    .venv/bin/python -m scripts.measure_widget

A real Chromium visits a page of the demo university by another name than Lodge's server has, so that the
panel's frame is another site's, as it is in life. Bytes are those of response bodies as they were sent,
compressed. Main-thread time is processor time of the page's thread, the middle of `--runs` visits, each by a
new browser profile; at load, what a visit without the widget takes is taken off.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from playwright.sync_api import Browser, CDPSession, Page, Request

from scripts.browsing import ask, chat_frame, chromium

QUESTION = "What are the library's hours?"
SETTLE_MS = 700
LOADER, EVENTS = "/widget.js", "/chat/events/…"
OF_AN_ANSWER = ("/chat/ask", EVENTS)
LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)))
  .observe({type: "longtask", buffered: true});
"""
STORED = """
async () => localStorage.length + sessionStorage.length + document.cookie.length
  + (await indexedDB.databases()).length + (await caches.keys()).length
"""


KEPT = """
() => {
  try {
    return [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort().join(", ");
  } catch {
    return "";  // this browser lets no frame of another site keep anything
  }
}
"""


@dataclass(frozen=True)
class Visit:
    """One visit: milliseconds of the host page's thread for loading it and for opening the panel."""

    load_ms: float
    open_ms: float = 0.0
    long_at_load_ms: tuple[float, ...] = ()
    long_at_opening_ms: tuple[float, ...] = ()
    requests: tuple[tuple[str, int | None], ...] = ()
    stored_on_the_page: int = 0
    kept_by_the_chat_page: str = ""
    cookies: int = 0


@dataclass(frozen=True)
class Measured:
    """The figures. Long tasks take more than 50 ms; the chat page's bytes are of all that opening fetches."""

    loader_bytes: int
    chat_page_bytes: int
    requests_until_the_first_answer: int
    load_ms: float
    open_ms: float
    long_at_load_ms: list[float]
    long_at_load_without_ms: list[float]
    long_at_opening_ms: list[float]
    cookies: int
    stored_on_the_page: int
    kept_by_the_chat_page: str
    requests: tuple[tuple[str, int | None], ...]


@contextmanager
def new_page(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """A page in a profile of its own, whose thread's time is counted."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(LONG_TASKS)
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    yield page, session
    context.close()


def thread_ms(page: Page, session: CDPSession) -> float:
    """Processor time of the page's main thread so far, once there is nothing more to do."""
    page.wait_for_timeout(SETTLE_MS)
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def visit(browser: Browser, url: str, server: str) -> Visit:
    """Load the page, open the panel, ask."""
    with new_page(browser) as (page, session):
        asked: list[Request] = []
        page.on("request", lambda one: asked.append(one) if one.url.startswith(server) else None)
        page.goto(url, wait_until="load")
        loaded_ms = thread_ms(page, session)
        long_at_load = page.evaluate("longTasks.splice(0)")
        # By a script: a click of Playwright's would do its looking on the thread that is measured.
        page.evaluate("document.querySelector('lodge-chat').open()")
        opened_ms = thread_ms(page, session)
        frame = chat_frame(page)
        ask(frame, QUESTION)
        return Visit(
            load_ms=loaded_ms,
            open_ms=opened_ms - loaded_ms,
            long_at_load_ms=tuple(long_at_load),
            long_at_opening_ms=tuple(page.evaluate("longTasks")),
            requests=tuple((name_of(one), size_of(one)) for one in asked),
            stored_on_the_page=page.evaluate(STORED),
            kept_by_the_chat_page=frame.evaluate(KEPT),
            cookies=len(page.context.cookies()),
        )


def visit_without(browser: Browser, url: str) -> Visit:
    """Load the page and look at it for as long, with the widget's script held back."""
    with new_page(browser) as (page, session):
        page.route("**/widget.js", lambda route: route.abort())
        page.goto(url, wait_until="load")
        load_ms = thread_ms(page, session)
        return Visit(load_ms, long_at_load_ms=tuple(page.evaluate("longTasks")))


def name_of(request: Request) -> str:
    """The path of its address; an answer's events have one of their own each time."""
    path = urlsplit(request.url).path
    return EVENTS if path.startswith("/chat/events/") else path


def size_of(request: Request) -> int | None:
    """Bytes of the response as they were sent; None of events, which the page ends by itself."""
    return None if name_of(request) == EVENTS else int(request.sizes()["responseBodySize"])


def measure(url: str, server: str, runs: int) -> Measured:
    """All of it."""
    with chromium() as browser:
        visit_without(browser, url)  # the first page of a browser pays for the browser
        pairs = [(visit_without(browser, url), visit(browser, url, server)) for _ in range(runs)]
    without, visits = zip(*pairs, strict=True)
    requests = visits[0].requests
    needed = (size or 0 for name, size in requests if name not in (LOADER, *OF_AN_ANSWER))
    return Measured(
        loader_bytes=next(size or 0 for name, size in requests if name == LOADER),
        chat_page_bytes=sum(needed),
        requests_until_the_first_answer=len(requests),
        load_ms=_middle(visits, "load_ms") - _middle(without, "load_ms"),
        open_ms=_middle(visits, "open_ms"),
        long_at_load_ms=[ms for one in visits for ms in one.long_at_load_ms],
        long_at_load_without_ms=[ms for one in without for ms in one.long_at_load_ms],
        long_at_opening_ms=[ms for one in visits for ms in one.long_at_opening_ms],
        cookies=max(one.cookies for one in visits),
        stored_on_the_page=max(one.stored_on_the_page for one in visits),
        kept_by_the_chat_page=visits[0].kept_by_the_chat_page,
        requests=requests,
    )


def _middle(visits: Sequence[Visit], what: str) -> float:
    return float(statistics.median(getattr(one, what) for one in visits))


def lines(measured: Measured, runs: int) -> list[str]:
    """The figures for a person."""
    rows = [
        ("loader, compressed", f"{measured.loader_bytes:,} bytes"),
        ("chat page with all it needs, compressed", f"{measured.chat_page_bytes:,} bytes"),
        ("requests until the first answer", str(measured.requests_until_the_first_answer)),
        ("main thread of the host page, at load", f"{measured.load_ms:.1f} ms more than without"),
        ("main thread of the host page, at opening", f"{measured.open_ms:.1f} ms"),
        (f"tasks over 50 ms in {runs} loads", _long(measured.long_at_load_ms)),
        (f"tasks over 50 ms in {runs} loads without", _long(measured.long_at_load_without_ms)),
        (f"tasks over 50 ms in {runs} openings", _long(measured.long_at_opening_ms)),
        ("cookies", str(measured.cookies)),
        ("stored on the host page", str(measured.stored_on_the_page)),
        ("kept by the chat page in its own origin", measured.kept_by_the_chat_page or "nothing"),
        *((f"  {name}", _bytes(size)) for name, size in measured.requests),
    ]
    return [f"{name:44}{value}" for name, value in rows]


def _bytes(size: int | None) -> str:
    return "a stream" if size is None else f"{size:,} bytes"


def _long(tasks_ms: list[float]) -> str:
    return f"{len(tasks_ms)}, the longest {max(tasks_ms):.0f} ms" if tasks_ms else "none"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    page = "http://localhost:8090/library/hours/"
    parser.add_argument("--server", default="http://127.0.0.1:8000", help="Lodge's address")
    parser.add_argument("--page", default=page, help="a page with the widget on it")
    parser.add_argument("--runs", type=int, default=5, help="how many visits")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    measured = measure(options.page, options.server, options.runs)
    if options.json:
        print(json.dumps(asdict(measured), indent=2))
    else:
        print("\n".join(lines(measured, options.runs)))


if __name__ == "__main__":
    main()
