"""A page's sentence that is copied badly: "…, and on the second at 6 p.m." without "in French".

A small model's commonest errors are a word that is missing and one that is another ("Visits are four weeks a
year" of a vacation), and words left out from within: "Summer programs do not count" of "Summer programs have
dates of their own, and summer courses do not count". Where nearly all of a written sentence's words are those
of one page's sentence, in its order, and it has more than half of them, breaks off within it or has gaps, the
page's own sentence is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from server.ask.grounding.source import Source, WordToken

# Of its own words so many are the page's, and of the page's sentence it has so many.
LEAST_COPIED = 0.8
LEAST_SHARE = 0.5
# A page's sentence that a copy breaks off in is said whole up to so many characters.
LONGEST = 320
LEAST_BEGUN = 3
# A copy with gaps has so many words at least: fewer may stand in any sentence in their order.
LEAST_LEFT = 5
_CLAUSE_ENDS = re.compile(r"[;:.!?()—–\n]")


def whole_sentence(claim: Source, sources: Sequence[Source]) -> tuple[str, Source] | None:
    """The page's own sentence that a claim is copied from, and its source; None where it is from none, or is
    that sentence.

    A sentence or several that a page has to the letter are whole, and so is a table's cell with its label.
    """
    own = _words(claim.tokens)
    for source in sources:
        every = [(tokens, _words(tokens)) for tokens in source.by_sentence if tokens[0].start >= source.body]
        if any(words == own for _, words in every) or (":" in claim.text and source.quotes(claim.text)):
            return None
        for tokens, words in every:
            is_cut = _breaks_off(own, words, tokens, source) or _leaves_out(own, words)
            if _is_copied(own, words) or (is_cut and len(_text(source, tokens)) <= LONGEST):
                return _text(source, tokens), source
    return None


def _is_copied(own: Sequence[str], words: Sequence[str]) -> bool:
    """Whether nearly all of its words are the sentence's, in its order, and more than half of that."""
    if not LEAST_SHARE * len(words) < len(own) <= len(words) / LEAST_COPIED:
        return False
    matcher = SequenceMatcher(None, own, words, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return same >= LEAST_COPIED * len(own) and same > LEAST_SHARE * len(words)


def _leaves_out(own: Sequence[str], words: Sequence[str]) -> bool:
    """Whether all of its words are the sentence's, in its order, with others between them."""
    if len(own) < LEAST_LEFT:
        return False
    rest = iter(words)
    if not all(word in rest for word in own):
        return False
    starts = range(len(words) - len(own) + 1)
    return not any(words[i : i + len(own)] == own for i in starts)


def _breaks_off(
    own: Sequence[str], words: Sequence[str], tokens: Sequence[WordToken], source: Source
) -> bool:
    """Whether it is the beginning of the sentence, and breaks off within an enumeration or a clause."""
    if len(own) < LEAST_BEGUN or words[: len(own)] != own or len(own) == len(words):
        return False
    last, next_ = tokens[len(own) - 1], tokens[len(own)]
    between = source.text[last.start + len(last.word) : next_.start]
    return not _CLAUSE_ENDS.search(between)


def _words(tokens: Sequence[WordToken]) -> list[str]:
    return [token.word.casefold() for token in tokens]


def _text(source: Source, tokens: Sequence[WordToken]) -> str:
    """The sentence or line as it is written."""
    start = tokens[0].start
    return next(source.text[a:b].strip() for a, b in source.spans if a <= start < b)
