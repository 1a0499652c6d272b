""" "Are you sure?": the last answer is held against its pages again; nothing new is retrieved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.ask.conversation.turns import squeezed
from server.ask.ports import KeywordSearch, PassageStore
from server.ask.trace import citation_of
from server.messages.catalogue import Texts
from server.models import Citation, Passage, Scope
from server.sentences import sentences

ChallengeVerdict = Literal["confirmed", "changed", "unknown"]

_NUMBERS = re.compile(r"(?:\s*\[\d+\])+")
# So many passages are looked through for a quote.
LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """What became of an answer's sentences: `citations` hold those that the pages still have, anew from them.

    `unknown`: there was no sentence to look for, as after a refusal.
    """

    verdict: ChallengeVerdict
    citations: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()

    def lead(self, texts: Texts) -> str:
        """What is said before its citations."""
        if self.verdict == "changed":
            return texts.has_changed_but if self.citations else texts.has_changed
        return texts.still_says if self.verdict == "confirmed" else texts.nothing_to_check


def verify_answer(
    answer: str, citations: Sequence[Citation], keyword: KeywordSearch, passages: PassageStore
) -> VerifiedAnswer:
    """Look the last answer's words up in the snapshot as it is now.

    With citations, their quotes on their own pages, the passage under the same heading first. Without, for a
    caller that kept only the text, the answer's sentences anywhere.
    """
    wanted: list[tuple[str, Citation | None]] = [(citation.quote, citation) for citation in citations]
    wanted = wanted or [(text, None) for text in _sentences(answer)]
    found: list[Citation] = []
    missing: list[str] = []
    for quote, cited in wanted:
        passage = _look_up(quote, cited, keyword, passages)
        if passage is None:
            missing.append(quote)
        else:
            found.append(citation_of(passage, len(found) + 1, quote))
    verdict: ChallengeVerdict = "changed" if missing else "confirmed" if found else "unknown"
    return VerifiedAnswer(verdict, tuple(found), tuple(missing))


def _look_up(
    quote: str, cited: Citation | None, keyword: KeywordSearch, passages: PassageStore
) -> Passage | None:
    """The passage that has the quote word for word, if there is one."""
    scope = Scope(prefix=cited.url) if cited else None
    hits = keyword.search(quote, LOOKED_AT, within=scope)
    by_id = passages.passages([hit.chunk_id for hit in hits])
    candidates = [by_id[hit.chunk_id] for hit in hits]
    if cited:
        candidates = [passage for passage in candidates if passage.url == cited.url]
        candidates.sort(key=lambda passage: passage.heading != cited.heading)
    words = f" {squeezed(quote)} "
    return next((passage for passage in candidates if words in f" {squeezed(passage.text)} "), None)


def _sentences(answer: str) -> list[str]:
    """The sentences that end in the number of a source; of an answer without numbers, all of them."""
    *quoted, rest = [[part[start:end] for start, end in sentences(part)] for part in _NUMBERS.split(answer)]
    return [part[-1] for part in quoted if part] or rest
