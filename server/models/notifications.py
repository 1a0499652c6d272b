"""What people are told of without looking: `Notification`s; `Subscription`s, `Owner`s: who is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

NotificationTopic = Literal["gaps", "golden", "snapshots", "crawls", "upkeep"]
NotificationTopics: tuple[NotificationTopic, ...] = get_args(NotificationTopic)
Channel = Literal["mail", "url"]
Cadence = Literal["at_once", "weekly"]


@dataclass(frozen=True, slots=True)
class Notification:
    """One thing to be told. Of two with the same `key` only the first is.

    `title` and `lines` are in Lodge's own words. `quotes` are visitors', which are masked before they are
    kept or sent. `page` is where the console shows it, without its address (`gap?id=12`). It happened `at`
    an ISO 8601 time; empty: it holds for a week. `site`, `subject` (a topic of questions) and `urls` are what
    it concerns, by which it has an owner.
    """

    key: str
    topic: NotificationTopic
    title: str
    lines: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    page: str = ""
    at: str = ""
    site: str = ""
    subject: str | None = None
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subscription:
    """Somebody's wish to be told: `person` is a token's name, `target` a mail address or a URL.

    `secret` signs what is sent to a URL, and is empty for mail. `created_at` is ISO 8601, UTC.
    """

    id: str
    person: str
    channel: Channel
    target: str
    topics: tuple[NotificationTopic, ...]
    cadence: Cadence
    created_at: str
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who looks after a topic, or the pages whose addresses begin with a prefix.

    `name` is a person's or an office's; whoever holds a token of that name sees what is theirs.
    """

    id: str
    site: str
    scope: Literal["topic", "prefix"]
    value: str
    name: str
    email: str = ""

    def has(self, one: Notification) -> bool:
        """Whether it concerns what is theirs."""
        if one.site and one.site != self.site:
            return False
        if self.scope == "topic":
            return one.subject == self.value
        return any(url.startswith(self.value) for url in one.urls)
