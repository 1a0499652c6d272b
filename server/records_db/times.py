"""Moments as they come from outside."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from server.errors import BadInputError


def parse_time(text: str) -> datetime:
    """An ISO 8601 time, in UTC; one without a zone is taken as UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):  # a moment of the year 1 or 9999 may be of no year in UTC
        raise BadInputError(f"{text!r} is no ISO 8601 time such as 2026-03-01T09:30:00Z.") from None


def end_of(text: str) -> datetime:
    """The first moment after an ISO 8601 day, or that very time."""
    moment = parse_time(text)
    try:
        return moment + timedelta(days=1) if _is_day(text) else moment
    except OverflowError:
        raise BadInputError(f"{text!r} is too late a day.") from None


def _is_day(text: str) -> bool:
    """Whether it is a day without a time, however ISO 8601 writes it: 2026-03-01, 20260301, 2026-W09-7."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
