"""Take the pictures of docs/screenshots/answers: a kind of answer each, on the chat page, in a real Chromium.

LODGE_TODAY=2026-11-23 make run                       # in another terminal
.venv/bin/python -m scripts.take_answer_pictures
"""

from __future__ import annotations

import argparse
import io
from typing import Any

from PIL import Image
from playwright.sync_api import Browser

from scripts.browsing import ask, chromium
from scripts.take_screenshots import FOLDER, small

DESK: dict[str, Any] = {"viewport": {"width": 760, "height": 560}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 780},
    "has_touch": True,
    "device_scale_factor": 1.5,
}
ROW = "What does a flu vaccine cost at the Health Center?"
# Its name, the question, how it is looked at, and whether the table is unfolded.
PICTURES: tuple[tuple[str, str, dict[str, Any], bool], ...] = (
    ("row", ROW, DESK, False),
    ("row-dark", ROW, {**DESK, "color_scheme": "dark"}, False),
    ("row-phone", ROW, PHONE, True),
    ("card", "How do I contact the health center?", DESK, False),
    ("computed", "What is the cheapest meal plan?", DESK, False),
    ("list", "What scholarships are there?", DESK, False),
    ("seems", "can i still add a class", DESK, False),
    ("refusal", "how much is a parking ticket", DESK, False),
    ("refusal-phone", "how much is a parking ticket", PHONE, False),
    ("steps", "How do I register as a part-time student?", DESK, False),
)


def take(browser: Browser, url: str, question: str, look: dict[str, Any], *, unfold: bool) -> bytes:
    """The answer as a PNG of few colours."""
    context = browser.new_context(reduced_motion="reduce", **look)
    page = context.new_page()
    page.goto(url)
    ask(page.main_frame, question)
    if unfold:
        page.locator(".whole > summary").first.click()
    page.wait_for_timeout(300)
    image = Image.open(io.BytesIO(page.screenshot(caret="initial"))).convert("RGB")
    context.close()
    return small(image, image.width)


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    parser.add_argument("--chat", default="http://127.0.0.1:8000/chat?site=main", help="the chat page")
    options = parser.parse_args()
    folder = FOLDER / "answers"
    folder.mkdir(exist_ok=True)
    with chromium() as browser:
        for name, question, look, unfold in PICTURES:
            picture = take(browser, options.chat, question, look, unfold=unfold)
            (folder / f"{name}.png").write_bytes(picture)
            print(f"{name}.png: {len(picture):,} bytes")


if __name__ == "__main__":
    main()
