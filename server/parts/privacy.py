"""What is masked and for how long what is kept, by the settings."""

from __future__ import annotations

from collections.abc import Sequence

from server.masking import Pattern, own_patterns
from server.settings import Settings


def patterns_of(settings: Settings) -> Sequence[Pattern]:
    """What is masked in visitors' words before anything is written; none where masking is switched off.

    `BadInputError` when `LODGE_PERSONAL_FILE` cannot be used.
    """
    if settings.mask == "off":
        return ()
    return own_patterns(settings.personal_path)
