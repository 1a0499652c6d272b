"""A visitor's `Question`, and the `Scope` it is asked within."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from server.records.passages import Citation


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search; as it is made without arguments it limits nothing.

    `topics` are those to search, each with its sub-topics; none named: the whole topic. Pages without a topic
    belong to every one, and pages of unknown language to every language. `sites` are hosts as URLs have them
    ("www.example.edu", "example.edu:8090"), `prefix` is how a URL begins, `lang` an ISO 639 code. `since` and
    `until` are ISO 8601 days, both included, of a page's last change or else its publication: a page without
    either is outside. `archived` False leaves out what the site itself has put away.
    """

    topics: Mapping[str, tuple[str, ...]] | None = None
    sites: tuple[str, ...] = ()
    prefix: str | None = None
    lang: str | None = None
    since: str | None = None
    until: str | None = None
    archived: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """A visitor's question. `history` holds (role, text) turns before it, oldest first.

    `within` is where to search; its topics, if it names any, go before those that the question sounds like.
    `cited` are the sources of the last answer in the history, where they are known. `hurried`: others wait,
    so it is answered from what the search by words alone finds, without a language model.
    """

    text: str
    conversation_id: str
    message_id: str
    trace_id: str
    site: str = "main"
    strategy: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    within: Scope | None = None
    cited: tuple[Citation, ...] = ()
    hurried: bool = False
