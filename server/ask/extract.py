"""The extractive answer: the best passages' own sentences. It cannot invent anything."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from server.ask.boost import BoostedPages
from server.ask.context import AskOptions
from server.ask.conversation.asked_time import AskedTime
from server.ask.grounding.evidence import (
    Relatedness,
    may_hold_task,
    tidied,
    without_planted_text,
    without_tasks,
)
from server.ask.ports import OpenSnapshot
from server.ask.quoting.choose import choose
from server.ask.quoting.compute import Computed, asks_of_rows, computed_over
from server.ask.quoting.confidence import answer_measures, evidence_measures, evidence_of, late_rivals
from server.ask.quoting.day_exception import day_exception
from server.ask.quoting.day_fit import day_fit, is_of_days, season_fit
from server.ask.quoting.item_lists import lines_of_kind
from server.ask.quoting.named_row import with_named_rows
from server.ask.quoting.score import (
    NOWHERE,
    AnswerPlace,
    QuestionFeatures,
    ScoredSentence,
    asks_for_several,
    expected_answer_types,
    score_of,
    score_sentences,
)
from server.ask.quoting.table_context import with_tables
from server.ask.quoting.units import stands_apart
from server.ask.trace import AnswerBuilder, OpenStep, citation_of
from server.messages.catalogue import Texts
from server.models import Candidate, Citation, Event, Hit, Passage
from server.models.blocks import blocks_of
from server.models.quoted_table import shown_items
from server.models.table_rows import read_row
from server.sentences import sentences

# The kind of answer that a calendar may have an exception to.
HOURS = "hours"
# Where no sentence is sure, so many passages are shown, each in so many characters around its best sentence.
SHOWN_PASSAGES, SHOWN_CHARS = 2, 800
# Where it is refused, a page's best words are shown beside its name in so many characters, if the answer is
# at least so likely.
HINT_CHARS, LEAST_HINTED = 300, 0.05
# The second of these is shown where its sentence is at least so good beside the first's. Of passages that are
# worse, one in twelve had the answer where the first had not, and the others led astray.
BESIDE = 0.6
# Where every word of the question is told by a table and by a column of Yes and No in it, the answer is at
# least so likely: a reader of single facts is not asked.
ALL_TOLD = 0.8
# A page that editors prefer answers where it has at most so much less evidence than the best passages.
NEARLY_AS_GOOD = 0.1


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """A sentence with what belongs to it, and its source's number: "The pool opens at six. [1]".

    `left` is how many lines its list or table has beyond what is quoted of it, `lead` what is above it where
    it is an item of a list that has no lead of its own ("" else).
    """

    text: str
    left: int = 0
    lead: str = ""


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """An answer not yet accepted. `evidence` (0 to 1) is how sure it is that the site says this.

    `said` are one to three sentences, none where there is no answer. `best` is the best sentence of each
    passage, best passages first, `chosen` are those that are said; `changed` are passages (chunk ids) that
    have spaces where something is not shown. `place` is where the answer stands in the first of them.
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
            shown.append((_citation(quote.whole, len(shown) + 1, start, end, self.changed), left))
        return shown

    @property
    def hints(self) -> dict[str, str]:
        """Of each page (its URL) the words that come closest to an answer; none where all are far from it."""
        if self.evidence < LEAST_HINTED:
            return {}
        found: dict[str, str] = {}
        for quote in self.best:
            start, end = _window(quote, HINT_CHARS)
            if end - start <= 2 * HINT_CHARS:  # a line without an end is no hint
                words = _citation(quote.whole, 0, start, end, self.changed).quote
                lead = _lead(quote.whole, start)
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

    def say(self, answer: AnswerBuilder, texts: Texts) -> Iterator[Event]:
        """Its sentences, said in an answer."""
        sources = {citation.n: citation for citation in self.citations}
        was_apart, led = False, ""
        if self.computed:
            yield from answer.say(self.computed.sentence(texts))
        for one in self.said:
            is_apart = stands_apart(one.text) or bool(one.lead)
            if is_apart or was_apart:
                answer.new_line()
            if one.lead and one.lead != led:
                yield from answer.say(one.lead)
                answer.new_line()
            led = one.lead
            yield from answer.quote(one.text, _with_rest(sources, one.left, texts))
            yield from _say_left(one.left, answer, texts)
            was_apart = is_apart

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


def best_answer(  # noqa: PLR0913, PLR0917  (what was found, and all it is weighed by)
    question: str,
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    index: OpenSnapshot,
    relatedness: Relatedness,
    passages: int,
    options: AskOptions,
    step: OpenStep,
    asked: AskedTime | None = None,
) -> tuple[Sequence[Candidate], ExtractiveAnswer]:
    """The passages it is answered from, and the answer with the evidence for it.

    The pages that editors boost answer where they do answer, or seem to, or else the best passages.
    `asked` are the days that it is about.
    """
    kinds = expected_answer_types(question)
    fit = partial(season_fit, question=question) if asked is None else partial(day_fit, asked=asked)
    several = asked is None and asks_for_several(question)
    dated = asked is not None and is_of_days(asked)
    words = index.text

    @cache  # sentences are scored twice where tables are shown whole, or pages preferred
    def others(ids: frozenset[int]) -> dict[int, Passage]:
        """These chunks, but those in which a sentence may be a task: it would have to be compared."""
        found = index.snapshot.passages(sorted(ids))
        return {id_: one for id_, one in found.items() if not may_hold_task(one.text)}

    weights = words.word_weights(question)
    rivals = late_rivals(candidates)
    wanted = QuestionFeatures(weights, kinds, words.stems, relatedness, fit, several, dated, others, rivals)
    wanted = replace(
        wanted, corrected=options.confidence.corrected, synonyms=index.wordings.synonyms_of(question)
    )
    if asked and dated and HOURS in {kind.name for kind in kinds}:
        wanted = replace(wanted, exception=partial(day_exception, asked, index))
    best, draft = _boosted_or_best(candidates, boosted, wanted, passages, options.least_confidence)
    draft = replace(draft, citations=with_tables(draft.chosen, draft.citations, others))
    found = computed_over(question, draft.citations, wanted)
    if found is None and asks_of_rows(question):
        draft, found = _of_a_column(question, best, draft, wanted) or (draft, None)
    if found:
        evidence = max(draft.evidence, ALL_TOLD) if found[0].is_of_column else draft.evidence
        notes = {**draft.notes, "evidence": round(evidence, 4), "computed": found[0].kind}
        draft = replace(draft, computed=found[0], citations=(found[1],), evidence=evidence, notes=notes)
    else:
        draft = replace(draft, citations=with_named_rows(question, draft.chosen, draft.citations, wanted))
    step.ranking = [Hit(one.passage.chunk_id, one.score) for one in best]
    step.notes = {
        **draft.notes,
        "threshold": options.refusal_threshold,
        "expects": [kind.name for kind in kinds],
    }
    return best, draft


def _of_a_column(
    question: str, candidates: Sequence[Candidate], draft: ExtractiveAnswer, wanted: QuestionFeatures
) -> tuple[ExtractiveAnswer, tuple[Computed, Citation]] | None:
    """The answer out of a table that has a column of Yes and No for all that is asked, and what is computed;
    None where there is none. A reader that does not know "AC" puts another line first."""
    clean = [_without_tasks(candidate, wanted) for candidate in candidates]
    if not any(read_row(line) for one in clean for line in one.passage.text.split("\n")):
        return None
    for quote in score_sentences(clean, replace(wanted, several=True)):
        if "\n" not in quote.text or not read_row(quote.text.partition("\n")[0]):
            continue
        said, cited = _cite([quote], draft.changed)
        found = computed_over(question, with_tables([quote], cited, wanted.passages), wanted)
        if found and found[0].is_of_column:
            place = AnswerPlace(quote.text)
            return replace(draft, said=said, citations=cited, place=place, chosen=(quote,)), found
    return None


def _boosted_or_best(
    candidates: Sequence[Candidate],
    boosted: BoostedPages,
    wanted: QuestionFeatures,
    passages: int,
    threshold: float,
) -> tuple[Sequence[Candidate], ExtractiveAnswer]:
    best = candidates[:passages]
    draft = extract_answer(best, wanted)
    own = [one for one in candidates if boosted.has(one.passage.url)]
    if not own:
        return best, draft
    instead = extract_answer(own[:passages], wanted)
    least = threshold
    if not any(boosted.pins(one.passage.url) for one in own):
        least = max(least, draft.evidence - NEARLY_AS_GOOD)
    if instead.evidence < least:
        return best, draft
    return [*own, *(one for one in best if one not in own)][:passages], instead


def extract_answer(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> ExtractiveAnswer:
    """One to three sentences of the candidates, best first, with their citations."""
    clean = [_without_tasks(candidate, wanted) for candidate in candidates]
    quoted = score_sentences(clean, wanted)
    if not quoted:
        return ExtractiveAnswer((), (), 0.0, {"evidence": 0.0})
    measures = evidence_measures(clean, wanted) | answer_measures(quoted)
    evidence = wanted.corrected(evidence_of(measures))
    changed = frozenset(
        new.passage.chunk_id for new, old in zip(clean, candidates, strict=True) if new is not old
    )
    chosen = choose(clean, quoted, wanted)
    said, citations = _cite(chosen, changed)
    notes = {name: round(value, 4) for name, value in {"evidence": evidence, **measures}.items()}
    best = _best_of_each(clean, quoted)
    place = _place_of(chosen[0], clean, wanted)
    told = {**notes, "span": place.marked} if place.marked else notes
    return ExtractiveAnswer(said, citations, evidence, told, best, changed, place, tuple(chosen))


def _lead(passage: Passage, start: int) -> str:
    """The heading above an item of a list, as its lead: "Not allowed:"; "" where it has another, or is none.

    Without it "space heaters" does not tell whether they are forbidden.
    """
    end = passage.text.find("\n", start)
    line = passage.text[start : end if end >= 0 else len(passage.text)].strip()
    if passage.kind_at(start) != "list" or line.endswith(":"):
        return ""
    heading = passage.section.strip().rstrip(":")
    return f"{heading}:" if heading and not heading.endswith(("?", "!")) else heading


def _place_of(
    quote: ScoredSentence, candidates: Sequence[Candidate], wanted: QuestionFeatures
) -> AnswerPlace:
    """The sentence, and of what the reader marked in its passage the part that lies in it."""
    text, kinds = quote.passage.text, tuple(kind.name for kind in wanted.kinds)
    own = (one.reading for one in candidates if one.passage.chunk_id == quote.passage.chunk_id)
    reading = next(own, None)
    marked = ""
    if reading is not None and quote.marked:
        marked = text[max(quote.start, reading.start) : min(quote.end, reading.end)].strip()
    return AnswerPlace(text[quote.start : quote.end], marked, kinds)


def _without_tasks(candidate: Candidate, wanted: QuestionFeatures) -> Candidate:
    """The candidate with spaces in place of its tasks; itself where it has none."""
    if wanted.relatedness is None:
        return candidate
    passage = without_tasks(candidate.passage, wanted.relatedness)
    return candidate if passage is candidate.passage else replace(candidate, passage=passage)


def _cite(
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
            QuotedWords(f"{quote.text} [{n}]", quote.unit.left, _lead(quote.whole, quote.unit.start))
            for quote in quotes
        )
        start, end = min(quote.unit.start for quote in quotes), max(quote.unit.end for quote in quotes)
        citations.append(_citation(quotes[0].whole, n, start, end, changed))
    return tuple(said), tuple(citations)


def _best_of_each(
    candidates: Sequence[Candidate], quoted: Sequence[ScoredSentence]
) -> tuple[ScoredSentence, ...]:
    """The best sentence of each candidate that has one to quote; those of the very days before the others."""
    best = {quote.passage.chunk_id: quote for quote in reversed(quoted)}
    found = [best[one.passage.chunk_id] for one in candidates if one.passage.chunk_id in best]
    return tuple(sorted(found, key=lambda quote: -max(0.0, quote.day) * quote.share))


def _window(quote: ScoredSentence, most_chars: int = SHOWN_CHARS) -> tuple[int, int]:
    """The sentence and what belongs to it, with those around, as many as fit into so many characters.

    Where what belongs to it does not, it is the sentence that they are put around.
    """
    spans = sentences(quote.whole.text)
    start, end = quote.unit.start, quote.unit.end
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
