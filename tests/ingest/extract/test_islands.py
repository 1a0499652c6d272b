import json
from typing import Any

import pytest

from server.ingest.extract.extract import extract
from server.ingest.extract.scripted import needs_browser
from server.models import SourcePage

REFUNDS = "<h2>Refunds</h2><p>Refunds are paid on Fridays by bank transfer, never in cash.</p>"


def read(body: str) -> list[tuple[tuple[str, ...], str, str]]:
    """Headings, kind and text of each block of a page."""
    document = extract(SourcePage("https://a.example/pay", f"<title>Pay</title><body>{body}</body>"))
    return [
        (section.heading_path, block.kind, block.text)
        for section in document.sections
        for block in section.blocks
    ]


def script(kind: str, value: Any) -> str:
    return f'<script type="application/{kind}">{json.dumps(value)}</script>'


def question(name: str, text: str) -> dict[str, Any]:
    return {"@type": "Question", "name": name, "acceptedAnswer": {"@type": "Answer", "text": text}}


@pytest.mark.parametrize("tag", ["template", "noscript"])
def test_what_scripts_would_show_is_read(tag: str) -> None:
    assert read(f"<p>The bursar.</p><{tag}>{REFUNDS}</{tag}>")[1:] == [
        (("Refunds",), "paragraph", "Refunds are paid on Fridays by bank transfer, never in cash.")
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<template><p>Dear {{ name }}, your refund of {{ sum }} is paid on Friday.</p></template>",
        "<template><h3></h3><p>Loading</p></template>",
        "<noscript><p>Please enable JavaScript in your browser to see all that this page has.</p></noscript>",
        "<template><p>The bursar pays refunds on Fridays by bank transfer.</p></template>",  # said already
    ],
)
def test_what_says_nothing_more_is_left_out(hidden: str) -> None:
    shown = "The bursar pays refunds on Fridays by bank transfer."
    assert read(f"<p>{shown}</p>{hidden}") == [((), "paragraph", shown)]


def test_questions_of_linked_data_are_read_where_the_page_does_not_show_them() -> None:
    faq = {
        "@type": "FAQPage",
        "mainEntity": [question("Is it late?", "Yes."), question("Where?", "<p>At <b>Gate</b> 2.</p>")],
    }
    found = read("<h2>Is it late?</h2><p>Only after noon.</p>" + script("ld+json", {"@graph": [faq]}))
    assert found == [
        (("Is it late?",), "paragraph", "Only after noon."),
        (("Where?",), "question", "At Gate 2."),
    ]


def test_the_data_of_an_application_is_read_where_its_page_is_empty() -> None:
    data = {
        "props": {
            "title": "Permits",
            "body": "Permits are sold at the Gatehouse on weekdays, from eight to four.",
            "bring": ["A photo ID", "The plate number"],
            "image": "/static/permits and cars.png",
            "messages": {"error": "Something went wrong on our side. Please try it again later."},
        }
    }
    empty = '<div id="__next"></div>' + script("json", data)
    assert read(empty) == [
        (("Permits",), "paragraph", data["props"]["body"]),
        (("Permits",), "list", "A photo ID\nThe plate number"),
    ]
    words = "The office is open on weekdays from nine to five, and on Saturdays in term from ten to noon. "
    assert [text for _, _, text in read(f"<p>{words * 4}</p>{empty}")] == [(words * 4).strip()]


def test_a_page_whose_data_say_little_still_needs_a_browser() -> None:
    page = SourcePage(
        "https://a.example/", '<div id="root"></div>' + script("json", {"a": "Go to the next page."})
    )
    assert needs_browser(page, extract(page))


@pytest.mark.parametrize("broken", ["{", "[" * 100_000, "null", '{"@type": "Question", "name": 3}'])
def test_json_that_is_none_does_no_harm(broken: str) -> None:
    assert read(f'<p>Here.</p><script type="application/ld+json">{broken}</script>') == [
        ((), "paragraph", "Here.")
    ]
