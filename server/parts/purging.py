"""The daily purge of a running server. Of several servers on one store, one does each day's."""

from __future__ import annotations

import logging
from datetime import datetime

from server.records_db.retention import Keep, RetentionShelf
from server.settings import Settings

logger = logging.getLogger("lodge.purge")


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

    def __init__(self, shelf: RetentionShelf, keep: Keep) -> None:
        self._shelf = shelf
        self._keep = keep

    def __call__(self, now: datetime) -> dict[str, int] | None:
        """What was removed; None where everything is kept, or that day's was done already."""
        if not self._keep.ends or not self._shelf.claim(now.date().isoformat()):
            return None
        removed = self._shelf.purge(self._keep, now)
        logger.info("Purged: %s.", ", ".join(f"{count} {name}" for name, count in removed.items()))
        return removed
