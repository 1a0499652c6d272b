"""Moments from outside: any text is a moment or one sentence, and a day lasts until its end."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import BadInputError
from server.storage.engine import end_of, parse_time

DAYS = st.dates(max_value=date(9999, 12, 30))


@given(st.datetimes(timezones=st.timezones() | st.none()) | st.dates())
def test_a_moment_is_the_same_moment_in_utc(moment: datetime | date) -> None:
    try:
        found = parse_time(moment.isoformat())
    except BadInputError:
        assert moment.year in (1, 9999)  # the other side of the calendar's end
        return
    assert found.utcoffset() == timedelta()
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        assert abs(found - moment) < timedelta(minutes=1)  # zones of old had seconds


@given(DAYS, st.sampled_from(["%Y-%m-%d", "%Y%m%d", "%G-W%V-%u", "%GW%V%u"]))
def test_until_a_day_takes_in_all_of_it_however_it_is_written(day: date, form: str) -> None:
    year = f"{day.year:04}"
    text = day.strftime(form.replace("%Y", year).replace("%G", f"{day.isocalendar().year:04}"))
    assert end_of(text) == datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


@given(st.text(max_size=12) | st.text("0123456789-:TWZ+. ٠", max_size=26))
def test_any_text_is_a_moment_or_a_sentence(text: str) -> None:
    for read in (parse_time, end_of):
        told, zone = repr(text), UTC
        try:
            zone = read(text).tzinfo  # type: ignore[assignment]  # None would be a finding
        except BadInputError as error:
            told = error.message
        assert repr(text) in told
        assert zone is UTC


def test_the_day_without_hyphens_is_a_whole_day() -> None:
    assert end_of("20260301") == end_of("2026-03-01") == datetime(2026, 3, 2, tzinfo=UTC)


def test_the_last_day_there_is_has_no_end() -> None:
    with pytest.raises(BadInputError, match="too late a day"):
        end_of("99991231")
