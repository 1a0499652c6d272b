import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from server.ingest.crawl.nouns import http_date
from server.ingest.extract.dates import PageDates, iso, page_dates


def dates(head: str = "", body: str = "") -> PageDates:
    return page_dates(
        html.document_fromstring(f"<html><head>{head}</head><body>{body}<p>x</p></body></html>")
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-09-02", "2026-09-02"),
        ("2026-09-02T08:00:00-05:00", "2026-09-02T08:00:00-05:00"),
        ("2026-09-02T08:00:00Z", "2026-09-02T08:00:00+00:00"),
        ("Thu, 23 May 1996 15:40:20 GMT", "1996-05-23T15:40:20+00:00"),
        ("Tuesday, 26-Nov-96 18:07:47 GMT", "1996-11-26T18:07:47+00:00"),
        ("September 2, 2026", "2026-09-02"),
        ("Sept. 2nd, 2026", "2026-09-02"),
        ("2 September 2026", "2026-09-02"),
        ("9/2/2026", "2026-09-02"),
        ("February 30, 2026", None),
        ("13/13/2026", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("Smarch 1, 2026", None),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        ("Thu, 23 May 1996 15:40:20 +99999999999999999999", "1996-05-23"),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_read_in_the_usual_spellings(text: str | None, expected: str | None) -> None:
    assert iso(text) == expected


def test_linked_data_is_believed_before_meta_elements() -> None:
    graph = {"@graph": [{"@type": "WebPage", "datePublished": "2024-01-02", "dateModified": "2025-03-04"}]}
    linked = f'<script type="application/ld+json">{json.dumps(graph)}</script>'
    meta = '<meta property="article:modified_time" content="2020-01-01">'
    assert dates(linked + meta) == PageDates("2024-01-02", "2025-03-04")


@pytest.mark.parametrize("broken", ["{", "null", "[[1]]", "[" * 100_000, '{"dateModified": 5}'])
def test_broken_linked_data_is_passed_over(broken: str) -> None:
    meta = '<meta property="article:modified_time" content="2020-01-01">'
    assert dates(f'<script type="application/ld+json">{broken}</script>{meta}').modified == "2020-01-01"


def test_a_time_element_counts_only_where_it_names_itself() -> None:
    event = '<time datetime="2026-11-05">tonight</time>'
    assert dates(body=event) == PageDates(None, None)
    assert dates(body=event + '<time class="updated" datetime="2026-01-02">x</time>').modified == "2026-01-02"


@pytest.mark.parametrize(
    "line", ["Last updated: May 1, 2026", "Last reviewed on Friday, May 1, 2026", "Revised 5/1/2026"]
)
def test_a_last_updated_line_is_read(line: str) -> None:
    assert dates(body=f"<p>{line}</p>").modified == "2026-05-01"


NUMBER = st.integers().map(str) | st.integers(10**15, 10**40).map(str) | st.sampled_from(["²", "٣", "", "-0"])


@given(st.tuples(NUMBER, NUMBER, NUMBER, NUMBER, st.text(max_size=9) | NUMBER))
def test_no_date_is_an_error_whatever_its_numbers(numbers: tuple[str, ...]) -> None:
    day, year, hour, minute, zone = numbers
    for text in (
        f"Mon, {day} Jan {year} {hour}:{minute}:00 {zone}",
        f"{day} Jan {year}",
        f"{year}-01-{day}",
        day,
    ):
        assert iso(text) is None or 1990 <= datetime.fromisoformat(str(iso(text))).year <= 2100
        assert isinstance(http_date(text), datetime | None)
