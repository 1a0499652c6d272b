"""Erasing conversations for good, also while an answer of theirs is still on its way."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress

from server.errors import ConflictError, NotFoundError
from server.models import Question
from server.storage.conversations import ConversationStore

_REMEMBERED = 10_000


class Eraser:
    """Erases, and remembers what it has erased: a flow that ends later would record its answer anew.

    Safe to share between threads.
    """

    def __init__(self, records: ConversationStore) -> None:
        self._records = records
        self._erased: OrderedDict[tuple[str, str], None] = OrderedDict()  # id and site
        self._lock = threading.Lock()

    def erase(self, conversation_id: str, site: str) -> None:
        """Removes the site's conversation from the records; one that is not there is as good as erased.

        `ConflictError` for one that has to be kept; it is not erased then.
        """
        with self._lock:
            self._erased[conversation_id, site] = None
            while len(self._erased) > _REMEMBERED:
                self._erased.popitem(last=False)
        try:
            with suppress(NotFoundError):
                self._records.erase(conversation_id, site)
        except ConflictError:
            with self._lock:
                self._erased.pop((conversation_id, site), None)
            raise

    def has_erased(self, conversation_id: str, site: str) -> bool:
        """Whether the visitor had it erased, as far as this is remembered."""
        with self._lock:
            return (conversation_id, site) in self._erased

    def ended(self, question: Question) -> None:
        """To be told at the end of every flow, on whatever thread it ran."""
        known = (question.conversation_id, question.site)
        if self.has_erased(*known) or self._records.is_erased(*known):
            with suppress(ConflictError):  # somebody has to keep it since
                self.erase(*known)
