"""Dates of HTTP headers (RFC 9110, 5.6.7), as servers write them."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime


def http_date(text: str | None) -> datetime | None:
    """`Sun, 06 Nov 1994 08:49:37 GMT` as a moment; None for what is none, such as one of the year 10²⁰."""
    try:
        return parsedate_to_datetime(text) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
