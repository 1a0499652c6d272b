"""What the widget costs a page and its visitor: bytes, requests, the host page's main thread, what is stored.

    make run                                        # in another terminal
    .venv/bin/python -m scripts.research.measure_widget

A real Chromium visits a page of the demo university by another name than Lodge's server has, so that the
panel's frame is another site's, as it is in life. Bytes are those of response bodies as they were sent,
compressed. Main-thread time is processor time of the tasks of the page's thread (painting is in it), out of
the browser's own trace; each figure is the middle, or the longest, of `--runs` visits by new profiles.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, Request

from scripts.browsing import ask, chat_frame, chromium

QUESTION = "What are the library's hours?"
SETTLE_MS = 700
LOADER, EVENTS = "/widget.js", "/chat/events/…"
OF_AN_ANSWER = ("/chat/ask", EVENTS)
TRACED = ["disabled-by-default-devtools.timeline", "blink.user_timing"]
LOADED, OPENED = "lodge-measure-loaded", "lodge-measure-opened"
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
class Tasks:
    """Milliseconds of each task of the host page's thread: until it was loaded, while the panel opened."""

    at_load: list[float]
    at_opening: list[float]


@dataclass(frozen=True)
class Visit:
    """What was fetched from Lodge's server, and what is kept where, once an answer is there."""

    tasks: Tasks
    requests: tuple[tuple[str, int | None], ...]
    stored_on_the_page: int
    kept_by_the_chat_page: str
    cookies: int


@dataclass(frozen=True)
class Measured:
    """The figures. The chat page's bytes are of all that opening the panel fetches."""

    loader_bytes: int
    chat_page_bytes: int
    requests_until_the_first_answer: int
    load_ms: float
    load_without_ms: float
    open_ms: float
    longest_at_load_ms: float
    longest_at_load_without_ms: float
    longest_at_opening_ms: float
    cookies: int
    stored_on_the_page: int
    kept_by_the_chat_page: str
    requests: tuple[tuple[str, int | None], ...]


@contextmanager
def new_page(browser: Browser) -> Iterator[Page]:
    """A page in a profile of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def mark(page: Page, name: str) -> None:
    """Once there is nothing more to do, put a mark into the trace."""
    page.wait_for_timeout(SETTLE_MS)
    page.evaluate("(name) => void performance.mark(name)", name)


def host_tasks(trace: bytes) -> Tasks:
    """The tasks of the thread that set the marks, until the first of them and from there to the second."""
    events: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    marks = {event["name"]: event for event in events if event["name"] in (LOADED, OPENED)}
    loaded = marks[LOADED]
    thread = (loaded["pid"], loaded["tid"])
    tasks = [event for event in events if event["name"] == "RunTask" and event["ph"] == "X"]
    own = [(task["ts"], task.get("tdur", 0) / 1000) for task in tasks if (task["pid"], task["tid"]) == thread]
    end = marks.get(OPENED, loaded)["ts"]
    return Tasks(
        at_load=[ms for at, ms in own if at <= loaded["ts"]],
        at_opening=[ms for at, ms in own if loaded["ts"] < at <= end],
    )


def visit(browser: Browser, url: str, server: str) -> Visit:
    """Load the page, open the panel, ask."""
    with new_page(browser) as page:
        asked: list[Request] = []
        page.on("request", lambda one: asked.append(one) if one.url.startswith(server) else None)
        browser.start_tracing(page=page, categories=TRACED)
        page.goto(url, wait_until="load")
        mark(page, LOADED)
        # By a script: a click of Playwright's would do its looking on the thread that is measured.
        page.evaluate("document.querySelector('lodge-chat').open()")
        mark(page, OPENED)
        tasks = host_tasks(browser.stop_tracing())
        frame = chat_frame(page)
        ask(frame, QUESTION)
        return Visit(
            tasks=tasks,
            requests=tuple((name_of(one), size_of(one)) for one in asked),
            stored_on_the_page=page.evaluate(STORED),
            kept_by_the_chat_page=frame.evaluate(KEPT),
            cookies=len(page.context.cookies()),
        )


def visit_without(browser: Browser, url: str) -> Tasks:
    """Load the page and look at it for as long, with the widget's script held back."""
    with new_page(browser) as page:
        page.route("**/widget.js", lambda route: route.abort())
        browser.start_tracing(page=page, categories=TRACED)
        page.goto(url, wait_until="load")
        mark(page, LOADED)
        return host_tasks(browser.stop_tracing())


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
    visits = [one for _, one in pairs]
    without, at_load = [tasks.at_load for tasks, _ in pairs], [one.tasks.at_load for one in visits]
    at_opening = [one.tasks.at_opening for one in visits]
    requests = visits[0].requests
    return Measured(
        loader_bytes=next(size or 0 for name, size in requests if name == LOADER),
        chat_page_bytes=sum(size or 0 for name, size in requests if name not in (LOADER, *OF_AN_ANSWER)),
        requests_until_the_first_answer=len(requests),
        load_ms=_middle(at_load),
        load_without_ms=_middle(without),
        open_ms=_middle(at_opening),
        longest_at_load_ms=_longest(at_load),
        longest_at_load_without_ms=_longest(without),
        longest_at_opening_ms=_longest(at_opening),
        cookies=max(one.cookies for one in visits),
        stored_on_the_page=max(one.stored_on_the_page for one in visits),
        kept_by_the_chat_page=visits[0].kept_by_the_chat_page,
        requests=requests,
    )


def _middle(visits: Sequence[list[float]]) -> float:
    return statistics.median(sum(tasks) for tasks in visits)


def _longest(visits: Sequence[list[float]]) -> float:
    return max(task for tasks in visits for task in tasks)


def lines(measured: Measured) -> list[str]:
    """The figures for a person."""
    rows = [
        ("loader, compressed", f"{measured.loader_bytes:,} bytes"),
        ("chat page with all it needs, compressed", f"{measured.chat_page_bytes:,} bytes"),
        ("requests until the first answer", str(measured.requests_until_the_first_answer)),
        ("main thread of the host page, at load", f"{measured.load_ms:.1f} ms"),
        ("  without the widget", f"{measured.load_without_ms:.1f} ms"),
        ("  its longest task", f"{measured.longest_at_load_ms:.1f} ms"),
        ("  its longest task without the widget", f"{measured.longest_at_load_without_ms:.1f} ms"),
        ("main thread of the host page, at opening", f"{measured.open_ms:.1f} ms"),
        ("  its longest task", f"{measured.longest_at_opening_ms:.1f} ms"),
        ("cookies", str(measured.cookies)),
        ("stored on the host page", str(measured.stored_on_the_page)),
        ("kept by the chat page in its own origin", measured.kept_by_the_chat_page or "nothing"),
        *((f"  {name}", _bytes(size)) for name, size in measured.requests),
    ]
    return [f"{name:44}{value}" for name, value in rows]


def _bytes(size: int | None) -> str:
    return "a stream" if size is None else f"{size:,} bytes"


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
        print("\n".join(lines(measured)))


if __name__ == "__main__":
    main()
