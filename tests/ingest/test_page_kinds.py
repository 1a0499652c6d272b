"""What kind of page a page is, and for whom, by its own signs and not by what it mentions."""

from __future__ import annotations

import pytest

from server.ingest.academic_terms import with_terms
from server.ingest.extract.extract import extract
from server.ingest.page_kinds import with_kind
from server.models import Document, SourcePage

PROSE = "<p>Students may ask for it at the desk from Monday to Friday, and bring their card with them.</p>"


def told(
    path: str = "/services/desk/",
    title: str = "The desk",
    body: str = PROSE,
    head: str = "",
    classes: str = "",
) -> Document:
    html = (
        f"<html><head><title>{title}</title>{head}</head><body class='{classes}'><main><h1>{title}</h1>{body}"
        "</main></body></html>"
    )
    page = SourcePage(f"https://u.example{path}", html)
    document, _ = with_terms(extract(page), ())
    return with_kind(document, page)


def linked_data(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/parking/", "reference"),
        ("/news/", "news"),
        ("/news/dining-hall-opens/", "news"),
        ("/2024/09/dining-hall-opens/", "news"),
        ("/wp-content/uploads/2024/09/parking-map/", "reference"),
        ("/events/2026-10-21-transfer-day/", "event"),
        ("/people/kay-orr/", "person"),
        ("/people/kay-orr/courses/spring/", "reference"),
        ("/~orr/index.html", "person"),
        ("/~orr/papers/list.html", "reference"),
        ("/users/orr/orr.html", "person"),
        ("/forms/leave/", "form"),
        ("/site-map/", "links"),
        ("/archive/parking/", "archived"),
    ],
)
def test_the_address_tells_a_kind(path: str, kind: str) -> None:
    assert told(path).kind == kind


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/events/reserve/", "Reserve a room"),
        ("/people/benefits/", "Benefits for employees"),
        ("/users/orr/cs101/", "CS 101 home page"),
        ("/news/press-office/", "Press office: contact for reporters"),
    ],
)
def test_a_page_that_only_looks_like_a_kind_by_its_address_is_told_by_its_name(path: str, title: str) -> None:
    assert told(path, title).kind == "reference"


def test_structured_data_goes_before_the_address() -> None:
    supper = linked_data('{"@type": "Event", "name": "The desk", "startDate": "2026-11-24"}')
    assert told(head=supper).kind == "event"
    beside = linked_data('{"@type": "Event", "name": "Soup Supper", "startDate": "2026-11-24"}')
    assert told(head=beside).kind == "reference"  # an event that the page announces beside
    graph = '{"@graph": [{"@type": "WebPage", "name": "The desk"}, {"@type": "Person", "name": "The desk"}]}'
    assert told(head=linked_data(graph)).kind == "reference"  # who wrote it
    assert told(head=linked_data('{"@type": ["NewsArticle"], "headline": "The desk"}')).kind == "news"
    assert told(head=linked_data("{no JSON")).kind == "reference"


def test_the_time_of_posting_counts_for_a_post_and_not_for_a_page_that_stays() -> None:
    meta = (
        '<meta property="og:type" content="article"><meta property="article:published_time" content="2024">'
    )
    assert told(head=meta).kind == "news"
    assert told(head=meta, classes="page-template page-id-7").kind == "reference"
    assert told(head=meta.replace('article"><', 'website"><')).kind == "reference"
    assert told(classes="single single-post").kind == "news"


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        ("<p>November 5, 2026 · by Theodora Wix</p>", "news"),
        ("<p>By Kay Orr</p>", "news"),
        ("<p>By appointment only.</p>", "reference"),
        ("<p>November 5, 2026 is the last day to apply for it.</p>", "reference"),
        ("<p>Date: November 24</p><p>Time: 5 p.m.</p><p>Place: the Galley</p>", "event"),
        ("<p>Time: MWF 10</p><p>Place: Weld 12</p>", "reference"),  # a course's
    ],
)
def test_the_first_words_tell_a_kind(first: str, kind: str) -> None:
    assert told(body=first + PROSE).kind == kind


def test_a_form_is_one_to_fill_in_and_send() -> None:
    fields = "<input name=a><input name=b><textarea name=c></textarea><input type=submit>"
    assert told(body=PROSE + f'<form method="post">{fields}</form>').kind == "form"
    assert told(body=PROSE + f'<form method="get">{fields}</form>').kind == "reference"  # a search
    assert told(body=PROSE + f'<form method="post" class="comment-form">{fields}</form>').kind == "reference"


def test_a_list_of_links_says_little_itself() -> None:
    items = "".join(f"<li><a href='/{i}'>Office number {i} of the campus</a></li>" for i in range(12))
    assert told(body=f"<ul>{items}</ul>").kind == "links"
    assert told(body=f"<ul>{items}</ul>" + PROSE * 8).kind == "reference"


@pytest.mark.parametrize(
    ("path", "title", "audiences"),
    [
        ("/parking/", "Parking", ()),
        ("/graduate/apply/", "How to apply", ("graduate", "prospective")),
        ("/registrar/incomplete/", "Incomplete grades (undergraduate)", ("undergraduate",)),
        ("/registrar/apply/", "Applying to graduate", ()),
        ("/international/visas/", "Visas and travel", ("international",)),
        ("/abroad/", "Study abroad", ()),
        ("/admissions/transfer/", "Applying as a transfer student", ("transfer", "prospective")),
        ("/programs/aa/", "Associate of Arts transfer degree", ()),
        ("/families/", "Move-in for families", ("parent",)),
        ("/hr/parental-leave/", "Parental leave", ("staff",)),
        ("/alumni/card/", "Card and benefits", ("alumni",)),
        ("/cs/phd/", "PhD in Computer Science", ("graduate",)),
        ("/it/software/", "Software for students and employees", ()),
    ],
)
def test_address_and_name_tell_the_audience(path: str, title: str, audiences: tuple[str, ...]) -> None:
    assert told(path, title).audiences == audiences


def test_the_way_to_a_page_tells_its_audience_and_a_mention_does_not() -> None:
    crumbs = "<nav class='breadcrumb'><a href='/'>Home</a> › <a href='/g'>Graduate School</a> › Fees</nav>"
    assert told("/fees/", "Fees", body=crumbs + PROSE).audiences == ("graduate",)
    mention = "<p>Graduate students, transfer students, parents and alumni pay the same.</p>"
    assert told("/fees/", "Fees", body=mention + PROSE).audiences == ()


def test_plain_text_has_no_signs_but_its_address_and_name() -> None:
    page = SourcePage(
        "https://u.example/news/2024.txt", "Dining hall opens.\n\nIt opens on Monday.", is_html=False
    )
    assert with_kind(extract(page), page).kind == "news"
