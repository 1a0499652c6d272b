"""What visitors write is masked here, before the flow, the records or a language model see it.

The same address has the same mask throughout its conversation. Of what was masked this process remembers
keyed hashes alone, for as long as it remembers the conversation; a server that has forgotten them, or another
one, goes on with the next number.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

from server.http.protocols import Sites
from server.masking import Masker, Pattern
from server.visitor.sessions import ExpiringStore

Turns = tuple[tuple[str, str], ...]


class VisitorMasks:
    """The maskers of the conversations of late. Belongs to the event loop's thread."""

    def __init__(self, sites: Sites, patterns: Sequence[Pattern]) -> None:
        """Without patterns nothing is masked."""
        self._sites = sites
        self._patterns = patterns
        self._key = secrets.token_bytes(32)
        self._maskers: ExpiringStore[Masker] = ExpiringStore(capacity=500, keep_s=1_800)

    def masked(self, conversation_id: str, text: str, history: Turns = ()) -> tuple[str, Turns]:
        """A question, or a comment, and the turns before it.

        In the assistant's turns that alone is masked which is the visitor's; but a turn before which the
        visitor said nothing is no answer, and is masked like the visitor's own.
        """
        if not self._patterns:
            return text, history
        masker = self._masker(conversation_id)
        try:
            before = masker.masked_turns(history)
            return masker.masked(text), before
        finally:
            masker.forget()

    def forget(self, conversation_id: str) -> None:
        """Let go of the conversation's hashes."""
        self._maskers.take(conversation_id)

    def _masker(self, conversation_id: str) -> Masker:
        masker = self._maskers.get(conversation_id)
        if masker is None:
            official = [one for site in self._sites.all() for one in site.own_contacts]
            masker = Masker(self._patterns, official=official, remembered=self._hashed)
        self._maskers.put(conversation_id, masker)
        return masker

    def _hashed(self, own: str) -> str:
        return hmac.new(self._key, own.encode(), hashlib.sha256).hexdigest()
