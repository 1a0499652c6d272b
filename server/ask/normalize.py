"""The first step: is this a question at all?"""

from __future__ import annotations

import re
import unicodedata

from server.errors import BadInputError, TooLargeError

_SPACE = re.compile(r"\s+")


def normalize(text: str, max_chars: int) -> str:
    """The question in one line, composed (Unicode NFC) and without control characters.

    `BadInputError` when nothing is left, `TooLargeError` when it is longer than `max_chars`.
    """
    check_length(text, max_chars)
    line = _SPACE.sub(" ", unicodedata.normalize("NFC", text))
    line = "".join(c for c in line if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn")).strip()
    if not any(c.isalnum() for c in line):
        raise BadInputError("Please type a question.", code="empty_question")
    return line


def check_length(text: str, max_chars: int) -> None:
    """`TooLargeError` when a question is longer than that."""
    if len(text) > max_chars:
        raise TooLargeError(
            f"The question has {len(text):,} characters; {max_chars:,} are the most.",
            code="question_too_long",
        )
