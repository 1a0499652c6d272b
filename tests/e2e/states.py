"""Every state a visitor can meet the chat page in, and the way there."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Frame, Page, expect

from tests.e2e.visitor import answer_in, ask

Way = Callable[[Page | Frame], None]


def empty(page: Page | Frame) -> None:
    """Nothing has been asked."""
    expect(page.locator(".welcome")).to_be_visible()


def topic_open(page: Page | Frame) -> None:
    """A topic's suggested questions are shown."""
    page.get_by_text("Admissions", exact=True).click()


def searching(page: Page | Frame) -> None:
    """The answer streams in."""
    ask(page, "open the gate")
    expect(page.locator(".pending .answer-text")).to_have_text("Half an")


def answered(page: Page | Frame) -> None:
    """An answer with its sources; the question was about a topic, so others of that topic follow."""
    answer_in(page, "When can I transfer?")


def quote_open(page: Page | Frame) -> None:
    """A source's passage is shown."""
    answered(page)
    page.locator(".source summary").first.click()
    expect(page.locator("mark").first).to_be_visible()


def unfolded(page: Page | Frame) -> None:
    """A row in its table, a long list and a card; the whole table is shown."""
    answer_in(page, "What is folded?")
    page.get_by_text("Show all 12 rows").click()
    expect(page.get_by_role("row")).to_have_count(13)


def rated(page: Page | Frame) -> None:
    """The answer was not helpful; the form asks why."""
    answered(page)
    page.locator(".feedback button[value=down]").click()
    expect(page.locator(".why")).to_be_visible()


def thanked(page: Page | Frame) -> None:
    """The reasons have been sent."""
    rated(page)
    page.get_by_label("It is out of date").check()
    page.locator(".why button").click()
    expect(page.locator(".why")).to_have_count(0)


def refused(page: Page | Frame) -> None:
    """No answer, but the closest pages and people to ask."""
    ask(page, "Any nobel prize?")
    expect(page.locator(".closest")).to_be_visible()


def asking_a_person(page: Page | Frame) -> None:
    """The contacts of the answer's topic."""
    answered(page)
    page.locator(".answer .person summary").click()
    expect(page.locator(".answer .contacts")).to_be_visible()


def degraded(page: Page | Frame) -> None:
    """Part of the service is down, and the answer says so."""
    answer_in(page, "A simpler answer?")
    expect(page.locator(".degraded")).to_be_visible()


def careful(page: Page | Frame) -> None:
    """An answer below an urgent notice, whose sources may not hold any more."""
    answer_in(page, "A careful answer?")
    expect(page.locator(".notice")).to_be_visible()
    expect(page.locator(".caution")).to_have_count(2)


def written(page: Page | Frame) -> None:
    """An answer in the words of a model, with its few marks of form."""
    answer_in(page, "An answer in markdown?")
    expect(page.locator(".rich strong")).to_be_visible()


def failed(page: Page | Frame) -> None:
    """The service is not available."""
    ask(page, "unready")
    expect(page.locator(".failed")).to_be_visible()


def broken_off(page: Page | Frame) -> None:
    """The flow broke after the first event."""
    ask(page, "break it")
    expect(page.locator(".failed")).to_be_visible()


def offline(page: Page | Frame) -> None:
    """No connection."""
    (page if isinstance(page, Page) else page.page).context.set_offline(True)
    expect(page.locator("#notice .problem")).to_be_visible()


def too_long(page: Page | Frame) -> None:
    """The question is longer than the site allows, and was sent all the same."""
    ask(page, "x" * 202)
    expect(page.locator("#notice .problem")).to_be_visible()


def menu_open(page: Page | Frame) -> None:
    """The menu, with people to ask, saving and languages."""
    answered(page)
    page.locator(".menu > summary").click()
    expect(page.locator(".menu-list")).to_be_visible()


def starting_over(page: Page | Frame) -> None:
    """The question before a conversation is erased."""
    menu_open(page)
    page.locator(".confirm > summary").click()
    expect(page.locator(".confirm button")).to_be_visible()


def erased(page: Page | Frame) -> None:
    """The conversation is gone, and the page says so."""
    starting_over(page)
    page.locator(".confirm button").click()
    expect(page.locator("#news")).to_be_visible()


def everything(page: Page | Frame) -> None:
    """One conversation with all of it: an answer unfolded and rated, a refusal, less, a problem."""
    answer_in(page, "When can I transfer?")
    page.locator(".source summary").first.click()
    page.locator(".feedback button[value=down]").click()
    expect(page.locator(".why")).to_be_visible()
    page.locator(".answer .person summary").click()
    ask(page, "Any nobel prize?")
    expect(page.locator(".closest")).to_be_visible()
    answer_in(page, "A simpler, careful answer?")
    answer_in(page, "An answer in markdown?")
    ask(page, "unready")
    expect(page.locator(".failed")).to_be_visible()
    expect(page.locator("#question")).to_have_value("unready")


STATES: dict[str, Way] = {
    "nothing asked yet": empty,
    "a topic's questions": topic_open,
    "searching, the answer streams in": searching,
    "an answer with its sources": answered,
    "a source's passage": quote_open,
    "a table that is unfolded, a list and a card": unfolded,
    "the feedback form": rated,
    "feedback sent": thanked,
    "a refusal with the closest pages": refused,
    "ask a person": asking_a_person,
    "a degraded answer": degraded,
    "a notice, and doubts about the sources": careful,
    "an answer that a model wrote": written,
    "the service is not available": failed,
    "an answer that broke off": broken_off,
    "offline": offline,
    "too long a question": too_long,
    "the menu": menu_open,
    "start over, asked first": starting_over,
    "erased": erased,
    "all of it in one conversation": everything,
}
