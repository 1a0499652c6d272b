"""Whether a sentence says no where its sources say yes, or the other way round.

Sentence and sources are cut into clauses. Each clause of the sentence is laid beside the clauses of the
sources that share the most of its words; when all of them have the other sign, the sentence contradicts
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from server.ask.grounding.source import SUBJECT, Source
from server.ask.grounding.spans import alternatives
from server.ask.grounding.support import facts_for
from server.lexicons import lexicon

_LEXICON = lexicon("checking").part("polarity")
_NO = _LEXICON.pattern("no", r"\b(?:{})\b|n['’]t\b")
_NO_DENIAL = _LEXICON.pattern("no_denial")
_DENYING = _LEXICON.pattern("denying", r"\b(?:{})\b")
_NOT_DENYING = re.compile(
    rf"\b(?:not|never|no\slonger|\w+n['’]t)\s(?:\w+[\s-]){{0,2}}?{_DENYING.pattern}", re.IGNORECASE
)
_UNCLEAR = _LEXICON.pattern("unclear", r"\b(?:{})\b|\?")
_VERBS, _SUBJECTS = _LEXICON.words("verbs"), _LEXICON.words("subjects")
_CLAUSE = re.compile(
    r"[;()\n]|:(?!\s(?:No|None)\b\s*(?:[;.\n]|$))|[.!?](?=\s|$)|\s[–—]\s"
    r"|\b(?:but|although|though|whereas|while|however|because|which|who|whose)\b"
    rf"|,?\s(?:and|or|so)\s(?=(?:{alternatives(_VERBS | _SUBJECTS)})\b)"
    rf"|,\s(?=(?:{alternatives(_SUBJECTS)})\b)|(?P<list>,\s(?:and|or|so)\s)",
    re.IGNORECASE,
)
_VERB = re.compile(rf"\b(?:{alternatives(_VERBS)})\b|n['’]t\b|\w{{3,}}ed\b", re.IGNORECASE)
_ANSWER = re.compile(r"\s*(Yes|No)\b")
# A denial governs the few words after it: "cannot be refunded", "no form and no fee".
_GOVERNED = re.compile(r"[ ](?:[\w'’-]+[ ]){0,3}?")
_FACT_WEIGHT = 4.0
# A clause of a source is about the same when it shares so much of the words, and nearly as much as the best.
LEAST_SHARE, NEARLY = 0.45, 0.8
# A clause speaks of what a denial is about when it shares this much, or this part of what the best does.
LEAST_ABOUT, ABOUT = 0.05, 0.2
_REACH = 16


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A clause of the sentence and the clause of a source that says the opposite."""

    said: str
    told: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text. `sign`: True affirms, False denies, None leaves it open.

    `labels` are the spans that say what it is about: what stands before its colon, and before the dash of its
    table row.
    """

    raw: str
    start: int
    end: int
    sign: bool | None
    labels: tuple[tuple[int, int], ...] = ()

    @property
    def text(self) -> str:
        """Its words without the punctuation around them."""
        return self.raw.strip(" \n,;:()")


def contradictions(
    claim: Source, sources: Sequence[Source], weights: Mapping[str, float]
) -> list[Contradiction]:
    """The clauses of a sentence that its sources deny, and its denials that no source makes."""
    told = [(source, clause) for source in sources for clause in clauses(source)]
    found = []
    for said in clauses(claim):
        laid = [_Laid.of(said, claim, source, clause, weights) for source, clause in told]
        against = _denied(laid, said.sign)
        if against is None and said.sign is False and _says_much(said, claim, weights):
            against = _affirmed_alone(laid)
        if against is not None:
            found.append(Contradiction(said.text, against))
    return found or [*_denials_turned(claim, sources), *_denied_words(claim, sources, weights)]


def _denied(laid: Sequence[_Laid], sign: bool | None) -> str | None:
    """What the likest clause of the sources says, when it and all that are about as like have the other
    sign.
    """
    best = max((one.share for one in laid), default=0.0)
    near = sorted((one for one in laid if one.share >= NEARLY * best), key=lambda one: -one.share)
    if sign is None or best < LEAST_SHARE:
        return None
    opposed = all(one.denies if sign else one.clause.sign is True for one in near)
    return near[0].clause.text if opposed else None


def _affirmed_alone(laid: Sequence[_Laid]) -> str | None:
    """For a clause that denies: what the sources say of it, when none that speaks of it denies anything.

    A denial needs a passage that makes it.
    """
    best = max((one.share for one in laid), default=0.0)
    speaking = [one for one in laid if one.share >= max(ABOUT * best, LEAST_ABOUT)]
    if any(one.clause.sign is not True for one in speaking):
        return None
    return max(speaking, key=lambda one: one.share).clause.text if speaking else ""


def _says_much(said: Clause, claim: Source, weights: Mapping[str, float]) -> bool:
    """Whether a clause has more than one word that counts: "owe nothing more" has not."""
    inside = [token for token in claim.tokens if said.start <= token.start < said.end]
    return sum(bool(weights.get(token.stem)) and not _NO.match(token.word) for token in inside) > 1


def _denials_turned(claim: Source, sources: Sequence[Source]) -> Iterator[Contradiction]:
    """ "Not optional" where the sources have "optional", and never "not optional"."""
    for match in _NOT_DENYING.finditer(claim.text):
        [word] = _DENYING.findall(match.group().lower())
        for source in sources:
            if word in _DENYING.findall(source.text.lower()) and not _NOT_DENYING.search(source.text):
                yield Contradiction(match.group(), word)


def _denied_words(
    claim: Source, sources: Sequence[Source], weights: Mapping[str, float]
) -> Iterator[Contradiction]:
    """Words of a sentence that denies nothing, which its sources have only right after a denial."""
    if _NO.search(claim.text) or _DENYING.search(claim.text) or _UNCLEAR.search(claim.text):
        return
    for token in claim.tokens:
        if weights.get(token.stem, 0.0) and token.word.isalpha():
            denials = [_denial(source, at) for source in sources for at in source.starts_of(token.stem)]
            if denials and all(denials):
                yield Contradiction(token.word, denials[0])


def _denial(source: Source, at: int) -> str:
    """The words from a denial to the one at `at`, which it governs; empty when none does."""
    before = _NO_DENIAL.sub("", source.text[max(0, at - 60) : at])
    cues = [cue for cue in _NO.finditer(before) if _GOVERNED.fullmatch(before, cue.end())]
    return before[cues[-1].start() :] + source.text[at : at + 20].split()[0] if cues else ""


def clauses(source: Source) -> list[Clause]:
    """The clauses of a text; of a passage's headings only a question, with the sign of its answer's first
    word.

    Under a heading that denies ("Never refunded") no clause has a sign of its own.
    """
    text, open_ = source.text, bool(_NO.search(source.text[: source.body]))
    found, start = [], 0
    for end in _cuts(text):
        piece = text[start:end].strip(" \n,;:()")
        heading = start < source.body
        if any(c.isalnum() for c in piece) and (not heading or piece.endswith("?")):
            labels = tuple(_labels(text, start))
            unclear = open_ or any(_NO.search(text, *label) for label in labels)
            sign = _answer(text[end:]) if heading else None if unclear else _sign(piece)
            found.append(Clause(text[start:end], start, end, sign, labels))
        start = end
    return found


def _labels(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The spans before the colon of a cell or a line, and before the dash of its row."""
    line = text.rfind("\n", 0, start) + 1
    dash = text.find(SUBJECT, line, start)
    if dash >= 0:
        yield line, dash
    cell = max(line, dash, text.rfind("; ", line, start) + 1)
    colon = text.rfind(":", cell, start)
    if colon > cell:
        yield cell, colon


def _cuts(text: str) -> Iterator[int]:
    """Where clauses end; ", and" ends one only if there was a verb in it, for it also ends a list."""
    start = 0
    for match in _CLAUSE.finditer(text):
        if not match["list"] or _VERB.search(text, start, match.start()):
            start = match.end()
            yield start
    yield len(text)


def _answer(following: str) -> bool | None:
    answer = _ANSWER.match(following)
    return answer[1] == "Yes" if answer else None


def _sign(piece: str) -> bool | None:
    rest = _NOT_DENYING.sub("", _NO_DENIAL.sub("", piece))
    if _UNCLEAR.search(piece) or (_DENYING.search(rest) and not _NO.search(rest)):
        return None
    return not _NO.search(rest)


def _within(place: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


@dataclass(frozen=True, slots=True)
class _Laid:
    """A clause of a source beside one of the sentence.

    `share`: how much of the sentence's clause, words and facts, stands in it, 0 to 1; words of the headings
    are given and count nowhere. `last`: where the last of them ends.
    """

    clause: Clause
    share: float
    last: int

    @classmethod
    def of(
        cls, said: Clause, claim: Source, source: Source, clause: Clause, weights: Mapping[str, float]
    ) -> _Laid:
        spans = ((clause.start, clause.end), *clause.labels)
        inside = [token for token in source.tokens if clause.start <= token.start < clause.end]
        stems = {token.stem for token in source.tokens if _within(token.start, spans)}
        wanted: dict[str, float] = {}
        for token in claim.tokens:
            if said.start <= token.start < said.end and (
                token.stem in stems or token.stem not in source.given
            ):
                wanted[token.stem] = weights.get(token.stem, 0.0)
        facts = [one for one in claim.facts if said.start <= one.start < said.end and one.kind != "name"]
        borne = [
            [one.end for one in facts_for(fact, source) or () if _within(one.start, spans)] for fact in facts
        ]
        total = sum(wanted.values()) + _FACT_WEIGHT * len(facts)
        found = sum(weight for stem, weight in wanted.items() if stem in stems)
        found += _FACT_WEIGHT * sum(map(bool, borne))
        ends = [token.start + len(token.word) for token in inside if wanted.get(token.stem)]
        ends += [end for some in borne for end in some if clause.start < end <= clause.end]
        return cls(clause, found / total if total else 0.0, max(ends, default=0))

    @property
    def denies(self) -> bool:
        """Whether it denies what the two share: its "no" stands before the last of it or right after."""
        if self.clause.sign is not False:
            return False
        no = _NO.search(self.clause.raw)  # none in a heading, whose sign is its answer's
        return no is None or not self.last or no.start() <= self.last + _REACH - self.clause.start
