"""What is said in one message: a document for a URL, and the same as text for mail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from server.masking import Masker
from server.models.notifications import Notification, NotificationTopic, NotificationTopics

HEADS: Mapping[NotificationTopic, str] = {
    "gaps": "Missing answers",
    "golden": "Golden questions",
    "snapshots": "Snapshots",
    "crawls": "Crawls",
    "upkeep": "Pages, notices and answers to look after",
}
NOTHING = "Nothing to tell this week."
WHY = "You get this because you, or somebody who looks after the console, asked for it there (Notifications)."
Document = dict[str, Any]


def document_of(kind: str, title: str, told: Iterable[Notification], console_url: str) -> Document:
    """What is sent: `type`, `title` and `items`, in the order of their topics. Visitors' words are masked."""
    rank = {topic: place for place, topic in enumerate(NotificationTopics)}
    items = [_item(one, console_url) for one in sorted(told, key=lambda one: rank[one.topic])]
    return {"type": kind, "title": title, "items": items}


def _item(one: Notification, console_url: str) -> Document:
    link = f"{console_url.rstrip('/')}/{one.page}" if console_url and one.page else ""
    quotes = [Masker().masked(words) for words in one.quotes]
    return {
        "topic": one.topic,
        "title": one.title,
        "lines": list(one.lines),
        "quotes": quotes,
        "link": link,
    }


def text_of(document: Mapping[str, Any]) -> str:
    """A document as plain text, for mail."""
    lines: list[str] = [document["title"], ""]
    for topic, items in groupby(document["items"], key=lambda item: item["topic"]):
        head = HEADS[topic]
        lines += [head, "-" * len(head), ""]
        for item in items:
            lines += [*_lines(item), ""]
    if not document["items"]:
        lines += [NOTHING, ""]
    return "\n".join([*lines, "--", WHY, ""])


def _lines(item: Mapping[str, Any]) -> Iterator[str]:
    yield f"* {item['title']}"
    yield from (f"  {line}" for line in item["lines"])
    yield from (f"  “{words}”" for words in item["quotes"])
    if item["link"]:
        yield f"  {item['link']}"


def due_before(now: datetime, weekday: int, hour: int, zone: ZoneInfo | None) -> datetime:
    """The latest moment, not after `now`, at which a week's digest is due; `weekday` 0 is Monday.

    Without a zone, the machine's own.
    """
    here = now.astimezone(zone)
    day = here.date() - timedelta(days=(here.weekday() - weekday) % 7)
    due = datetime(day.year, day.month, day.day, hour, tzinfo=here.tzinfo)
    return due if due <= here else due - timedelta(days=7)


def mine(told: Iterable[Notification], topics: Sequence[str]) -> list[Notification]:
    """Those of these topics."""
    return [one for one in told if one.topic in topics]
