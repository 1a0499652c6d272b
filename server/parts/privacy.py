"""What is masked and for how long what is kept, by the settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from server.ask.conversation.condense import Condenser
from server.ask.options import Sites
from server.masking import Masker, Pattern, own_patterns
from server.settings import Settings


def patterns_of(settings: Settings) -> Sequence[Pattern]:
    """What is masked in visitors' words before anything is written; none where masking is switched off.

    `BadInputError` when `LODGE_PERSONAL_FILE` cannot be used.
    """
    if settings.mask == "off":
        return ()
    return own_patterns(settings.personal_path)


def masker_of(settings: Settings, sites: Sites | None) -> Callable[[], Masker] | None:
    """Makes maskers that leave the sites' own contacts; None where masking is switched off."""
    patterns = patterns_of(settings)
    if not patterns:
        return None

    def new() -> Masker:
        official = [one for site in sites.all() for one in site.own_contacts] if sites else []
        return Masker(patterns, official=official)

    return new


class MaskedCondenser:
    """A language model that makes one question of a conversation, with what is personal in it masked."""

    def __init__(self, condenser: Condenser, masker: Callable[[], Masker]) -> None:
        self._condenser = condenser
        self._masker = masker

    def condense(self, question: str, history: Sequence[tuple[str, str]]) -> str:
        """What it wrote, masked; a `LodgeError` when it is down or slow."""
        return self._masker().masked(self._condenser.condense(question, history))
