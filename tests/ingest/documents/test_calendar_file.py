"""iCalendar files as lines: by the site's clock, what recurs written out, what is cancelled left out."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest

from server.ingest.documents.calendar_file import MOST_OF_SERIES, calendar_as_html
from server.ingest.documents.failures import UnreadableDocumentError
from tests.ingest.calendar_text import ADD_DROP, calendar, event

TODAY, ZONE = "2026-11-23", "America/New_York"
WEEKLY = ("SUMMARY:Drop-in", "DTSTART;TZID=America/New_York:20260901T150000", "DURATION:PT1H")


def lines(*events: str, zone: str = ZONE) -> list[str]:
    return re.findall(r"<li>(.*?)</li>", calendar_as_html(calendar(*events), TODAY, zone))


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (ADD_DROP, "Add/drop ends: Friday, September 11, 2026"),
        (
            event("SUMMARY:Recess", "DTSTART;VALUE=DATE:20261125", "DTEND;VALUE=DATE:20261128"),
            "Recess: November 25, 2026–November 27, 2026",
        ),
        (
            event("SUMMARY:Fair", "LOCATION:Main Hall", "DTSTART:20261014T140000Z", "DTEND:20261014T183000Z"),
            "Fair: Wednesday, October 14, 2026, 10 a.m.–2:30 p.m., Main Hall",
        ),
        (
            event("SUMMARY:Late call", "DTSTART:20261202T033000Z"),
            "Late call: Tuesday, December 1, 2026, 10:30 p.m.",
        ),
        (
            event("SUMMARY:A\\, B &amp C", "DTSTART:20261201T090000", "DESCRIPTION:<b>Bring</b>\\n a pen."),
            "A, B &amp;amp C: Tuesday, December 1, 2026, 9 a.m. Bring a pen.",
        ),
    ],
)
def test_an_event_is_a_line_by_the_site_s_clock(given: str, line: str) -> None:
    assert lines(given) == [line]


def test_what_recurs_is_written_out_around_the_day() -> None:
    """Over the change of the clocks, without what is left out, and with what was moved at its new time."""
    rule = ("RRULE:FREQ=WEEKLY;UNTIL=20261216T045959Z", "EXDATE;TZID=America/New_York:20261124T150000")
    moved = event(
        "SUMMARY:Drop-in", "RECURRENCE-ID;TZID=America/New_York:20261201T150000",
        "DTSTART;TZID=America/New_York:20261202T100000", "DURATION:PT1H", uid="weekly",
    )  # fmt: skip
    found = lines(event(*WEEKLY, *rule, uid="weekly"), moved)
    days = [line.removeprefix("Drop-in: ").partition(", 2026")[0] for line in found]
    assert days == [
        *("Tuesday, November 10", "Tuesday, November 17"),
        *("Wednesday, December 2", "Tuesday, December 8", "Tuesday, December 15"),
    ]
    assert {line.rpartition(", ")[2] for line in found} == {"3 p.m.–4 p.m.", "10 a.m.–11 a.m."}


def test_what_recurs_for_ever_ends() -> None:
    daily = event(*WEEKLY, "RRULE:FREQ=DAILY", uid="daily")
    odd = [
        event(*WEEKLY, f"RRULE:FREQ={rule}", uid=rule) for rule in ("SECONDLY", "DAILY;INTERVAL=0", "NEVER")
    ]
    assert len(lines(daily, *odd)) == MOST_OF_SERIES + 1  # and the first of those that do not recur so


def test_what_is_cancelled_private_long_over_or_broken_is_left_out() -> None:
    told = [
        event("SUMMARY:Off", "STATUS:CANCELLED", "DTSTART;VALUE=DATE:20261201"),
        event("SUMMARY:Staff", "CLASS:PRIVATE", "DTSTART;VALUE=DATE:20261201"),
        event("SUMMARY:Old", "DTSTART;VALUE=DATE:20251201"),
        event("SUMMARY:Broken", "DTSTART:some day"),
        event("SUMMARY:No day at all"),
        event("DTSTART;VALUE=DATE:20261201"),
    ]
    assert lines(*told, ADD_DROP) == ["Add/drop ends: Friday, September 11, 2026"]


def test_without_a_zone_of_the_site_s_the_calendar_s_own_counts() -> None:
    body = calendar(
        event("SUMMARY:Fair", "DTSTART:20261014T140000Z"), head=("X-WR-TIMEZONE:America/Chicago",)
    )
    assert "9 a.m." in calendar_as_html(body, TODAY)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Cut o", "damaged"),
        (b"BEGIN:VCALENDAR\r\n\xff\xfe\0\r\n", "damaged"),
        (calendar(), "no_events"),
        (calendar(event("SUMMARY:Old", "DTSTART;VALUE=DATE:19990101")), "no_events"),
    ],
)
def test_what_cannot_be_read_has_a_reason(body: bytes, reason: str) -> None:
    with pytest.raises(UnreadableDocumentError) as raised:
        calendar_as_html(body, TODAY, ZONE)
    assert raised.value.reason == reason


@pytest.mark.parametrize("length", range(0, 400, 37))
def test_every_beginning_of_a_good_one_ends_with_lines_or_a_reason(length: int) -> None:
    body = calendar(event(*WEEKLY, "RRULE:FREQ=WEEKLY"), ADD_DROP)[:length]
    with suppress(UnreadableDocumentError):
        assert "<li>" in calendar_as_html(body, TODAY, ZONE)
