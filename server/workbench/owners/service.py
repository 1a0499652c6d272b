"""What waits for one owner: missing answers, old pages, notices that are over, answers about to end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from server.masking import Masker
from server.models import GapFilter
from server.models.notifications import Notification, Owner
from server.workbench.records import Records

GAPS_LOOKED_AT = 500
MOST_GAPS = 50


@dataclass(frozen=True, slots=True)
class OwnedGap:
    """A missing answer of theirs: its typical question, masked, how often it was asked, and since when."""

    id: int
    site: str
    topic: str | None
    question: str
    questions: int
    first_day: str
    last_day: str
    weeks: list[dict[str, Any]]
    closest_pages: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Owned:
    """All that waits for whoever has this name. `upkeep` has title, lines and page of each thing."""

    name: str
    owns: list[Owner]
    gaps: list[OwnedGap]
    upkeep: list[Notification]


class OwnerService:
    """Puts together what is an owner's; `upkeep` finds what anybody has to look after now."""

    def __init__(self, records: Records, upkeep: Callable[[datetime], Iterable[Notification]]) -> None:
        self._records = records
        self._upkeep = upkeep

    def owned(self, name: str) -> Owned:
        """What is theirs, the most asked first; empty for who owns nothing."""
        owns = self._records.owners.all(name)
        if not owns:
            return Owned(name, [], [], [])
        gaps = (
            gap
            for gap in self._records.gaps.all(GapFilter(), limit=GAPS_LOOKED_AT)
            if any(one.has(_about(gap)) for one in owns)
        )
        told = self._upkeep(datetime.now(UTC))
        return Owned(
            name,
            list(owns),
            [_gap(gap) for gap in gaps][:MOST_GAPS],
            [new for new in told if any(one.has(new) for one in owns)],
        )


def _about(gap: Mapping[str, Any]) -> Notification:
    urls = tuple(page["url"] for page in gap["closest_pages"])
    return Notification("", "gaps", "", site=gap["site"], subject=gap["topic"], urls=urls)


def _gap(gap: Mapping[str, Any]) -> OwnedGap:
    alike = ("id", "site", "topic", "questions", "first_day", "last_day", "weeks", "closest_pages")
    masked = Masker().masked(gap["question"])
    return OwnedGap(**{name: gap[name] for name in alike}, question=masked)
