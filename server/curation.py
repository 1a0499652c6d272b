"""What editors write for visitors: answers in their own words, and notices that stand above all answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """An editor's answer to a question of one site.

    `phrasings` are ways to ask it, one at least; `links` are (label, URL) pairs. With a `topic` it is given
    only to questions that sound like it. It is valid from and until these ISO days, both included.
    """

    id: str
    site: str
    phrasings: tuple[str, ...]
    text: str
    links: tuple[tuple[str, str], ...] = ()
    topic: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None

    def valid_on(self, day: str) -> bool:
        """Whether it holds on an ISO day."""
        return (self.valid_from or day) <= day <= (self.valid_until or day)


@dataclass(frozen=True, slots=True)
class Notice:
    """Urgent words of one site that stand above all its answers until an ISO 8601 moment, UTC."""

    id: str
    site: str
    text: str
    until: str
    url: str = ""
