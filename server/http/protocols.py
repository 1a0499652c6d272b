"""What the web layer needs of the parts it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from server.models import Site, Vitals


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
