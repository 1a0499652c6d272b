"""What the web layer needs of the parts it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from server.models import ConversationFilter, Feedback, Site, Vitals


@runtime_checkable  # Litestar looks at what it passes to a handler
class SiteLookup(Protocol):
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

    def degraded(self) -> list[str]:
        """A sentence for each part that answers can do without, and now must, or soon will have to."""
        ...

    def vitals(self) -> Vitals:
        """The figures behind the sentences."""
        ...


class VisitorRecords(Protocol):
    """What a visitor's own pages need of the records store."""

    def last_answer(self, conversation_id: str) -> str | None:
        """The message id of the conversation's last answer; None where there is none."""
        ...

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation with its messages, oldest first; `NotFoundError` when there is none."""
        ...

    def trace(self, trace_id: str) -> dict[str, Any]:
        """One trace as `Trace.as_json` gave it; `NotFoundError` when there is none."""
        ...

    def site_of(self, conversation_id: str) -> str | None:
        """The site whose conversation it is; None when there is none."""
        ...

    def erase(self, conversation_id: str, site: str) -> None:
        """Remove it with all that belongs to it; `NotFoundError` when the site has none."""
        ...

    def is_erased(self, conversation_id: str, site: str) -> bool:
        """Whether it was erased within the last minutes, at this server or another."""
        ...

    def rate(self, given: Feedback) -> None:
        """Keep it, in place of anything earlier; `NotFoundError` when there is no such answer."""
        ...


class AdminRecords(Protocol):
    """What the admin API reads of the records store. Rows are JSON-ready dicts."""

    def conversations(
        self, *, limit: int, before: str | None, wanted: ConversationFilter
    ) -> list[dict[str, Any]]:
        """The latest conversations that are wanted, newest first, before an ISO time or a row's `cursor`."""
        ...

    def conversation_choices(self) -> dict[str, list[str]]:
        """The `sites`, `topics` and `answerers` there are among the conversations."""
        ...

    def exchanges(self, conversation_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Every question and answer of these conversations, in their order."""
        ...

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation with its messages, oldest first; `NotFoundError` when there is none."""
        ...

    def trace(self, trace_id: str) -> dict[str, Any]:
        """One trace as `Trace.as_json` gave it; `NotFoundError` when there is none."""
        ...

    def holder_of(self, token: str) -> Holder | None:
        """Who holds a bearer token, or None when it is unknown, revoked or expired."""
        ...


class Holder(Protocol):
    """Whose token it is, and what it allows."""

    @property
    def name(self) -> str:
        """The token's name."""
        ...

    @property
    def role(self) -> str:
        """One of `ROLES`."""
        ...
