"""The answer leads: of the best sentences the one comes first that is most to the question when read alone.

A sentence is scored by the question's words, the headings above it and the place that the reader marked. A
heading or a neighbour has more words than the answer as often as not, so the cross-encoder that has read the
passages reads the best few sentences again, and so does the verifier, which has learnt what answers
(docs/answers.md, "The answer leads").
"""

from __future__ import annotations

from collections.abc import Callable

from server.ask.grounding.relevance import relevance
from server.ask.ports import CrossEncoder
from server.ask.quoting.parts import parts_of
from server.ask.quoting.score import ScoredSentence, score_of
from server.ask.rerank import pair
from server.models import Passage

# So many sentences are read again, the best ones, if their score is so near the best's: of those further off
# hardly one would lead.
READ_AGAIN, WITHIN = 6, 0.6
# What speaks for a sentence otherwise counts so many times beside its log-odds, and another one leads only if
# it is worth so much more than the best so far. Chosen over five sites (docs/answers.md, "The answer leads").
VERIFIED_COUNTS, SCORE_COUNTS, LEADS_BY = 1.0, 3.0, 1.0


class ReadAlone:
    """How relevant texts of passages are to a question, in log-odds; each is read once.

    `as_in` puts the question in a passage's own words, as it is read when passages are ranked; the `verifier`
    reads it as it is.
    """

    def __init__(
        self,
        question: str,
        cross_encoder: CrossEncoder,
        as_in: Callable[[str], str],
        verifier: CrossEncoder | None = None,
    ) -> None:
        self._question, self._cross_encoder, self._as_in = question, cross_encoder, as_in
        self._verifier = verifier
        self._read: dict[tuple[str, str, str], float] = {}
        self._verified: dict[tuple[str, str], float] = {}

    def relevance(self, passage: Passage, text: str) -> float:
        """Of a text below its passage's title and headings."""
        words = pair(passage)
        key = self._as_in("\n".join(words)), words[0], text
        if key not in self._read:
            self._read[key] = relevance(*key, self._cross_encoder)
        return self._read[key]

    def verified(self, passage: Passage, text: str) -> float:
        """How likely the verifier says that it answers, in log-odds; 0 without one."""
        key = pair(passage)[0], text
        if key not in self._verified:
            self._verified[key] = relevance(self._question, *key, self._verifier)
        return self._verified[key]

    def of(self, quote: ScoredSentence) -> float:
        """Of a quote's own sentence, with what leans on it; of a row, a list or a record whole."""
        return self.relevance(quote.passage, parts_of(quote).own)

    def worth(self, quote: ScoredSentence) -> float:
        """What speaks for a sentence: how relevant it is alone, and all that is known of it otherwise."""
        verified = self.verified(quote.passage, parts_of(quote).own)
        return self.of(quote) + VERIFIED_COUNTS * verified + SCORE_COUNTS * score_of(quote)


def lead_first(
    quoted: list[ScoredSentence], worth: Callable[[ScoredSentence], float] | None
) -> list[ScoredSentence]:
    """The sentences, first one of the best few that is worth more than the best, if any is; as they are where
    none can be read."""
    near = [one for one in quoted[:READ_AGAIN] if score_of(one) >= score_of(quoted[0]) - WITHIN]
    if worth is None or len(near) < 2:
        return quoted
    lead = max(near, key=worth)
    if worth(lead) < worth(quoted[0]) + LEADS_BY:
        return quoted
    return [lead, *(one for one in quoted if one is not lead)]
