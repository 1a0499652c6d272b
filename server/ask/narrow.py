"""Narrowing: an answer for one kind of people asks back, once in a conversation, for whom it is meant.

"How much is tuition?" is answered with one kind's figure where the pages have others for other kinds. The
answer stays what it is; below it the others are offered, each as the same question with that kind named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.ask.context import AskContext
from server.ask.conversation.families import Kind, families, kinds_for, names_a_kind
from server.ask.ports import SnapshotText
from server.ask.refuse import PartOutcome
from server.ask.trace import OpenStep
from server.messages.catalogue import Texts, fill
from server.models import Candidate, Citation, Narrowing, NarrowingChoice

MOST_CHOICES = 3
# Among so many of the best passages another one speaks of the same thing where its headings have every word
# of the question, or where the reader finds it at least so likely, and so likely beside the answer's own.
LOOKED_AT, LEAST, NEAR = 20, 0.02, 0.25
# A line that is so likely to ask for everyone asks back for any kind that these passages are for.
WIDE = 0.8


@dataclass(frozen=True, slots=True)
class AnswerRead:
    """An answer, or a refusal, with the passages that were read for it, best first, and those it quotes.

    `wide`: the question is asked for everyone, and passages for any kind count.
    """

    question: str
    read: Sequence[Candidate]
    quoted: Sequence[Candidate] = ()
    text: str = ""
    wide: bool = False

    @property
    def first(self) -> Candidate:
        """The passage it stands on, or would have."""
        return (self.quoted or self.read)[0]


@dataclass(frozen=True, slots=True)
class KindsApart:
    """Kinds that the pages answer apart: those that the answer is for, and others, the likeliest first."""

    own: tuple[Kind, ...]
    others: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class _Rival:
    """A passage beside the answer's that speaks of the same thing; `by_heading`: its headings say so."""

    found: Candidate
    by_heading: bool


def narrow(outcomes: Sequence[PartOutcome], ask: AskContext, step: OpenStep) -> Narrowing | None:
    """What is asked back below the answer to a line's only question, if anything is."""
    if not ask.options.asks_back or ask.question.narrowed or len(outcomes) != 1:
        return None
    one = outcomes[0]
    read = one.found.candidates[:LOOKED_AT] if one.found else ()
    if not (read and read[0].reading) or one.reason == "off_topic" or _is_told(one, ask):
        return None
    quoted = _quoted(read, ask.answer.citations)
    if not (one.reason or quoted):
        return None
    said = "" if one.reason else ask.answer.text
    wide = ask.routing is not None and ask.routing.ways["ask_back"] >= WIDE
    apart = kinds_apart(AnswerRead(one.part.question, read, quoted, said, wide), ask.index.text)
    if apart is None:
        return None
    step.notes = {
        "own": [kind.name for kind in apart.own],
        "others": [kind.name for kind in apart.others],
    }
    return _asked_back(apart, one, ask.texts)


def _is_told(one: PartOutcome, ask: AskContext) -> bool:
    """Whether the visitor has said for whom it is asked, in this line or in one before it."""
    before = (text for role, text in ask.question.history if role == "user")
    return any(map(names_a_kind, (one.part.asked, one.part.question, *before)))


def _quoted(read: Sequence[Candidate], citations: Sequence[Citation]) -> list[Candidate]:
    """The passages that an answer cites, in its order."""
    places = {(one.passage.url, one.passage.heading): one for one in reversed(read)}
    cited = (places.get((citation.url, citation.heading)) for citation in citations)
    return [one for one in cited if one is not None]


def kinds_apart(answered: AnswerRead, text: SnapshotText) -> KindsApart | None:
    """The kinds that the answer is for and those that passages of the same thing are for, by family."""
    rivals = _rivals(answered, text)
    found = [_of_family(kinds, answered, rivals) for kinds in families().values()] if rivals else []
    others = sorted((one for _, scores in found for one in scores.items()), key=lambda one: -one[1])
    if not others:
        return None
    own = tuple(kind for own, scores in found if scores for kind in own)
    return KindsApart(own, tuple(kind for kind, _ in others)[:MOST_CHOICES])


def _rivals(answered: AnswerRead, text: SnapshotText) -> list[_Rival]:
    subject, first = set(text.word_weights(answered.question)), answered.first
    heads = text.stems([f"{one.passage.title} {one.passage.heading}" for one in answered.read])
    least = 0.0 if answered.wide else max(LEAST, NEAR * first.score)
    rivals = (
        _Rival(one, by_heading=bool(subject) and subject <= words)
        for one, words in zip(answered.read, heads, strict=True)
        if one is not first
    )
    return [one for one in rivals if one.by_heading or one.found.score >= least]


def _of_family(
    kinds: tuple[Kind, ...], answered: AnswerRead, rivals: Sequence[_Rival]
) -> tuple[list[Kind], dict[Kind, float]]:
    """Of one family the answer's own kinds, and the others with their best passages' scores.

    A passage for everyone speaks for no kind: beside it, another's heading has to say that it is of the same,
    unless the question is wide.
    A refusal is for none, and asks back where there are two.
    """
    own = kinds_for(answered.first.passage, kinds)
    told = _told(kinds, answered) | own
    scores: dict[str, float] = {}
    for one in rivals if own or answered.wide else [rival for rival in rivals if rival.by_heading]:
        for name in kinds_for(one.found.passage, kinds) - told:
            scores.setdefault(name, one.found.score)
    mine = [kind for kind in kinds if kind.name in own]
    others = {kind: scores[kind.name] for kind in kinds if kind.name in scores}
    if not answered.quoted:
        others = dict.fromkeys(mine, answered.first.score) | others
        return [], others if len(others) > 1 else {}
    is_shared = any(kinds_for(one.passage, kinds) != own for one in answered.quoted)
    return [] if is_shared else mine, others


def _told(kinds: tuple[Kind, ...], answered: AnswerRead) -> set[str]:
    """The kinds that an answer speaks for already, by its passages or by its words."""
    quoted = (name for one in answered.quoted for name in kinds_for(one.passage, kinds))
    return {*quoted, *(kind.name for kind in kinds if kind.is_asked(answered.text))}


def _asked_back(apart: KindsApart, one: PartOutcome, texts: Texts) -> Narrowing:
    goes_on = one.part.relation == "follow_up"
    question = (one.part.question if goes_on else one.part.asked).rstrip(" ?.!")
    is_of = texts.joined([texts.kind(kind.name) for kind in apart.own])
    lead = fill(texts.narrow_is_of, kind=is_of) if is_of else texts.narrow_who
    choices = (_choice(question, texts.kind(kind.name), texts) for kind in apart.others)
    return Narrowing(is_of, lead, tuple(choices), texts.lang)


def _choice(question: str, kind: str, texts: Texts) -> NarrowingChoice:
    label = kind[:1].upper() + kind[1:]
    return NarrowingChoice(label, fill(texts.narrow_question, question=question, kind=kind))
