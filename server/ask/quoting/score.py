"""Every sentence of the best passages, by what speaks for it as an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from server.ask.grounding.evidence import Relatedness, is_question, logistic, planted_spans
from server.ask.quoting.day_fit import dates_above
from server.ask.quoting.ranges import Counted
from server.ask.quoting.sections import Passages, SectionText, sections_of
from server.ask.quoting.units import NOTHING, Unit, is_step, unit_of
from server.lexicons import lexicon
from server.models import Candidate, Passage
from server.models.table_rows import read_row
from server.sentences import sentences


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A kind of answer: how a question asks for it, and what it looks like on a page."""

    name: str
    asked: re.Pattern[str]
    looks: re.Pattern[str]


ANSWER_TYPES = tuple(
    AnswerType(row["name"], row.pattern("asked", r"\b(?:{})\b"), row.pattern("looks"))
    for row in lexicon("answer_types")["type"]
)

# The kind of answer that a calendar may have an exception to, and the one that is another every year.
HOURS, MONEY = "hours", "money"
# So much of a question, by weight, is named above links that are its answer.
NAMES_LINKS = 0.5
# Blocks of a page (`BlockKind`) that a visitor cannot do anything with.
_NO_ANSWER = frozenset({"code", "form"})
_SEVERAL = lexicon("answer_types").pattern("several", r"\b(?:{})\b")


def asks_for_several(question: str) -> bool:
    """Whether it asks for a list or a whole table rather than for one thing."""
    return _SEVERAL.search(question) is not None


def expected_answer_types(question: str) -> tuple[AnswerType, ...]:
    """The kinds of answer the question asks for; none: any sentence will do."""
    return tuple(kind for kind in ANSWER_TYPES if kind.asked.search(question))


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """What the answerer is given of the question: its weighted words, the kinds it asks for, a stemmer.

    `synonyms` are stems of the question, each with those of another wording, which counts as much.
    `relatedness` tells tasks from what their page says; without it none is looked for. `day_fit` says how
    well a line below some headings suits the days that are meant (−1 to 1). `several`: tables are quoted
    whole, and so are lists. `dated`: a few days are meant, and a row is quoted for its own day. `passages`
    are the snapshot's, for what goes on in the next chunk of a section. `late_rivals` is how well other
    passages match the question's words (`confidence.late_rivals`). `exception` is what the site's calendar
    says against the hours of these days; `corrected` is what the site's own questions make of the confidence.
    `worth` is what a sentence is worth that is read alone (`lead.ReadAlone`); None where none is. `numbers`
    are those that may lie in a range that a line names. `hosts` are the site's, with their counts of pages.
    """

    word_weights: Mapping[str, float]
    kinds: tuple[AnswerType, ...]
    stems: Callable[[Sequence[str]], list[set[str]]]
    relatedness: Relatedness | None = None
    day_fit: Callable[[str, str], float] = lambda _line, _above: 0.0
    several: bool = False
    dated: bool = False
    passages: Passages = lambda _ids: {}
    late_rivals: float | None = None
    exception: Callable[[], ScoredSentence | None] = lambda: None
    corrected: Callable[[float], float] = lambda evidence: evidence
    synonyms: Sequence[tuple[frozenset[str], frozenset[str]]] = ()
    worth: Callable[[ScoredSentence], float] | None = None
    numbers: Sequence[Counted] = ()
    hosts: Mapping[str, int] = field(default_factory=dict)

    @property
    def asks_week(self) -> bool:
        """Whether hours are asked for, and no day of them: the days of a week belong together then."""
        return not self.dated and any(kind.name == HOURS for kind in self.kinds)

    def with_synonyms(self, words: set[str]) -> set[str]:
        """The stems, with those of the question that they are another wording of."""
        return words.union(*(own for own, other in self.synonyms if other <= words))

    def coverage(self, words: set[str]) -> float:
        """The share of the question's words, by weight, that are among `words`, or worded otherwise there."""
        total = sum(self.word_weights.values())
        words = self.with_synonyms(words)
        found = sum(weight for word, weight in self.word_weights.items() if word in words)
        return found / total if total else 0.0


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """What each measure of a sentence counts. Near what scripts/research/answering/fit_answer.py fits to
    visitors' questions, the reader trusted a little more; a day's is chosen, as too few of them ask about
    one.

    Its cosine to the question is not among them: on SQuAD it moved the share of first sentences that hold the
    answer from .705 to .713, for nine tenths of the time an answer took.
    """

    words: float
    heading: float
    passage: float
    kind: float
    marked: float
    day: float


WEIGHTS = SentenceWeights(words=1.0, heading=0.7, passage=0.5, kind=0.2, marked=1.0, day=1.0)


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence of a passage, and what speaks for it.

    `words`: the share (0 to 1) of the question's words, weighted by rarity, that stand in it; `heading`: of
    those that stand only in the title and headings above it. `share`: its passage's score as a share of the
    best, or its page's (`_with_days_of_page`). `fits`: it looks like an answer of a kind that was asked for
    (true when any will do). `marked`: how likely the reader's answer stands in it (0 without a reader).
    `day`: how well it suits the days that the question means. `unit` is what belongs together with it, in the
    text of its passage's `section`. `stale`: its page is of long ago, which nobody asked for.
    """

    passage: Passage
    start: int
    end: int
    words: float
    heading: float
    share: float
    fits: bool
    marked: float = 0.0
    day: float = 0.0
    section: SectionText | None = None
    unit: Unit = NOTHING
    stale: bool = False

    @property
    def whole(self) -> Passage:
        """Its passage with the rest of the section."""
        return self.section.passage if self.section else self.passage

    @property
    def sentence(self) -> str:
        """The sentence alone."""
        return self.passage.text[self.start : self.end]

    @property
    def text(self) -> str:
        """The sentence with what belongs to it, as the page has it."""
        return self.whole.text[self.unit.start : self.unit.end]

    def cut(self, start: int, end: int) -> ScoredSentence:
        """Quoted with no more than these characters of its `text`."""
        begin = self.unit.start
        return replace(self, unit=replace(self.unit, start=begin + start, end=begin + end))

    def score(self, weights: SentenceWeights) -> float:
        """All that speaks for it, in one number."""
        return (
            weights.words * self.words
            + weights.heading * self.heading
            + weights.passage * self.share
            + weights.kind * self.fits
            + weights.marked * self.marked
            + weights.day * self.day
        )


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """Where a quoted answer stands: the `sentence`, and what of it the reader `marked`, if anything.

    `kinds` are the names of the kinds of answer that were asked for.
    """

    sentence: str = ""
    marked: str = ""
    kinds: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The words that answer, as few as are known."""
        return self.marked or self.sentence


NOWHERE = AnswerPlace()


def score_sentences(candidates: Sequence[Candidate], wanted: QuestionFeatures) -> list[ScoredSentence]:
    """Every sentence of the candidates, best first, but questions and those to a machine."""
    best = max((candidate.score for candidate in candidates), default=0.0) or 1.0
    sections = sections_of([one.passage for one in candidates], wanted.passages)
    quoted = [
        quote
        for one in candidates
        for quote in _sentences_of(one, sections[one.passage.chunk_id], one.score / best, wanted)
    ]
    return sorted(_with_days_of_page(quoted), key=score_of, reverse=True)


def _with_days_of_page(quoted: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """Where a page's best passage names other days alone, its lines of the very days count as much as it.

    A page has its exceptions in one section, and the term's hours in another.
    """
    best: dict[str, float] = {}
    for quote in quoted:
        best[quote.passage.url] = max(quote.share, best.get(quote.passage.url, 0.0))
    days = {
        url: [one.day for one in quoted if (one.passage.url, one.share) == (url, best[url])] for url in best
    }
    apart = {url for url in best if min(days[url]) < 0 and max(days[url]) <= 0}
    return [
        replace(one, share=best[one.passage.url]) if one.day > 0 and one.passage.url in apart else one
        for one in quoted
    ]


def score_of(quote: ScoredSentence) -> float:
    """All that speaks for a sentence, in one number."""
    return quote.score(WEIGHTS)


def _sentences_of(
    candidate: Candidate, section: SectionText, share: float, wanted: QuestionFeatures
) -> list[ScoredSentence]:
    passage, stale = candidate.passage, candidate.stale
    is_list = wanted.several and "links" in passage.line_kinds and _names_links(passage, wanted)
    spans = _spans_shown(passage, several=is_list)
    around = _spans_shown(section.passage, several=is_list)
    place = {span: i for i, span in enumerate(around)}
    headings = f"{passage.title} {passage.heading}"
    above, *inside = wanted.stems([headings, *(passage.text[start:end] for start, end in spans)])
    quoted = []
    for (start, end), own in zip(spans, inside, strict=True):
        block = dates_above(section.passage.text, section.start + start) if wanted.dated else ""
        marked = _marked(candidate, start, end)
        there = place.get((section.start + start, section.start + end))
        if there is None:  # a sentence that the chunk's end cut in two
            unit, within = _unit(passage, spans, spans.index((start, end)), wanted), None
        else:
            unit, within = _unit(section.passage, around, there, wanted), section
        said, stems = passage.text[start:end], own
        if unit.is_record:  # what is told of somebody is told together
            said = (section.passage if within else passage).text[unit.start : unit.end]
            [stems] = wanted.stems([said])
        words = wanted.coverage(stems)
        heading = wanted.coverage(stems | above) - words
        day = wanted.day_fit(said, f"{headings}\n{block}")
        fits = not wanted.kinds or any(kind.looks.search(said) for kind in wanted.kinds)
        quoted.append(
            ScoredSentence(passage, start, end, words, heading, share, fits, marked, day, within, unit, stale)
        )
    return quoted


def _unit(passage: Passage, spans: Sequence[tuple[int, int]], i: int, wanted: QuestionFeatures) -> Unit:
    return unit_of(passage, spans, i, whole=wanted.several, paragraph=not wanted.dated)


def _names_links(passage: Passage, wanted: QuestionFeatures) -> bool:
    """Whether the headings above links, or the line that leads in to them, name what is asked for."""
    lines = passage.text.split("\n")
    first = passage.line_kinds.index("links")
    lead = lines[first - 1] if first and lines[first - 1].endswith(":") else ""
    (named,) = wanted.stems([f"{passage.title} {passage.heading} {lead}"])
    return wanted.coverage(named) >= NAMES_LINKS


def _spans_shown(passage: Passage, *, several: bool) -> list[tuple[int, int]]:
    """Its sentences, but questions, those to a machine, and lines that answer nothing.

    What leads elsewhere is an answer only where `several` of its kind are asked for: majors, each a link.
    """
    text, planted = passage.text, planted_spans(passage.text)
    return [
        span
        for span in _with_rows_whole(text)
        if span not in planted
        and (not is_question(text[slice(*span)]) or is_step(text, span))
        and (kind := passage.kind_at(span[0])) not in _NO_ANSWER
        and (several or kind != "links")
    ]


def _with_rows_whole(text: str) -> list[tuple[int, int]]:
    """The sentences of a text; a row of a table is one, whatever its cells say: "Enroll. Take no test."."""
    found: list[tuple[int, int]] = []
    for start, end in sentences(text):
        begin, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        if found and found[-1][1] > begin and read_row(text[begin : stop if stop >= 0 else len(text)]):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _marked(candidate: Candidate, start: int, end: int) -> float:
    """How likely the answer is the marked one, if that lies in these characters."""
    reading = candidate.reading
    if reading is None or reading.margin is None or not (reading.start < end and start < reading.end):
        return 0.0
    return candidate.score * logistic(reading.margin)
