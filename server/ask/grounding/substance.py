"""Whether a written sentence says anything: one that repeats the question, asks, or speaks of what the model
was given is no answer, true as it may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from server.ask.grounding.names import Name
from server.ask.grounding.source import Source
from server.ask.grounding.support import facts_for
from server.lexicons import lexicon
from server.sentences import letters

Emptiness = Literal[
    "repeats_question", "says_nothing", "speaks_of_sources", "asks", "cut_off", "beside_question"
]

_OF_SOURCES = lexicon("written").pattern("of_sources", r"(?<!\w)(?:{})(?!\w)")
_ENDS = re.compile(r"[.!?…][\"'”’)\]]*$")
_BREAKS_OFF = re.compile(r"[,;–—(-]$")
# Whose answer is one word has been answered by it: "Yes, parking is free on weekends."
_SAYS_YES_OR_NO = re.compile(r"(?:yes|no|not|s[ií])\b", re.IGNORECASE)


def emptiness(
    claim: Source,
    asked: Source,
    sources: Sequence[Source],
    weights: Mapping[str, float],
    *,
    may_be_cut: bool = False,
) -> Emptiness | None:
    """Why a sentence is no answer to what was `asked`; None: it says something, right or wrong.

    `weights` are those of the sentence's words. `may_be_cut`: the model ran out of tokens.
    """
    text = claim.text.strip()
    if text.endswith("?"):
        return "asks"
    if _BREAKS_OFF.search(text) or (may_be_cut and not _ENDS.search(text)):
        return "cut_off"
    if _speaks_of_sources(text, sources):
        return "speaks_of_sources"
    if not asked.text or _SAYS_YES_OR_NO.match(text) or _says_more(claim, asked, sources, weights):
        return None
    return "repeats_question" if _repeats(claim, asked, weights) else "says_nothing"


def _speaks_of_sources(text: str, sources: Sequence[Source]) -> bool:
    """Not where a page has these very words: some speak of passages and sources themselves."""
    said = _OF_SOURCES.search(text)
    return said is not None and not any(said.group().lower() in source.text.lower() for source in sources)


def _says_more(claim: Source, asked: Source, sources: Sequence[Source], weights: Mapping[str, float]) -> bool:
    """Whether it has a fact that the question has not, or a word that counts which the passages have."""
    if any(
        facts_for(fact, asked) is None
        for fact in claim.facts
        if not isinstance(fact.value, Name) and not getattr(fact.value, "loose", False)
    ):
        return True
    own = {token.stem for token in claim.tokens if weights.get(token.stem)} - set(asked.by_stem)
    return any(stem in source.by_stem for stem in own for source in sources)


def _repeats(claim: Source, asked: Source, weights: Mapping[str, float]) -> bool:
    """The question's words, or all of its own that count."""
    if letters(claim.text) == letters(asked.text):
        return True
    own = {token.stem for token in claim.tokens if weights.get(token.stem)}
    return bool(own) and own <= set(asked.by_stem)
