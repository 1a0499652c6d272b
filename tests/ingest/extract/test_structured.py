"""Opening hours and events in schema.org's words, read as lines of the page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.ingest.chunk import ChunkSize, chunk
from server.ingest.extract.extract import extract
from server.ingest.opening_hours import with_hours
from server.models import Document, SourcePage

URL = "https://www.example.edu/library/"


def page(item: object = None, body: str = "") -> Document:
    data = f"<script type='application/ld+json'>{json.dumps(item)}</script>" if item else ""
    main = f"<main><h1>Library</h1><p>Read here.</p>{body}</main>"
    html = f"<html lang=en><head>{data}<title>Library</title></head><body>{main}</body></html>"
    return extract(SourcePage(URL, html))


def lines(document: Document) -> dict[str, list[str]]:
    """By the headings, the lines that come from the page's data."""
    return {
        " › ".join(one.heading_path): [block.text for block in one.blocks] for one in document.sections[1:]
    }


def specified(days: Any, opens: str | None, closes: str | None, **more: str) -> dict[str, Any]:
    found = {
        "@type": "OpeningHoursSpecification",
        "dayOfWeek": days,
        "opens": opens,
        "closes": closes,
        **more,
    }
    return {key: value for key, value in found.items() if value is not None}


def test_hours_of_json_ld_become_hours_of_the_place_with_a_line_to_quote() -> None:
    item = {
        "@graph": [
            {
                "@type": "Library",
                "name": "Library",
                "openingHoursSpecification": [
                    specified(["https://schema.org/Monday", "Tuesday", "Wednesday"], "09:00", "17:30:00"),
                    specified("Saturday", "00:00", "00:00"),
                    specified(None, None, None, validFrom="2026-12-24", validThrough="2027-01-01"),
                ],
                "department": {"@type": "Library", "name": "Map Room", "openingHours": "Mo,We 10:00-12:00"},
            }
        ]
    }
    document = page(item)
    assert lines(document) == {
        "Library › Opening hours": [
            "Monday–Wednesday: 9 a.m.–5:30 p.m.",
            "Saturday: Closed",
            "December 24, 2026–January 1, 2027: Closed",
        ],
        "Library › Map Room › Opening hours": ["Monday, Wednesday: 10 a.m.–noon"],
    }
    read = with_hours(document, chunk(document, ChunkSize(min_words=1))).hours
    assert [(one.place, one.weekdays, one.spans) for one in read if one.first is None] == [
        ("Library", (0, 1, 2), ((540, 1050),)),
        ("Library", (5,), ()),
        ("Map Room", (0, 2), ((600, 720),)),
    ]
    [closed] = [one for one in read if one.first is not None]
    assert (str(closed.first), str(closed.last), closed.spans) == ("2026-12-24", "2027-01-01", ())


def test_microdata_says_the_same() -> None:
    body = """<div itemscope itemtype="https://schema.org/Library"><b itemprop="name">Map Room</b>
    <time itemprop="openingHours" datetime="Tu-Th 13:00-01:00">afternoons</time>
    <div itemprop="openingHoursSpecification" itemscope itemtype="https://schema.org/OpeningHoursSpecification">
    <link itemprop="dayOfWeek" href="https://schema.org/Friday"><meta itemprop="opens" content="08:00">
    <meta itemprop="closes" content="12:00"></div></div>"""
    assert lines(page(body=body))["Library › Map Room › Opening hours"] == [
        "Tuesday–Thursday: 1 p.m.–1 a.m.",
        "Friday: 8 a.m.–noon",
    ]


@pytest.mark.parametrize(
    "hours",
    [
        {"openingHours": "by appointment"},
        {"openingHours": "Mo-Fr 09:00-17:00, Sa mornings"},
        {"openingHoursSpecification": specified("PublicHolidays", "09:00", "17:00")},
        {"openingHoursSpecification": specified("Monday", "9 o'clock", "17:00")},
        {"openingHoursSpecification": specified("Monday", "09:00", None)},
        {"openingHoursSpecification": specified("Monday", "09:00", "17:00", validFrom="2026-06-01")},
        {"openingHoursSpecification": "Monday"},
    ],
)
def test_what_is_not_wholly_understood_is_left_out(hours: dict[str, object]) -> None:
    assert lines(page({"@type": "Library", "name": "Library", **hours})) == {}


def test_names_that_are_written_for_html_are_read() -> None:
    night = {
        "@type": "Event",
        "name": "Films &#038; games with the dean&#8217;s cat",
        "startDate": "2026-11-05",
    }
    assert lines(page(night))["Library › Events"] == ["Films & games with the dean’s cat: November 5, 2026"]


def test_events_become_lines_and_no_hours() -> None:
    day = {"@type": "Event", "name": "Open house", "location": {"@type": "Place", "name": "Quarry Hall"}}
    item = [
        {**day, "startDate": "2026-10-24T10:00:00-04:00", "endDate": "2026-10-24T14:00:00-04:00"},
        {"@type": "Festival", "name": "Harvest week", "startDate": "2026-10-05", "endDate": "2026-10-09"},
        {
            **day,
            "name": "Fall fair",
            "startDate": "2026-10-20",
            "eventStatus": "https://schema.org/EventCancelled",
        },
        {"@type": "Event", "name": "Undated"},
    ]
    document = page(item)
    assert lines(document)["Library › Events"] == [
        "Open house: October 24, 2026, 10 a.m.–2 p.m., Quarry Hall",
        "Harvest week: October 5, 2026–October 9, 2026",
    ]
    assert with_hours(document, chunk(document, ChunkSize(min_words=1))).hours == ()
