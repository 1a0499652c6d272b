"""Three journeys through the console, as a person makes them: for the browser tests, and to be filmed.

A journey counts its clicks, and takes a picture wherever a person would stop to read.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page, expect

Camera = Callable[[Page, str], Any]


def no_picture(_page: Page, _name: str) -> None:
    """For a journey that is only made."""


@dataclass
class Traveller:
    """Somebody at the console."""

    page: Page
    camera: Camera = no_picture
    clicks: int = 0
    begun: float = field(default_factory=time.perf_counter)
    filming: float = 0.0

    def click(self, what: Locator) -> None:
        """One click, counted."""
        what.click()
        self.clicks += 1

    def button(self, name: str) -> None:
        """Press the button of that name."""
        self.click(self.page.get_by_role("button", name=name).first)

    def open_page(self, name: str) -> None:
        """Choose a page of the console, by the menu."""
        self.click(self.page.get_by_test_id("stSidebarNav").get_by_role("link", name=name))
        expect(self.page.get_by_role("heading", level=1).first).to_be_visible()

    def fill(self, label: str, text: str) -> None:
        """Type into a field, and leave it."""
        box = self.page.get_by_label(label, exact=True).first
        box.fill(text)
        box.press("Tab")

    def sees(self, text: str | re.Pattern[str]) -> None:
        """Wait until it is there."""
        expect(self.page.get_by_text(text).first).to_be_visible()

    def looks_at(self, heading: str) -> None:
        """Scroll to a heading. While the page is drawn anew it may be there twice, the newer one first."""
        self.scroll_to(self.page.get_by_role("heading", name=heading).first)

    def scroll_to(self, what: Locator) -> None:
        """In one go: Playwright's own waits until it stands still, and fails where that is drawn anew."""
        expect(what).to_be_visible()
        what.evaluate("it => it.scrollIntoView({block: 'center'})")

    def picture(self, name: str) -> None:
        """Stop to read; the time that the picture takes is not the journey's."""
        begun = time.perf_counter()
        self.camera(self.page, name)
        self.filming += time.perf_counter() - begun

    @property
    def seconds(self) -> float:
        """How long the journey has taken so far, without thinking and reading."""
        return time.perf_counter() - self.begun - self.filming


@dataclass(frozen=True)
class Section:
    """What an editor leaves out: how its addresses begin, and why."""

    prefix: str
    why: str


def leave_out_a_section(
    person: Traveller, section: Section, between: Callable[[], Any] = lambda: None
) -> None:
    """An editor leaves out a section after seeing what it breaks, publishes, and goes back.

    Begins on any page of the console; `between` is called while the section is left out.
    """
    person.open_page("Filters and answers")
    person.sees("Nothing is waiting to be published.")
    person.click(person.page.get_by_text("Add or change").first)
    person.fill("Which", section.prefix)
    person.fill("Why (for whoever comes after you)", section.why)
    person.picture("1-form")
    person.button("Keep in the draft")
    person.sees(re.compile(r"^It leaves out \d"))
    person.looks_at("The draft")
    person.picture("2-pages")
    person.button("Try it on past and golden questions")
    person.sees("Answers that change")
    person.scroll_to(person.page.get_by_text("Answers that change").first)
    person.click(person.page.get_by_text(re.compile("loses its page|not answered any more")).first)
    person.sees("With the draft")
    person.picture("3-what-it-breaks")
    person.button("Publish to visitors now")
    person.sees("Nothing is waiting to be published.")
    person.looks_at("Published before")
    person.picture("4-published")
    between()
    person.button("Go back to what held before the last change")
    person.sees(re.compile("Back to what held before version"))
    person.looks_at("Published before")
    person.picture("5-undone")


@dataclass(frozen=True)
class WrongAnswer:
    """A question that was answered from another passage than the right one.

    `passage` is the beginning of the right one's name in the list; `words` are what a right answer must have.
    """

    question: str
    passage: str
    words: str


def mend_a_wrong_answer(
    person: Traveller, wrong: WrongAnswer, look_again: Callable[[], None] = lambda: None
) -> None:
    """An editor goes from a wrong answer to one that is right, live and kept as a golden question.

    Begins on any page of the console; `look_again` is called once the mended answer is live.
    """
    person.open_page("Conversations")
    person.click(person.page.get_by_role("link", name=wrong.question).first)
    person.sees("Mend it:")
    person.picture("1-wrong-answer")
    person.click(person.page.get_by_role("link", name="This passage is right").last)
    person.sees("Which passage is right")
    person.picture("2-passages")
    choices = person.page.get_by_role("radiogroup", name="Which passage is right")
    person.click(choices.get_by_text(wrong.passage).first)
    words = person.page.get_by_label(re.compile("^(or these words|Words that)")).first
    words.fill(wrong.words)
    words.press("Tab")
    person.picture("3-right-passage")
    _try_and_publish(person, "Mended: it would be answered rightly.", look_again, ("4-tried", "5-live"))


@dataclass(frozen=True)
class MissingAnswer:
    """A question that was not answered, an editor's answer, and the title of the page that says more, or the
    beginning of it; "": the first that was found."""

    question: str
    text: str
    page: str


def write_a_missing_answer(
    person: Traveller, missing: MissingAnswer, look_again: Callable[[], None] = lambda: None
) -> None:
    """An editor goes from a missing answer to one in their own words that is live, and on to the next.

    Begins on any page of the console; `look_again` is called once the answer is live.
    """
    person.open_page("Missing answers")
    person.click(person.page.get_by_role("link", name=missing.question).first)
    person.sees("As visitors asked it")
    person.picture("1-missing")
    person.click(person.page.get_by_role("link", name="Write an answer").first)
    person.sees("How one might ask it")
    person.fill("The answer", missing.text)
    person.click(person.page.get_by_role("combobox", name=re.compile("^A page that says more")))
    person.click(person.page.get_by_role("option", name=re.compile(re.escape(missing.page))).first)
    person.sees(missing.text)
    person.picture("2-written")
    _try_and_publish(person, "It would be answered in your words.", look_again, ("3-tried", "4-live"))
    person.click(
        person.page.get_by_role("link", name=re.compile("^The next missing answer|^Nothing is left"))
    )


def _try_and_publish(
    person: Traveller, verdict: str, look_again: Callable[[], None], pictures: tuple[str, str]
) -> None:
    """The last steps on *Mend an answer*: what was filled in is tried, said to do this, and published."""
    tried, live = pictures
    person.button("Try it on this question and those like it")
    person.sees(verdict)
    person.looks_at("What it would do")
    person.picture(tried)
    person.button("Publish to visitors now")
    person.sees(re.compile("^Published: visitors get it"))
    look_again()
    person.picture(live)
