"""One written sentence held against the passages it cites.

It passes when each of its facts stands in them, beside what it is said of; when they do not say the
opposite; and when it is likely enough that they support it as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from server.ask.grounding.evidence import is_planted
from server.ask.grounding.misattribution import misattributed
from server.ask.grounding.names import Name, NameIndex
from server.ask.grounding.polarity import contradictions
from server.ask.grounding.quantities import Quantity
from server.ask.grounding.source import Fact, Source
from server.ask.grounding.spans import Url
from server.ask.grounding.substance import Emptiness
from server.ask.grounding.support import (
    THRESHOLD,
    facts_for,
    free_unheard_of,
    says_too_little,
    support_of,
)
from server.ask.ports import CrossEncoder, SnapshotText
from server.models import Passage
from server.sentences import letters

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»")

Reason = (
    Literal[
        "missing_fact", "wrong_place", "contradicted", "unsupported", "foreign_link", "no_citation", "planted"
    ]
    | Emptiness
)


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that speaks against a sentence: a stable word, the words it is about, what stands there
    instead.
    """

    reason: Reason
    kind: str = ""
    text: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What was found of one sentence. `support` (0 to 1) is None when a finding had settled it before."""

    sentence: str
    cited: tuple[int, ...]
    findings: tuple[Violation, ...] = ()
    support: float | None = None
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def supported(self) -> bool:
        """Whether it may be shown."""
        return not self.findings


class Evidence:
    """What the sentences of one answer are held against; each passage is read once.

    `site_name` may be named without a source. Below `threshold` a sentence is not supported.
    """

    def __init__(
        self,
        words: SnapshotText,
        reader: CrossEncoder | None = None,
        *,
        site_name: str = "",
        threshold: float = THRESHOLD,
    ) -> None:
        self.words = words
        self.reader = reader
        self.threshold = threshold
        self.known = NameIndex(site_name)
        self._known = frozenset(token.stem for token in Source(site_name, words).tokens)
        self._sources: dict[int, Source] = {}

    def source(self, passage: Passage) -> Source:
        """A passage, read."""
        return self._sources.setdefault(passage.chunk_id, Source.of(passage, self.words))

    def weights(self, sentence: str) -> dict[str, float]:
        """What each of a sentence's words weighs, but those of the site's own name."""
        weights = self.words.word_weights(sentence)
        return {stem: weight for stem, weight in weights.items() if stem not in self._known}


def check_sentence(
    sentence: str, passages: Sequence[Passage], grounds: Evidence, cited: Sequence[int] = ()
) -> SentenceVerdict:
    """Hold one sentence, without its marks, against the passages it cites.

    What costs least comes first, and the cross-encoder reads only what nothing else speaks against.
    """
    if is_planted(sentence):
        return SentenceVerdict(
            sentence, tuple(cited), (Violation("planted", detail="it speaks to a machine"),)
        )
    claim = Source(sentence, grounds.words)
    sources = [grounds.source(passage) for passage in passages]
    weights = grounds.weights(sentence)
    if any(source.quotes(sentence) for source in sources):
        return SentenceVerdict(sentence, tuple(cited), support=1.0)
    findings = [
        *_missing(claim, sources, grounds),
        *_given_away(claim, sources),
        *_misquoted(sentence, sources),
        *_said_again(claim, sources),
    ]
    if not sources and not findings:
        findings = [Violation("no_citation")]
    findings = findings or _misplaced(claim, sources, weights) or _contradicted(claim, sources, weights)
    if findings:
        return SentenceVerdict(sentence, tuple(cited), tuple(findings))
    support = support_of(claim, sources, weights, grounds.reader)
    if support.score < grounds.threshold:
        findings = [Violation("unsupported", detail=f"{support.score:.2f} is below {grounds.threshold:.2f}")]
    elif says_too_little(claim, weights, support.measures):
        findings = [Violation("unsupported", detail="too few words to tell by")]
    return SentenceVerdict(sentence, tuple(cited), tuple(findings), support.score, support.measures)


def _missing(claim: Source, sources: Sequence[Source], grounds: Evidence) -> list[Violation]:
    """The facts that no source holds."""
    return [
        Violation("foreign_link" if isinstance(fact.value, Url) else "missing_fact", fact.kind, fact.text)
        for fact in claim.facts
        if _is_demanded(fact, grounds) and all(facts_for(fact, source) is None for source in sources)
    ]


def _given_away(claim: Source, sources: Sequence[Source]) -> list[Violation]:
    """A price of nothing that no source speaks of."""
    said = free_unheard_of(claim, sources)
    return [Violation("missing_fact", "money", said)] if said else []


def _misquoted(sentence: str, sources: Sequence[Source]) -> list[Violation]:
    """What stands in quotation marks, and in no source to the letter."""
    quoted = [next(filter(None, marks)) for marks in _QUOTED.findall(sentence)]
    return [
        Violation("missing_fact", "quotation", words)
        for words in quoted
        if not any(letters(words) in letters(source.text) for source in sources)
    ]


def _said_again(claim: Source, sources: Sequence[Source]) -> list[Violation]:
    """A value that it says more often than all its sources do: "3.78, 3.92, cum laude: 3.60, 3.78"."""
    values = Counter(fact.text.casefold() for fact in claim.facts if not isinstance(fact.value, Name))
    told = {fact.text.casefold(): fact for fact in claim.facts}
    return [
        Violation("missing_fact", told[text].kind, told[text].text, f"{count} times")
        for text, count in values.items()
        if count > 1 and 0 < sum(len(facts_for(told[text], source) or ()) for source in sources) < count
    ]


def _is_demanded(fact: Fact, grounds: Evidence) -> bool:
    """Little words ("once") and the site's own name need no source."""
    if isinstance(fact.value, Quantity):
        return not fact.value.loose
    return not (isinstance(fact.value, Name) and grounds.known.has(fact.value))


def _misplaced(claim: Source, sources: Sequence[Source], weights: Mapping[str, float]) -> list[Violation]:
    return [
        Violation("wrong_place", one.fact.kind, one.fact.text, one.rival)
        for one in misattributed(claim, sources, weights)
    ]


def _contradicted(claim: Source, sources: Sequence[Source], weights: Mapping[str, float]) -> list[Violation]:
    return [
        Violation("contradicted", "negation", one.said, one.told)
        for one in contradictions(claim, sources, weights)
    ]
