"""Whether what is written is to the question: a page's true words may answer something else.

The cross-encoder that reads passages reads a written sentence below its page's title and headings. Of 93
sentences that a small model wrote, that passed the check and had what the quoted answer has, its log-odds
tell the seven that answer something else from the rest with an AUROC of .91, where what the check measures
does not (docs/answers.md).
"""

from __future__ import annotations

from server.ask.ports import CrossEncoder

LEAST_RELEVANCE = -2.0


def relevance(question: str, lead: str, sentence: str, reader: CrossEncoder | None) -> float:
    """How relevant a sentence, written or quoted, is to the question below its passage's title and headings
    (`lead`).

    In log-odds; 0 where nothing reads it.
    """
    if reader is None or not question:
        return 0.0
    [reading] = reader.read(question, [(lead, sentence)])
    return reading.log_odds
