"""What assistive technology is told: Chromium's accessibility tree of the chat page and of the widget."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.hosting import PLAIN
from tests.e2e.house import House
from tests.e2e.states import STATES, answered, everything, quote_open, refused, searching
from tests.e2e.visitor import answer_in, launcher, open_panel

pytestmark = pytest.mark.browser

NAMELESS = re.compile(r"^\s*- (?:button|link|textbox|radio|img|article)(?: \[.*)?:?$", re.MULTILINE)
ANSWER = """
- article:
  - heading "You asked" [level=3]
  - paragraph: When can I transfer?
  - heading "Answer" [level=3]
  - paragraph:
    - text: The deadline for fall transfer applications is March 1.
    - link "Source 1":
      - /url: /#source-.*-1/
    - text: The application fee is $40, and it can be waived.
    - link "Source 2":
      - /url: /#source-.*-2/
  - heading "Sources" [level=4]
  - list:
    - listitem:
      - text: Source 1
      - link "Transfer Students (opens in a new tab)":
        - /url: /https:.*admissions.transfer#.*/
      - group:
        - text: Show the passage
        - paragraph:
          - text: /larkmoor.example.admissions.transfer/
          - time: Updated March 3, 2025
        - blockquote:
          - text: Transfer students may start in either term.
          - mark: The deadline for fall transfer applications is March 1.
          - text: Spring applications close on October 15.
    - listitem:
      - text: Source 2
      - link "Fees and Waivers (opens in a new tab)":
        - /url: /https:.*admissions.fees#.*/
      - group
  - button "Copy"
  - group "Was this helpful?":
    - button "Helpful"
    - button "Not helpful"
"""
REFUSAL = """
- article:
  - heading "You asked" [level=3]
  - paragraph: Any nobel prize?
  - heading "Answer" [level=3]
  - paragraph: I could not find this on the university's pages.
  - heading "The closest pages" [level=4]
  - list:
    - listitem:
      - link "Programs of Study (opens in a new tab)"
    - listitem:
      - link "Physics (opens in a new tab)"
    - listitem
  - heading "Ask a person" [level=4]
  - list:
    - listitem:
      - strong: Switchboard
      - link "(802) 555-0100"
    - listitem:
      - link "Contact page (opens in a new tab)"
"""
FOLDED = """
- article:
  - heading "You asked" [level=3]
  - paragraph: What is folded?
  - heading "Answer" [level=3]
  - group "Room, Opens":
    - table "Opening times Source 1":
      - caption
      - rowgroup:
        - row "Room Opens":
          - cell
          - columnheader "Room"
          - columnheader "Opens"
      - rowgroup:
        - row "Office 4 410 4 a.m."
        - 'row "The answer: Office 5 510 5 a.m."':
          - 'rowheader "The answer: Office 5"':
            - text: "The answer:"
            - mark: Office 5
          - cell "510"
          - cell "5 a.m."
        - row "Office 6 610 6 a.m."
  - group: Show all 12 rows
  - paragraph:
    - text: "Clubs:"
    - link "Source 2"
  - list:
    - listitem: Club 1
    - listitem: Club 2
    - listitem: Club 3
    - listitem: Club 4
    - listitem: Club 5
  - group: Show all 14
  - paragraph:
    - strong: Advising Center
    - link "Source 2"
  - list:
    - listitem: Quarry Hall 140
    - listitem:
      - link "(802) 555-0122":
        - /url: tel:8025550122
    - listitem:
      - link "advising@larkmoor.example":
        - /url: mailto:advising@larkmoor.example
"""
HEADINGS = "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((one) => one.checkVisibility())"
CONTEXTS = """
[...document.querySelectorAll("a[href]")].filter((one) => one.checkVisibility()).map((one) =>
  [one.closest(".turn, .menu")?.innerText.slice(0, 40) ?? "", one.textContent.trim(), one.href])
"""


def tree(page: Page) -> list[dict[str, Any]]:
    """What the browser itself tells assistive technology of the page's main frame."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node.get("ignored")]


def names_of(nodes: list[dict[str, Any]], role: str) -> list[str]:
    """The names of all with that role."""
    return [node["name"]["value"].strip() for node in nodes if node["role"]["value"] == role]


def properties(node: dict[str, Any]) -> dict[str, Any]:
    """States and properties by name."""
    return {one["name"]: one["value"].get("value") for one in node.get("properties", [])}


@pytest.mark.wcag("1.1.1", "2.4.2", "2.4.6", "4.1.2")
def test_every_control_says_what_it_is(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    everything(page)
    page.locator(".menu > summary").click()
    assert NAMELESS.findall(page.locator("body").aria_snapshot().replace("- article:", "")) == []
    nodes = tree(page)
    assert set(names_of(nodes, "DisclosureTriangle")) == {
        "Options",
        "Show the passage",
        "Ask a person",
        "Start over",
    }
    assert "Your question" in names_of(nodes, "textbox")
    assert names_of(nodes, "RootWebArea") == ["Ask Larkmoor University"]
    pressed = [properties(node).get("pressed") for node in nodes if node["role"]["value"] == "button"]
    assert pressed.count("true") == 1, "the thumb that was pressed"
    opened = [
        properties(node).get("expanded") for node in nodes if node["role"]["value"] == "DisclosureTriangle"
    ]
    assert True in opened
    assert False in opened


@pytest.mark.wcag("1.1.1", "1.4.5")
def test_there_are_no_pictures_but_decoration(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    everything(page)
    assert names_of(tree(page), "image") == []
    assert page.evaluate("[...document.images].map((one) => one.alt)") == [""], "the logo, beside its name"
    others = page.locator("svg:not([aria-hidden=true]), svg text, canvas, video, audio, object")
    expect(others).to_have_count(0)


@pytest.mark.wcag("1.3.1", "1.3.2", "2.4.4")
def test_an_answer_is_read_in_order_with_its_sources(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    quote_open(page)
    expect(page.locator("#turns")).to_match_aria_snapshot(ANSWER)
    refused(page)
    expect(page.locator("#turns")).to_match_aria_snapshot(REFUSAL)


@pytest.mark.wcag("1.3.1", "1.4.1")
def test_a_row_a_list_and_a_card_are_read_as_such_and_unfold(new_page: NewPage, house: House) -> None:
    """The row that answers is told by words; what is unfolded is read once."""
    page = new_page()
    page.goto(house.chat)
    answer_in(page, "What is folded?")
    expect(page.locator("#turns")).to_match_aria_snapshot(FOLDED)
    page.get_by_text("Show all 12 rows").click()
    page.get_by_text("Show all 14").click()
    nodes = tree(page)
    assert len(names_of(nodes, "row")) == 13
    assert [name for name in names_of(nodes, "rowheader") if "answer" in name] == ["The answer: Office 5"]
    expect(page.locator(".blocks").get_by_text(re.compile("^Club "))).to_have_count(19)
    clubs = [name for name in names_of(nodes, "StaticText") if re.fullmatch(r"Club \d+", name)]
    assert len(clubs) == 14


@pytest.mark.wcag("2.4.4")
def test_links_of_one_name_lead_to_one_place(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    everything(page)
    page.locator(".menu > summary").click()
    places: dict[tuple[str, str], set[str]] = {}
    for context, name, address in page.evaluate(CONTEXTS):
        places.setdefault((context, name), set()).add(address)
    assert [name for name, addresses in places.items() if len(addresses) > 1] == []


@pytest.mark.parametrize("state", ["nothing asked yet", "all of it in one conversation", "erased"])
@pytest.mark.wcag("1.3.1", "2.4.6")
def test_headings_and_landmarks_give_the_page_its_outline(
    new_page: NewPage, house: House, state: str
) -> None:
    page = new_page()
    page.goto(house.chat)
    STATES[state](page)
    levels = page.evaluate(f"{HEADINGS}.map((one) => Number(one.localName[1]))")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert max(deeper - level for level, deeper in pairwise(levels)) <= 1
    assert all(page.evaluate(f"{HEADINGS}.map((one) => one.textContent.trim())"))
    for landmark in ("banner", "main", "contentinfo"):
        expect(page.get_by_role(landmark)).to_have_count(1)


@pytest.mark.wcag("2.5.3")
def test_the_words_that_are_seen_are_the_name(new_page: NewPage, house: House) -> None:
    """No name is given beside the words themselves, so that who says them to a computer is understood."""
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page = new_page()
    page.goto(house.host.url)
    named = "[aria-label], [aria-labelledby]:not(section), [title]:not(iframe)"
    expect(page.locator(f"lodge-chat :is({named})")).to_have_count(0)
    frame = open_panel(page)
    everything(frame)
    expect(frame.locator(named)).to_have_count(0)


@pytest.mark.wcag("3.1.2")
def test_each_part_says_its_language(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(f"{house.chat}&lang=es")
    answered(page)
    page.locator(".menu > summary").click()
    language = "(one) => one.closest('[lang]').lang"
    for css, lang in {
        "h1": "es",
        ".answer-text": "en",
        ".reference .unseen": "es",
        ".page-link > span": "en",
        ".page-link > .unseen": "es",
        ".source time": "es",
        ".source summary": "es",
        ".source blockquote": "en",
        ".source-number .unseen": "es",
        ".languages li:first-child a": "en",
    }.items():
        assert page.locator(css).first.evaluate(language) == lang, css


@pytest.mark.wcag("4.1.2")
def test_the_button_tells_its_name_and_whether_the_panel_is_open(new_page: NewPage, house: House) -> None:
    house.host.page = PLAIN.format(body="", script=house.host.script)
    page = new_page()
    page.goto(house.host.url)
    launcher(page).wait_for()
    [button] = [node for node in tree(page) if node["role"]["value"] == "button"]
    assert (button["name"]["value"], properties(button)["expanded"]) == ("Ask a question", False)
    open_panel(page)
    nodes = tree(page)
    [button] = [node for node in nodes if node["role"]["value"] == "button"]
    assert (button["name"]["value"], properties(button)["expanded"]) == ("Ask a question", True)
    assert names_of(nodes, "Iframe") == ["Ask a question"]


@pytest.mark.wcag("4.1.3")
def test_words_that_stream_in_are_in_no_live_region(new_page: NewPage, house: House) -> None:
    page = new_page()
    page.goto(house.chat)
    searching(page)
    live = "(one) => one.closest('[aria-live], [role=status], [role=alert], [role=log]')"
    assert page.locator(".pending .answer-text").evaluate(live) is None
    expect(page.get_by_role("status")).to_have_text("Searching…")
    expect(page.get_by_role("status")).to_have_attribute("aria-live", "polite")


@pytest.mark.wcag("3.2.6")
def test_people_to_ask_are_found_in_the_same_place_everywhere(new_page: NewPage, house: House) -> None:
    page = new_page()
    for path in ("/chat?site=main", "/chat?site=main&embed=1", "/chat?site=main&erased=1"):
        page.goto(f"{house.url}{path}")
        page.get_by_text("Options").click()
        expect(page.locator(".menu-list > :first-child")).to_contain_text("Ask a person")
    page.goto(f"{house.url}/chat?site=nowhere")
    expect(page.get_by_role("heading", name="Ask a person")).to_be_visible()
