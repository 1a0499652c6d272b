"""An answer less what is quoted beside it and is not to the question.

A sentence is quoted with the rest of its paragraph, since what it says is often told in two; and what
another passage says nearly as well is quoted, too. Most of the rest, though, answers something else. The
cross-encoder that has read the passages reads the sentences at a paragraph's ends as it read them, and what
is far less to the question than the answer goes (docs/answers.md, "Quoting"). How sure the answer is was told
of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from server.ask.grounding.relevance import relevance
from server.ask.ports import CrossEncoder
from server.ask.quoting.answer import ExtractiveAnswer, cite
from server.ask.quoting.lines import Span
from server.ask.quoting.score import ScoredSentence, expected_answer_types
from server.ask.quoting.units import refers_back, with_leaning
from server.ask.rerank import pair
from server.ask.trace import OpenStep
from server.sentences import sentences

# Beside the question is what is less relevant than this, in log-odds, and by so much less than the answer
# (chosen; docs/answers.md has what readers say of it). What stands before the answer delays it, and goes
# sooner than what follows, which may bound it.
LEAST_BEFORE, FAR_BEFORE = -2.0, 3.0
LEAST_RELEVANCE, FAR_BELOW = -3.0, 4.0
# What begins a paragraph in fewer characters and no figure may only name what the next sentence tells:
# "Changing the adviser. Ask Clementine Abara."
LABEL_CHARS = 40
# What follows in so few characters is soon read, and often bounds the answer: "Undergraduates: no."
TAIL_CHARS = 30

# A text's relevance, in log-odds.
_RelevanceOf = Callable[[str], float]


def trimmed(
    question: str,
    draft: ExtractiveAnswer,
    cross_encoder: CrossEncoder,
    as_in: Callable[[str], str],
    step: OpenStep,
) -> ExtractiveAnswer:
    """The answer without what is beside the question; as it is where pages tell it by how they are built.

    Tables and lists stay, and so does the sentence that answers, with what leans on it. `as_in` puts the
    question in a passage's own words, as it is read when passages are ranked.
    """
    if draft.is_told or draft.computed:
        return draft
    parts = [_parts_of(quote) for quote in draft.chosen]
    if not _may_shrink(parts):
        return draft
    relevances = [_relevance_in(one.quote, cross_encoder, as_in) for one in parts]
    own = [relevance_of(one.own) for one, relevance_of in zip(parts, relevances, strict=True)]
    best = max(own)
    least, before = min(LEAST_RELEVANCE, best - FAR_BELOW), min(LEAST_BEFORE, best - FAR_BEFORE)
    kinds = expected_answer_types(question)

    def is_beside(relevance_of: _RelevanceOf, least: float, text: str) -> bool:
        """Whether a sentence is not to the question, and does not look like an answer of its kinds."""
        looks = text.endswith("?") or any(kind.looks.search(text) for kind in kinds)
        return not looks and relevance_of(text) < least

    kept = tuple(
        one.trimmed(partial(is_beside, relevance_of, before), partial(is_beside, relevance_of, least))
        for one, relevance_of, relevant in zip(parts, relevances, own, strict=True)
        if relevant >= least
        or not one.is_line
        or not all(is_beside(relevance_of, least, said) for said in one.said)
    )
    if kept == draft.chosen:
        return draft
    chars, left = (sum(len(quote.text) for quote in quotes) for quotes in (draft.chosen, kept))
    step.notes = {**step.notes, "trimmed_chars": chars - left}
    return _saying(draft, kept)


def _relevance_in(
    quote: ScoredSentence, cross_encoder: CrossEncoder, as_in: Callable[[str], str]
) -> _RelevanceOf:
    """How relevant a text of the quote's passage is, below its title and headings; each is read once."""
    words = pair(quote.passage)
    asked, lead = as_in("\n".join(words)), words[0]
    return cache(lambda text: relevance(asked, lead, text, cross_encoder))


@dataclass(frozen=True, slots=True)
class _Parts:
    """A quote's sentences (`spans` in its text); from `first` to `last` they answer, or lean on what does."""

    quote: ScoredSentence
    spans: Sequence[Span]
    first: int
    last: int

    @property
    def is_line(self) -> bool:
        """Whether it is one line of a page and no more of a list, a table or a card."""
        return "\n" not in self.quote.text and not self.quote.unit.is_record

    @property
    def said(self) -> list[str]:
        """Its sentences."""
        return [self.quote.text[start:end] for start, end in self.spans]

    @property
    def own(self) -> str:
        """What answers."""
        return self.quote.text[self.spans[self.first][0] : self.spans[self.last][1]]

    def trimmed(
        self, goes_before: Callable[[str], bool], goes_after: Callable[[str], bool]
    ) -> ScoredSentence:
        """The quote less the sentences at its ends that go, before what answers and after it."""
        said, begin, end = self.said, 0, len(self.spans) - 1
        while begin < self.first and goes_before(said[begin]):
            begin += 1
        while begin and refers_back(said[begin]):
            begin -= 1
        while end > self.last and goes_after(said[end]):
            end -= 1
        if end + 1 < len(said) and len(said[end + 1]) <= TAIL_CHARS:
            end += 1
        return self.quote.cut(self.spans[begin][0], self.spans[end][1])


def _parts_of(quote: ScoredSentence) -> _Parts:
    """The sentences of a quote. Where its own is not found among them all of them answer, and so do those of
    an item or a row, which is short and means what it is whole."""
    text = quote.text
    spans = sentences(text)
    place = text.find(quote.sentence)
    own = next((i for i, (start, end) in enumerate(spans) if start <= place < end), None)
    is_prose = quote.whole.kind_at(quote.unit.start) == "paragraph" and "\n" not in text
    if own is None or quote.unit.is_record or not is_prose:
        return _Parts(quote, spans, 0, len(spans) - 1)
    first, last = with_leaning(text, spans, own)
    if last == 0 and len(spans) > 1 and _is_label(text[slice(*spans[0])]):
        last = 1
    return _Parts(quote, spans, first, last)


def _is_label(text: str) -> bool:
    return len(text) < LABEL_CHARS and not any(char.isdigit() for char in text)


def _may_shrink(parts: Sequence[_Parts]) -> bool:
    """Whether there is anything that could go: nothing is read for nothing."""
    has_ends = any((one.first, one.last) != (0, len(one.spans) - 1) for one in parts)
    return has_ends or (len(parts) > 1 and any(one.is_line for one in parts))


def _saying(draft: ExtractiveAnswer, kept: Sequence[ScoredSentence]) -> ExtractiveAnswer:
    """The answer with these quotes alone; a source that shows a table shows it as before."""
    said, cited = cite(kept, draft.changed)
    tables = {
        id_: citation.table for id_, citation in zip(_passages(draft.chosen), draft.citations, strict=True)
    }
    citations = tuple(
        replace(citation, table=tables[id_]) for id_, citation in zip(_passages(kept), cited, strict=True)
    )
    place = draft.place
    if not any(place.sentence in quote.text for quote in kept):
        place = replace(place, sentence=_parts_of(kept[0]).own, marked="")
    return replace(draft, said=said, citations=citations, chosen=tuple(kept), place=place)


def _passages(chosen: Sequence[ScoredSentence]) -> tuple[int, ...]:
    """The passages (chunk ids) of these quotes, as they are cited."""
    return tuple(dict.fromkeys(quote.passage.chunk_id for quote in chosen))
