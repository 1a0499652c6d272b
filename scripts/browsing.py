"""What the scripts that visit a page with the widget share: a browser, the panel, a question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Frame, Page, sync_playwright

from scripts.ensure_browser import find_browser

# Each site in a process of its own, as browsers have it where there is memory enough.
_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """One, running."""
    with sync_playwright() as playwright:
        flags = [*_FLAGS, "--site-per-process"]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=flags)
        yield browser
        browser.close()


def open_panel(page: Page) -> Frame:
    """Press the button; the chat page in the panel, once one can type into it."""
    page.locator("lodge-chat button").click()
    return chat_frame(page)


def chat_frame(page: Page) -> Frame:
    """The chat page in a panel that has been opened, once one can type into it."""
    while not (frames := [frame for frame in page.frames if "/chat?" in frame.url]):
        page.wait_for_timeout(10)
    frames[0].locator("#question").wait_for()
    return frames[0]


def ask(frame: Frame, question: str) -> None:
    """Ask, and wait for the answer's end."""
    frame.locator("#question").fill(question)
    frame.locator("#question").press("Enter")
    frame.locator(".answer:not(.pending) .tools").wait_for()
