"""What the web layer needs of the parts it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from server.records import Event, Question, Site


class Asker(Protocol):
    """The question's way. Synchronous and thread-safe; raises a `LodgeError` before the first event only."""

    def ask(self, question: Question) -> Iterator[Event]:
        """Events up to one `Final`; an empty or too long question is a `BadInputError`."""
        ...


class Sites(Protocol):
    """The table of sites. It is asked at every request, so it answers from memory."""

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        ...

    def all(self) -> Sequence[Site]:
        """Every site, the default one first."""
        ...


class Readiness(Protocol):
    """Whether questions can be answered now."""

    def missing(self) -> list[str]:
        """A sentence for each part that is missing; empty when ready."""
        ...


class AdminRecords(Protocol):
    """What the admin API reads of the records store. Rows are JSON-ready dicts."""

    def conversations(self, *, limit: int, before: str | None = None) -> list[dict[str, Any]]:
        """The latest conversations, newest first, those started before the ISO time `before`."""
        ...

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation with its messages, oldest first; `NotFoundError` when there is none."""
        ...

    def trace(self, trace_id: str) -> dict[str, Any]:
        """One trace as `Trace.as_json` gave it; `NotFoundError` when there is none."""
        ...

    def role_of(self, token: str) -> str | None:
        """The role of a bearer token, or None when it is unknown, revoked or expired."""
        ...
