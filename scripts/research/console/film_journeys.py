"""Film the three journeys of docs/console.md: a picture wherever a person stops to read; clicks and seconds.

    make run                                              # in another terminal; it prints a token
    LODGE_ADMIN_TOKEN=lodge_… .venv/bin/python -m scripts.research.console.film_journeys

The pictures are put into docs/screenshots/journeys. The wrong answer is asked over the API first, like a
visitor's, so that it stands in the conversations; the seconds are those of the machine, without thinking.
"""

from __future__ import annotations

import argparse
import io
import os
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from scripts.browsing import chromium
from scripts.research.console.journeys import (
    Camera,
    MissingAnswer,
    Section,
    Traveller,
    WrongAnswer,
    leave_out_a_section,
    mend_a_wrong_answer,
    write_a_missing_answer,
)
from scripts.take_screenshots import small
from server.settings import PROJECT

FOLDER = PROJECT / "docs" / "screenshots" / "journeys"
WIDTH = 1000
SETTLE_MS = 1500  # Streamlit fades out what it has drawn anew
ASKED_BEFORE = (
    "when is spring break",
    "where is the library",
    "how do I get a parking permit",
    "what is new at the library",
    "is the library open all night",
    "what happened to Spruce Hall",
    "when does the shuttle run",
)
WRONG = "how many times can I repeat a course"
WRITTEN = "The page on this is being written. Until then ask at the Student Service Center."


def camera(folder: Path, journey: str) -> Camera:
    """Takes a picture of what is on the screen."""

    def take(page: Page, name: str) -> None:
        page.wait_for_timeout(SETTLE_MS)
        png = page.screenshot()
        image = Image.open(io.BytesIO(png)).convert("RGB")
        (folder / f"{journey}-{name}.png").write_bytes(small(image, WIDTH))

    return take


def main() -> None:
    """Makes the journeys and prints a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--console", default="http://127.0.0.1:8501")
    parser.add_argument("--passage", default="Repeating a course", help="how the right passage is named")
    parser.add_argument("--words", default="may repeat a course once", help="what a right answer must have")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for question in (*ASKED_BEFORE, WRONG):
        httpx.post(f"{given.server}/api/ask", json={"question": question}, timeout=60).raise_for_status()
    expect.set_options(timeout=300_000)  # a change is tried on a thousand past questions
    with chromium() as browser:
        person = Traveller(_signed_in(browser, given.console), camera(given.folder, "mend"))
        mend_a_wrong_answer(person, WrongAnswer(WRONG, given.passage, given.words))
        print(f"a wrong answer mended and live: {person.clicks} clicks, {person.seconds:.1f} s")
        person = Traveller(_signed_in(browser, given.console), camera(given.folder, "missing"))
        write_a_missing_answer(person, MissingAnswer(_asked_most(given.server), WRITTEN, ""))
        print(f"a missing answer written and live: {person.clicks} clicks, {person.seconds:.1f} s")
        person = Traveller(_signed_in(browser, given.console), camera(given.folder, "leave-out"))
        leave_out_a_section(person, Section("/news/", "News is not where facts are looked up."))
        print(f"a section left out, published, taken back: {person.clicks} clicks, {person.seconds:.1f} s")


def _asked_most(server: str) -> str:
    """The missing answer that stands first in the list."""
    token = {"Authorization": f"Bearer {os.environ['LODGE_ADMIN_TOKEN']}"}
    found = httpx.get(f"{server}/admin/api/v1/gaps", params={"limit": 1}, headers=token, timeout=300)
    [gap] = found.raise_for_status().json()["gaps"]
    return str(gap["question"])


def _signed_in(browser: Browser, console: str) -> Page:
    """The console in a browser of its own, signed in with the token of the environment."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(console)
    page.get_by_label("Admin token").fill(os.environ["LODGE_ADMIN_TOKEN"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("Signed in as").wait_for()
    return page


if __name__ == "__main__":
    main()
