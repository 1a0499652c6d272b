"""iCalendar files as systems of universities write them."""

from __future__ import annotations


def event(*lines: str, uid: str = "") -> str:
    """One event; without a `uid` its lines are it."""
    return "\r\n".join(("BEGIN:VEVENT", f"UID:{uid or ' '.join(lines)[:60]}", *lines, "END:VEVENT"))


def calendar(*events: str, head: tuple[str, ...] = ("X-WR-CALNAME:Academic Calendar",)) -> bytes:
    """A whole file."""
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Brackwater//EN", *head, *events, "END:VCALENDAR")
    return ("\r\n".join(lines) + "\r\n").encode()


ADD_DROP = event("SUMMARY:Add/drop ends", "DTSTART;VALUE=DATE:20260911")
