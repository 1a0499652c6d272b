"""Take the pictures of docs/screenshots: the widget on a page of the demo university, in a real Chromium.

    make run                                              # in another terminal
    .venv/bin/python -m scripts.take_screenshots

The degraded state needs a language model that is down:

    LODGE_LLM_URL=http://127.0.0.1:9/v1 make run          # in another terminal
    .venv/bin/python -m scripts.take_screenshots --only degraded
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from scripts.browsing import ask, chromium, open_panel
from server.settings import PROJECT

FOLDER = PROJECT / "docs" / "screenshots"
MOST_BYTES = 100_000
COLOURS = (256, 128, 64, 32)
DESK = {"viewport": {"width": 1000, "height": 700}}
ANSWERED = "When does add/drop end this fall?"
REFUSED = "Who won the chess world championship?"


def leave_closed(page: Page) -> None:
    """The button alone."""
    page.locator("lodge-chat button").wait_for()


def asking(question: str, *, unfold: bool = False) -> Callable[[Page], None]:
    """Ask it; with `unfold`, show the first source's passage."""

    def act(page: Page) -> None:
        frame = open_panel(page)
        ask(frame, question)
        if unfold:
            frame.locator(".source summary").first.click()
            frame.locator("blockquote").first.evaluate("(passage) => passage.scrollIntoView({block: 'end'})")

    return act


@dataclass(frozen=True)
class Shot:
    """A picture: what is done before it, how it is looked at, and how wide the file is."""

    act: Callable[[Page], Any]
    look: dict[str, Any] = field(default_factory=lambda: DESK)
    width: int = 1000


SHOTS = {
    "closed": Shot(leave_closed),
    "answer": Shot(asking(ANSWERED)),
    "refusal": Shot(asking(REFUSED)),
    "degraded": Shot(asking(ANSWERED)),
    "dark": Shot(asking(ANSWERED, unfold=True), {**DESK, "color_scheme": "dark"}),
    "phone": Shot(
        asking(ANSWERED),
        {"viewport": {"width": 390, "height": 780}, "has_touch": True, "device_scale_factor": 1.5},
        width=585,
    ),
    "zoom-400": Shot(asking(ANSWERED), {"viewport": {"width": 320, "height": 256}, "device_scale_factor": 4}),
}


def take(browser: Browser, url: str, shot: Shot) -> bytes:
    """The picture as a PNG of few colours."""
    context = browser.new_context(reduced_motion="reduce", **shot.look)
    page = context.new_page()
    page.goto(url)
    cookies = page.get_by_role("button", name="Only what is needed")  # the university's own question
    cookies.evaluate("(button) => button.click()")
    shot.act(page)
    page.wait_for_timeout(300)
    png = page.screenshot(caret="initial")
    context.close()
    return small(Image.open(io.BytesIO(png)).convert("RGB"), shot.width)


def small(image: Image.Image, width: int) -> bytes:
    """At most so wide, in as many colours as the bytes allow."""
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    for colours in COLOURS:
        file = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        if file.tell() < MOST_BYTES:
            return file.getvalue()
    raise SystemExit(f"Even in {COLOURS[-1]} colours it is {file.tell():,} bytes.")


def main() -> None:
    """Take them, or those that are named."""
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.description = __doc__
    page = "http://127.0.0.1:8090/library/hours/"
    parser.add_argument("--page", default=page, help="a page with the widget on it")
    parser.add_argument("--only", nargs="+", choices=SHOTS, help="these pictures alone")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they are put")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    with chromium() as browser:
        for name in options.only or [name for name in SHOTS if name != "degraded"]:
            picture = take(browser, options.page, SHOTS[name])
            (options.folder / f"{name}.png").write_bytes(picture)
            print(f"{name}.png: {len(picture):,} bytes")


if __name__ == "__main__":
    main()
