"""Whether what is written is to the question: a page's true words may answer something else.

The cross-encoder that reads passages reads a written sentence below its page's title and headings. Of 93
sentences that a small model wrote, that passed the check and had what the quoted answer has, its log-odds
tell the seven that answer something else from the rest with an AUROC of .91, where what the check measures
does not (docs/answers.md).
"""

from __future__ import annotations

from server.ask.ports import CrossEncoder
from server.models import Passage

LEAST_RELEVANCE = -2.0


def relevance(question: str, sentence: str, passage: Passage | None, reader: CrossEncoder | None) -> float:
    """How relevant a sentence of a passage is to the question, in log-odds; 0 where nothing reads it."""
    if reader is None or not question:
        return 0.0
    above = " · ".join(part for part in (passage.title, passage.heading) if part) if passage else ""
    [reading] = reader.read(question, [(above, sentence)])
    return reading.log_odds
