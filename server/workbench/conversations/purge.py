"""The daily purge of a running server. Of several servers on one store, one does each day's."""

from __future__ import annotations

import logging
from datetime import datetime

from server.settings import Settings
from server.storage.retention import Keep, RetentionStore

logger = logging.getLogger("lodge.purge")

LEAP_DAYS = 7


def keep_of(settings: Settings) -> Keep:
    """For how long what is kept, by the settings."""
    return Keep(
        settings.keep_conversations_days,
        settings.keep_comments_days,
        settings.keep_audit_days,
        settings.keep_history_days,
    )


class DailyPurge:
    """Removes what is too old, once a day; to be told the time now and then."""

    def __init__(self, shelf: RetentionStore, keep: Keep) -> None:
        self._shelf = shelf
        self._keep = keep

    def __call__(self, now: datetime) -> dict[str, int] | None:
        """What was removed; None where everything is kept, or that day's was done already.

        A clock that has leapt ahead makes everything old: what the first day after a leap would remove is
        left to the next day's purge, so that somebody can set the clock right.
        """
        days = self._shelf.claim(now.date()) if self._keep.ends else None
        if days is None:
            return None
        if days > LEAP_DAYS:
            logger.warning(
                "The last purge was %d days ago by this machine's clock. Nothing is removed today; if the "
                "clock is right, tomorrow's purge goes on.",
                days,
            )
            return None
        removed = self._shelf.purge(self._keep, now)
        logger.info("Purged: %s.", ", ".join(f"{count} {name}" for name, count in removed.items()))
        return removed
