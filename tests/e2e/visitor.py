"""What a visitor does on a page with the widget, and on the chat page itself."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Frame, Locator, Page, expect

ANNOUNCED = """
() => {
  window.said = [];
  const region = document.querySelector("#announce");
  new MutationObserver(() => window.said.push(region.textContent.trim()))
    .observe(region, {childList: true, characterData: true, subtree: true});
}
"""


def said(page: Page) -> list[str]:
    """What the live region has said since `ANNOUNCED`."""
    return [text for text in page.evaluate("window.said") if text]


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for it from outside: Playwright's own polling evaluates a string, which our policy forbids."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        page.wait_for_timeout(20)


def launcher(page: Page | Frame, name: str = "Ask a question") -> Locator:
    """The widget's button."""
    return page.locator("lodge-chat").get_by_role("button", name=name, exact=True)


def is_open(page: Page | Frame) -> bool:
    """Whether the widget's panel shows."""
    return bool(page.evaluate("document.querySelector('lodge-chat').isOpen"))


def chat_frame(page: Page) -> Frame:
    """The panel's frame, once its question box has the focus."""

    def frames() -> list[Frame]:
        return [frame for frame in page.frames if "/chat?" in frame.url]

    until(page, lambda: bool(frames()))
    frame = frames()[-1]
    frame.locator("#question").wait_for()
    until(page, lambda: has_focus(frame, "#question"))
    return frame


def has_focus(frame: Page | Frame, selector: str) -> bool:
    """Whether the element has the keyboard, in its frame and in the window."""
    script = "css => document.hasFocus() && document.activeElement === document.querySelector(css)"
    return bool(frame.evaluate(script, selector))


def open_panel(page: Page) -> Frame:
    """Click the button."""
    launcher(page).click()
    return chat_frame(page)


def ask(page: Page | Frame, question: str) -> None:
    """Type it and press Enter."""
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")


def answer_in(frame: Page | Frame, question: str = "When is it?") -> None:
    """Ask, and wait for the answer's sources."""
    before = frame.locator(".sources").count()
    ask(frame, question)
    expect(frame.locator(".sources")).to_have_count(before + 1)
