"""The sentences of a quote: which of them answer, and which only stand around those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.ask.quoting.lines import Span
from server.ask.quoting.records import is_contact
from server.ask.quoting.score import ScoredSentence
from server.ask.quoting.units import refers_back, with_leaning
from server.sentences import sentences

# What begins a paragraph in fewer characters and no figure may only name what the next sentence tells:
# "Changing the adviser. Ask Clementine Abara."
LABEL_CHARS = 40
# What follows in so few characters is soon read, and often bounds the answer: "Undergraduates: no."
TAIL_CHARS = 30


@dataclass(frozen=True, slots=True)
class QuotedParts:
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


def parts_of(quote: ScoredSentence) -> QuotedParts:
    """The sentences of a quote. Where its own is not found among them all of them answer, and so do those of
    an item or a row, which is short and means what it is whole, and of how to reach somebody."""
    text = quote.text
    spans = sentences(text)
    place = text.find(quote.sentence)
    own = next((i for i, (start, end) in enumerate(spans) if start <= place < end), None)
    is_prose = quote.whole.kind_at(quote.unit.start) == "paragraph" and "\n" not in text
    if own is None or quote.unit.is_record or not is_prose or is_contact(text):
        return QuotedParts(quote, spans, 0, len(spans) - 1)
    first, last = with_leaning(text, spans, own)
    if last == 0 and len(spans) > 1 and _is_label(text[slice(*spans[0])]):
        last = 1
    return QuotedParts(quote, spans, first, last)


def _is_label(text: str) -> bool:
    return len(text) < LABEL_CHARS and not any(char.isdigit() for char in text)
