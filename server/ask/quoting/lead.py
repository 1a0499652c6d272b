"""The answer leads: of the best sentences the one comes first that is most to the question when read alone.

A sentence is scored by the question's words, the headings above it and the place that the reader marked. A
heading or a neighbour has more words than the answer as often as not, so the cross-encoder that has read the
passages reads the best few sentences again (docs/answers.md, "The answer leads").
"""

from __future__ import annotations

from collections.abc import Callable

from server.ask.grounding.relevance import relevance
from server.ask.ports import CrossEncoder
from server.ask.quoting.parts import parts_of
from server.ask.quoting.score import ScoredSentence, score_of
from server.ask.rerank import pair
from server.models import Passage

# So many sentences are read again, the best ones.
READ_AGAIN = 4
# What speaks for a sentence otherwise counts so many times beside its log-odds, and another one leads only if
# it is worth so much more than the best so far. Chosen over four sites (docs/answers.md, "The answer leads").
SCORE_COUNTS, LEADS_BY = 2.0, 1.0


class ReadAlone:
    """How relevant texts of passages are to a question, in log-odds; each is read once.

    `as_in` puts the question in a passage's own words, as it is read when passages are ranked.
    """

    def __init__(self, cross_encoder: CrossEncoder, as_in: Callable[[str], str]) -> None:
        self._cross_encoder, self._as_in = cross_encoder, as_in
        self._read: dict[tuple[str, str, str], float] = {}

    def relevance(self, passage: Passage, text: str) -> float:
        """Of a text below its passage's title and headings."""
        words = pair(passage)
        key = self._as_in("\n".join(words)), words[0], text
        if key not in self._read:
            self._read[key] = relevance(*key, self._cross_encoder)
        return self._read[key]

    def of(self, quote: ScoredSentence) -> float:
        """Of a quote's own sentence, with what leans on it; of a row, a list or a record whole."""
        return self.relevance(quote.passage, parts_of(quote).own)

    def worth(self, quote: ScoredSentence) -> float:
        """What speaks for a sentence: how relevant it is alone, and all that is known of it otherwise."""
        return self.of(quote) + SCORE_COUNTS * score_of(quote)


def lead_first(
    quoted: list[ScoredSentence], worth: Callable[[ScoredSentence], float] | None
) -> list[ScoredSentence]:
    """The sentences, first one of the best few that is worth more than the best, if any is; as they are where
    none can be read."""
    if worth is None or len(quoted) < 2:
        return quoted
    lead = max(quoted[:READ_AGAIN], key=worth)
    if worth(lead) < worth(quoted[0]) + LEADS_BY:
        return quoted
    return [lead, *(one for one in quoted if one is not lead)]
