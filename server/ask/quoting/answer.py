"""What is quoted of the best passages: said with its sources, or shown as what seems to answer."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from server.ask.grounding.evidence import tidied, without_planted_text
from server.ask.quoting.compute import Computed
from server.ask.quoting.item_lists import lines_of_kind
from server.ask.quoting.posts import is_person, is_post
from server.ask.quoting.score import NOWHERE, AnswerPlace, ScoredSentence, score_of
from server.ask.quoting.section_names import names_above
from server.ask.quoting.units import stands_apart
from server.ask.trace import AnswerBuilder, citation_of
from server.messages.catalogue import Texts
from server.models import Candidate, Citation, Event, Passage
from server.models.blocks import blocks_of
from server.models.quoted_table import shown_items
from server.models.table_rows import read_row
from server.sentences import sentences, without_marks

# Where no sentence is sure, so many passages are shown, each in so many characters around its best sentence.
SHOWN_PASSAGES, SHOWN_CHARS = 2, 800
# How an answer begins that says yes or no to its page's question.
_YES_NO = re.compile(r"(?:yes|no|sí)(?: (?:and|or|to|y) [^.!?]{1,20})?(?:[.,;:!]|$)", re.IGNORECASE)
_COURSE = re.compile(r"[A-Z]{2,8}[ -]?\d{1,4}[A-Z]{0,2}\b")
_OF_ONESELF = re.compile(r"\b(?:I|[Mm]y)\b")
# A sentence of fewer characters may stand in another one by chance ("Free.").
LEAST_REPEATED = 20
# Where it is refused, a page's best words are shown beside its name in so many characters, if the answer is
# at least so likely.
HINT_CHARS, LEAST_HINTED = 300, 0.05
# The second of these is shown where its sentence is at least so good beside the first's. Of passages that are
# worse, one in twelve had the answer where the first had not, and the others led astray.
BESIDE = 0.6


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """A sentence with what belongs to it, and its source's number: "The pool opens at six. [1]".

    `left` is how many lines its list or table has beyond what is quoted of it, `lead` what is above it where
    it means nothing without: an item of a list that has no lead of its own, the answer to a question of the
    page ("" else). `own` is the sentence that it is quoted for.
    """

    text: str
    left: int = 0
    lead: str = ""
    own: str = ""

    def is_said_in(self, answer: AnswerBuilder) -> bool:
        """Whether an answer has it already, or what it is quoted for."""
        return answer.has_quoted(without_marks(self.text)) or (
            len(self.own) >= LEAST_REPEATED and self.own in answer.text
        )


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """An answer not yet accepted. `evidence` (0 to 1) is how sure it is that the site says this.

    `said` are one to three sentences, none where there is no answer. `best` is the best sentence of each
    passage, best passages first, `chosen` are those that are said; `changed` are passages (chunk ids) that
    have spaces where something is not shown. `place` is where the answer stands in the first of them.
    `is_told`: every word of the question is told by how a page is built (`told.py`).
    """

    said: tuple[QuotedWords, ...]
    citations: tuple[Citation, ...]
    evidence: float
    notes: Mapping[str, object]
    best: tuple[ScoredSentence, ...] = ()
    changed: frozenset[int] = frozenset()
    place: AnswerPlace = NOWHERE
    chosen: tuple[ScoredSentence, ...] = ()
    computed: Computed | None = None
    is_told: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said, each sentence with its source's number."""
        return tuple(one.text for one in self.said)

    @property
    def nearest(self) -> tuple[Citation, ...]:
        """The passages it would be in, cut around their best sentences: shown where it is not sure enough."""
        return tuple(citation for citation, _ in self._nearest())

    def _nearest(self) -> list[tuple[Citation, int]]:
        """These, each with the number of lines that are left out of its list or table."""
        shown: list[tuple[Citation, int]] = []
        for quote in self.best:
            if len(shown) == SHOWN_PASSAGES:
                break
            if any(quote.text in other.quote for other, _ in shown):  # a section's passages share its list
                continue
            if score_of(quote) < BESIDE * score_of(self.best[0]):
                continue
            start, end, left = _items_around(quote) or (*_window(quote), quote.unit.left)
            citation = _citation(quote.whole, len(shown) + 1, start, end, self.changed)
            if not any(_begin_alike(citation, other) for other, _ in shown):
                shown.append((citation, left))
        return shown

    @property
    def hints(self) -> dict[str, str]:
        """Of each page (its URL) the words that come closest to an answer, below the heading that they stand
        under; none where all are far from it."""
        if self.evidence < LEAST_HINTED:
            return {}
        found: dict[str, str] = {}
        for quote in self.best:
            start, end = _window(quote, HINT_CHARS)
            if end - start <= 2 * HINT_CHARS:  # a line without an end is no hint
                words = _citation(quote.whole, 0, start, end, self.changed).quote
                lead = _lead(quote.whole, start) or _heading(quote.whole)
                found.setdefault(quote.passage.url, f"{lead}\n{words}" if lead else words)
        return found

    @property
    def text(self) -> str:
        """The sentences, each followed by the number of its source."""
        return " ".join(self.sentences)

    @property
    def has_shape(self) -> bool:
        """Whether it is, or holds, a table, a list or steps, which sentences would not tell as well."""
        blocks = blocks_of("\n".join(self.sentences), [citation.n for citation in self.citations])
        return any(block.kind != "text" for block in blocks)

    def unsaid(self, answer: AnswerBuilder) -> ExtractiveAnswer:
        """Without what an answer has already: two questions of a line may have one source."""
        said = (one for one in self.said if not one.is_said_in(answer))
        best = (one for one in self.best if not answer.has_quoted(one.text))
        return replace(self, said=tuple(said), best=tuple(best))

    def say(self, answer: AnswerBuilder, texts: Texts) -> Iterator[Event]:
        """Its sentences, said in an answer; those of several sections each below the name of theirs."""
        sources = {citation.n: citation for citation in self.citations}
        was_apart, led, above = False, "", ""
        if self.computed:
            yield from answer.say(self.computed.sentence(texts))
        for one, name in zip(self.said, self._names_above(), strict=True):
            is_apart = stands_apart(one.text) or bool(one.lead or name)
            if is_apart or was_apart:
                answer.new_line()
            lead = "" if name.endswith(one.lead) else one.lead
            for line, before in ((name, above), (lead, led)):
                if line not in {"", before} and not answer.has_quoted(line.rstrip(":")):
                    yield from answer.say(line)
                    answer.new_line()
            above, led = name, lead
            yield from answer.quote(one.text, _with_rest(sources, one.left, texts))
            yield from _say_left(one.left, answer, texts)
            was_apart = is_apart

    def _names_above(self) -> Sequence[str]:
        """The line above each sentence that names its page and section; "" for none."""
        places = {f"[{one.n}]": one.place for one in self.citations}
        return names_above(self.sentences, [places[one[one.rindex("[") :]] for one in self.sentences])

    def show_nearest(self, answer: AnswerBuilder, texts: Texts) -> Iterator[Event]:
        """The passages it would be in, each below the name of its page and section: a list needs its lead."""
        for citation, left in self._nearest():
            answer.new_line()
            yield from answer.quote(
                f"\n{citation.place}:\n{citation.quote} [{citation.n}]", {citation.n: citation}
            )
            yield from _say_left(left, answer, texts)


def _with_rest(sources: Mapping[int, Citation], left: int, texts: Texts) -> Mapping[int, Citation]:
    """The sources, those of tables with what is said in place of the rows that are left out."""
    if not left:
        return sources
    rest = texts.counted(texts.more_on_page, count=left)
    return {
        n: replace(one, table=replace(one.table, rest=rest)) if one.table else one
        for n, one in sources.items()
    }


def _say_left(left: int, answer: AnswerBuilder, texts: Texts) -> Iterator[Event]:
    """A part of a list does not pass for the whole."""
    if left:
        answer.new_line()
        yield from answer.say(texts.counted(texts.more_on_page, count=left))
        answer.new_line()


def cite(
    chosen: Sequence[ScoredSentence], changed: Container[int]
) -> tuple[tuple[QuotedWords, ...], tuple[Citation, ...]]:
    """The sentences as they are said, and a citation a passage, from the passage's first quote to its last.

    `changed`: the passages (chunk ids) that have spaces where something is not shown.
    """
    by_passage: dict[int, list[ScoredSentence]] = {}
    for quote in chosen:
        by_passage.setdefault(quote.passage.chunk_id, []).append(quote)
    said: list[QuotedWords] = []
    citations = []
    for n, quotes in enumerate(by_passage.values(), 1):
        said += (
            QuotedWords(
                f"{quote.text} [{n}]",
                quote.unit.left,
                _lead(quote.whole, quote.unit.start),
                quote.sentence,
            )
            for quote in quotes
        )
        start, end = min(quote.unit.start for quote in quotes), max(quote.unit.end for quote in quotes)
        citations.append(_citation(quotes[0].whole, n, start, end, changed))
    return tuple(said), tuple(citations)


def _begin_alike(one: Citation, other: Citation) -> bool:
    """Whether both show the same words of a section, of which one may show more."""
    first, second = one.quote.partition("\n")[0], other.quote.partition("\n")[0]
    return (one.url, one.heading, first) == (other.url, other.heading, second)


def best_of_each(
    candidates: Sequence[Candidate], quoted: Sequence[ScoredSentence]
) -> tuple[ScoredSentence, ...]:
    """The best sentence of each candidate that has one to quote; those of the very days before the others.

    Of a page that says what held then and what holds now, it is of what holds now.
    """
    best = {quote.passage.chunk_id: quote for quote in reversed(quoted)}
    found = [best[one.passage.chunk_id] for one in candidates if one.passage.chunk_id in best]
    current = {quote.passage.url for quote in found if not quote.stale}
    found = [quote for quote in found if not (quote.stale and quote.passage.url in current)]
    return tuple(sorted(found, key=lambda quote: -max(0.0, quote.day) * quote.share))


def _window(quote: ScoredSentence, most_chars: int = SHOWN_CHARS) -> tuple[int, int]:
    """The sentence and what belongs to it, with those around, as many as fit into so many characters.

    Where what belongs to it does not, it is the sentence that they are put around. Beside a record others of
    the kind stand, of whom nothing is asked.
    """
    spans = sentences(quote.whole.text)
    start, end = quote.unit.start, quote.unit.end
    if quote.unit.is_record and end - start <= most_chars:
        return start, end
    if end - start > most_chars:
        start, end = quote.start, quote.end
    first = next(i for i, (_, stop) in enumerate(spans) if stop > start)
    last = max(i for i, (begin, _) in enumerate(spans) if begin < end)
    while True:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= most_chars:
            last += 1
        elif first and spans[last][1] - spans[first - 1][0] <= most_chars:
            first -= 1
        else:
            return spans[first][0], spans[last][1]


def _items_around(quote: ScoredSentence) -> tuple[int, int, int] | None:
    """From where to where the item and those beside it go, and how many others its list has.

    A list that is longer than what is shown of one at first would have the item among those that are folded,
    and so would a table of days and what is on them, which is shown as a list ("Friday, May 7: …"). None for
    what is no such item, or belongs to a list with its lead.
    """
    passage, kind = quote.whole, quote.whole.kind_at(quote.unit.start)
    if "\n" in quote.text or kind not in {"list", "table"} or read_row(quote.text):
        return None
    lines, here = lines_of_kind(passage, quote.unit.start)
    total = len(lines)
    few = len(shown_items(total))
    if few == total:
        return None
    begin = max(0, min(here - few // 2, total - few))
    return lines[begin][0], lines[begin + few - 1][1], total - few


def _citation(passage: Passage, n: int, start: int, end: int, changed: Container[int]) -> Citation:
    """A part of a passage as a source."""
    words = without_planted_text(passage.text[start:end])
    return citation_of(passage, n, tidied(words) if passage.chunk_id in changed else words)


def _heading(passage: Passage) -> str:
    """The heading above a passage, which may be all that says of what its words are: "Lactation room:" above
    "It is open day and night"; "" where the page is called so.
    """
    heading = passage.section.strip().rstrip(":")
    return "" if heading.casefold() in passage.title.casefold() else _leading_in(heading)


def _leading_in(heading: str) -> str:
    """A heading as it stands above words; a question needs no colon."""
    return f"{heading}:" if heading and not heading.endswith(("?", "!")) else heading


def _lead(passage: Passage, start: int) -> str:
    """What is above these words and they mean nothing without; "" where they mean it alone.

    That is the heading above an item of a list ("Not allowed:"), without which "space heaters" does not tell
    whether they are forbidden; the page's question above a Yes or No, which may not be the visitor's; a name
    above a post ("Ann Bell:" above "Program Director"); the course that is described; and on somebody's own
    page who it is that says "I".
    """
    end = passage.text.find("\n", start)
    line = passage.text[start : end if end >= 0 else len(passage.text)].strip()
    heading = passage.section.strip().rstrip(":")
    if heading.endswith("?") and _YES_NO.match(line):
        return heading
    if is_person(heading) and is_post(line) and not line.endswith((".", "!", "?")):
        return f"{heading}:"
    if (course := _COURSE.match(heading)) and course[0] not in line:
        return f"{heading}:"
    if passage.kind == "person" and _OF_ONESELF.search(line):
        return f"{passage.title.strip() or heading}:"
    if passage.kind_at(start) != "list" or line.endswith(":"):
        return ""
    return _leading_in(heading)
