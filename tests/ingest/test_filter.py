import pytest

from server.ingest.filter import PageFilter, Rule
from server.models import Block, Document, Drop, Section, SourcePage

TEXT = "The registrar keeps the records of every student and sends transcripts on request. " * 5


def document(url: str, text: str = TEXT, title: str = "Registrar", heading: str = "Registrar") -> Document:
    return Document(url, title, (Section((heading,), (Block("paragraph", text),)),))


def page_filter(*rules: Rule) -> PageFilter:
    return PageFilter(rules, min_chars=275, jaccard=0.9)


def reason(drop: Drop | None) -> str | None:
    return drop.reason if drop else None


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (SourcePage("https://a.example/", b"<p>Hi", content_type="text/html; charset=utf-8"), None),
        (SourcePage("https://a.example/", "Hi", is_html=False), None),
        (SourcePage("https://a.example/", b"<p>Hi", status=404), "status"),
        (SourcePage("https://a.example/", b"%PDF-1.7", content_type="application/pdf"), None),
        (SourcePage("https://a.example/", b"%PDF-1.7", content_type="text/html"), None),
        (SourcePage("https://a.example/", "%PDF-1.7 as text", is_html=False), "type"),
        (SourcePage("https://a.example/", b"{}", content_type="application/json"), "type"),
        (SourcePage("https://a.example/", b"GIF89a\x00", content_type="text/html"), "type"),
    ],
)
def test_the_response_alone_tells_what_is_no_page(page: SourcePage, expected: str | None) -> None:
    assert reason(page_filter().before_extract(page)) == expected


def test_a_good_page_passes() -> None:
    assert page_filter().after_extract(document("https://a.example/")) is None


def test_of_two_equal_pages_the_first_stays() -> None:
    pages = page_filter()
    assert pages.after_extract(document("https://a.example/")) is None
    drop = pages.after_extract(document("https://b.example/", TEXT.upper() + "\n"))
    assert drop == Drop("https://b.example/", "duplicate", "The same text as https://a.example/.")


def test_of_two_nearly_equal_pages_the_first_stays() -> None:
    pages = page_filter()
    long = " ".join(f"Word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300))
    assert pages.after_extract(document("https://a.example/", long)) is None
    assert reason(pages.after_extract(document("https://b.example/", long + " again"))) == "near_duplicate"


def test_a_page_left_out_by_a_rule_is_no_ones_original() -> None:
    pages = page_filter(Rule("archive", prefix="/old/", why="Old."))
    assert pages.after_extract(document("https://a.example/old/")) == Drop(
        "https://a.example/old/", "archive", "Left out by the rule with the prefix /old/: Old."
    )
    assert pages.after_extract(document("https://a.example/new/")) is None


def test_duplicates_come_before_rules_and_rules_before_length() -> None:
    pages = page_filter(Rule("archive", prefix="/old/"))
    pages.after_extract(document("https://a.example/"))
    assert reason(pages.after_extract(document("https://a.example/old/"))) == "duplicate"
    assert reason(pages.after_extract(document("https://a.example/old/2", "Short."))) == "archive"
    assert reason(pages.after_extract(document("https://a.example/2", "Short."))) == "short"


@pytest.mark.parametrize(
    "text", ["Final examination: Tuesday at 8, Quarry Hall.", "Office hours by appointment", "a@b.example"]
)
def test_a_short_page_that_says_something_stays(text: str) -> None:
    assert page_filter().after_extract(document("https://a.example/", text)) is None


@pytest.mark.parametrize("text", ["Under construction.", "Coming soon!", "Photos\nMusic", "No events found"])
def test_a_short_page_that_says_nothing_is_left_out_unless_none_is(text: str) -> None:
    assert reason(page_filter().after_extract(document("https://a.example/", text))) == "short"
    every = PageFilter((), min_chars=0, jaccard=0.9)
    assert every.after_extract(document("https://a.example/", text)) is None


def test_a_page_left_out_as_a_copy_is_known_as_the_one_kept() -> None:
    pages = page_filter()
    pages.after_extract(document("https://a.example/"))
    pages.after_extract(document("https://b.example/"))
    assert pages.copies == {"https://b.example/": "https://a.example/"}


def test_pages_without_text_are_short_not_equal() -> None:
    pages = page_filter()
    drops = [
        pages.after_extract(Document(url, "T", ())) for url in ("https://a.example/1", "https://a.example/2")
    ]
    assert [reason(drop) for drop in drops] == ["short", "short"]


@pytest.mark.parametrize(
    "title", ["Page not found", "404 Not Found", "Error 404", "This page could not be found"]
)
def test_a_page_that_only_says_it_was_not_found_is_none(title: str) -> None:
    assert reason(page_filter().after_extract(document("https://a.example/", title=title))) == "soft_404"
    assert reason(page_filter().after_extract(document("https://a.example/", heading=title))) == "soft_404"


@pytest.mark.parametrize("title", ["Lost and found", "MATH 404 Topology", "Founders House"])
def test_other_titles_are_not_taken_for_that(title: str) -> None:
    assert page_filter().after_extract(document("https://a.example/", title=title)) is None
