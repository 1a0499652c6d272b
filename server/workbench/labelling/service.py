"""A sample of visitors' questions: drawn, shown one by one, labelled; and the share that was right of those
drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from server.ask.curated import weigh_questions
from server.errors import BadInputError, NotFoundError, NotReadyError
from server.evaluate.significance import share_interval
from server.masking import Masker, in_every_text, without_masks
from server.models import TurnFilter
from server.models.golden import GoldenQuestion, bare_address
from server.storage.conversations import ConversationStore, asked_key
from server.storage.turns import day_of
from server.workbench.answering import AnsweringParts
from server.workbench.golden.of_trace import golden_of
from server.workbench.labelling.choose import PastTurn, choose, soon_after
from server.workbench.labelling.store import Label, LabelStore, SampleDrawing, SampledRow, SampleRow
from server.workbench.traces.table import passage_tables

Json = dict[str, Any]

DAYS, SIZE = 30, 20
MOST_PAGES = 12
# Two questions of a conversation ask the same where that is likelier than not. Each pair takes the embedder
# some milliseconds, so of very many only the latest are looked at.
SAME, MOST_PAIRS = 0.5, 400
NOTHING_LEFT = "Nothing that was asked in these days is left to be labelled."
NO_WORDS = "Say which words a right answer must have. By its page alone any answer from it would be right."
NO_PAGE = "Choose the page that the right answer stands on."
NOT_OF_IT = "A right page is one of those that were found for the question; choose one of them."
NOT_ANSWERED = "It was not answered: say that the site does not say, or what the right answer is."
NOTHING_TO_KEEP = "Neither a page nor words go with this label."


class GoldenQuestions(Protocol):
    """Where golden questions are kept."""

    def all(self, site: str | None = None) -> Sequence[GoldenQuestion]:
        """Those of a site."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that was found for a question; `text` is what the answer quotes of it, or its best passage."""

    url: str
    title: str
    heading: str
    text: str
    cited: bool


@dataclass(frozen=True, slots=True)
class QuestionToLabel:
    """A question with what was shown for it, without what is personal.

    `asked` is how it was typed, `question` how it would be kept; `answer` the contract's JSON. `pages` are
    those of the trace, the cited ones first, and `words` what the reader marked as the answer. `label` is
    what was found before.
    """

    message_id: str
    trace_id: str
    conversation_id: str
    day: str
    topic: str | None
    asked: str
    question: str
    times: int
    at_random: bool
    reasons: list[str]
    answer: Json
    pages: list[FoundPage]
    words: list[str]
    label: Label | None
    golden_id: str | None


@dataclass(frozen=True, slots=True)
class RightShare:
    """How many of the `n` answers drawn at random and labelled were right or partly so.

    `value` is the share that was right, `low` and `high` its 95 % interval.
    """

    n: int
    right: int
    partly: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """What somebody found of a question; `golden_id` is the golden question that came of it."""

    message_id: str
    question: str
    label: Label
    golden_id: str | None
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class LabellingView:
    """A sample, the question that is `next` or was asked for (null: all are labelled), what was labelled so
    far, the latest first, and the share that was right (null: none drawn at random is labelled)."""

    sample: SampleRow
    next: QuestionToLabel | None
    share: RightShare | None
    labelled: list[LabelledQuestion]


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A label; and for a golden question pages that may answer it, and words of which it must hold one."""

    label: Label
    pages: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LabellingService:
    """Samples of visitors' questions. What is not there is a `NotFoundError`.

    Without `answering`, what was asked again in other words is not seen.
    """

    store: LabelStore
    golden: GoldenQuestions
    conversations: ConversationStore
    answering: AnsweringParts | None = None

    def draw(self, drawing: SampleDrawing, by: str) -> int:
        """The number of the sample that is drawn so; the same one as long as it is there."""
        drawing = replace(drawing, since=day_of(drawing.since), until=day_of(drawing.until))
        if (known := self.store.find(drawing)) is not None:
            return known
        golden = self.golden.all(drawing.site)
        taken = {asked_key(one.question) for one in golden}
        traces = {one.from_trace for one in golden if one.from_trace}
        taken |= self.store.known(drawing.site, traces)
        turns = self.store.turns(TurnFilter(drawing.since, drawing.until, drawing.site))
        turns = [turn for turn in turns if turn.asked not in taken]

        def is_wanted(turn: PastTurn) -> bool:
            return is_worth_it(self.conversations.trace(turn.trace_id), taken)

        chosen = choose(turns, drawing.size, drawing.seed, self._again(turns, drawing.site), is_wanted)
        if not chosen:
            raise NotFoundError(NOTHING_LEFT)
        return self.store.keep(drawing, chosen, by=by)

    def view(self, sample_id: int, message_id: str | None = None) -> LabellingView:
        """A sample as it is, with the first question that nobody has labelled, or the one asked for."""
        sample = next(iter(self.store.samples(sample_id=sample_id)), None)
        if sample is None:
            raise NotFoundError("There is no sample with that number.")
        rows = self.store.questions(sample_id)
        left = (row for row in rows if row.label is None)
        row = self.store.question(sample_id, message_id) if message_id else next(left, None)
        shown = None if row is None else to_label(row, self.conversations.trace(row.trace_id))
        return LabellingView(sample, shown, share_right(rows), labelled(rows))

    def label(self, sample_id: int, message_id: str, given: GivenLabel, by: str) -> SampledRow:
        """Keeps what one found, and the golden question that comes of it, if any; `BadInputError`."""
        row = self.store.question(sample_id, message_id)
        golden = golden_from(row, self.conversations.trace(row.trace_id), given)
        return self.store.label(sample_id, message_id, given.label, golden, by=by)

    def _again(self, turns: Sequence[PastTurn], site: str) -> dict[int, float]:
        """By a turn's number, how likely it was soon asked again in other words, where that is likely."""
        if self.answering is None:
            return {}
        try:
            parts = self.answering()
        except NotReadyError:
            return {}
        found: dict[int, float] = {}
        day = parts.asker.day(site)
        for turn, later in list(soon_after(turns))[-MOST_PAIRS:]:
            [weighed] = weigh_questions([later.question], [turn.question], parts.paraphraser, day)
            if weighed.differs is None and weighed.likelihood >= SAME:
                found[turn.number] = max(weighed.likelihood, found.get(turn.number, 0.0))
        return found


def last_days(days: int = DAYS) -> tuple[str, str]:
    """The first and the last of so many days up to today (ISO 8601, UTC)."""
    today = datetime.now(UTC).date()
    return (today - timedelta(days=days - 1)).isoformat(), today.isoformat()


def is_worth_it(trace: Mapping[str, Any], golden: set[str]) -> bool:
    """Whether a trace is of a question that could be kept: no doubt of an answer, nothing unsafe, with words
    left once it is masked, and none of the golden ones (by their `asked`)."""
    notes = {step["step"]: step["notes"] for step in trace["steps"]}
    unsafe = any(step["notes"].get("matter") for step in trace["steps"] if step["step"] == "moderate")
    if "challenge" in notes or unsafe:
        return False
    question = golden_of(trace).question
    has_words = any(len(word) > 1 and word.isalpha() for word in without_masks(question).split())
    return has_words and asked_key(question) not in golden


def to_label(row: SampledRow, trace: Mapping[str, Any]) -> QuestionToLabel:
    """A question of a sample as it is shown, masked for everyone: what is shown may be kept."""
    masker = Masker()
    asked = masker.masked(trace["question"])
    spans = [step["notes"].get("span") for step in trace["steps"] if step["step"] == "extract"]
    return QuestionToLabel(
        row.message_id,
        row.trace_id,
        row.conversation_id,
        row.day,
        row.topic,
        asked,
        golden_of(trace).question,
        row.times,
        bool(row.draws),
        row.reasons,
        in_every_text(masker.echoed, trace["answer"]),
        pages_of(trace),
        [] if row.refused else list(dict.fromkeys(filter(None, spans))),
        row.label,
        row.golden_id,
    )


def pages_of(trace: Mapping[str, Any]) -> list[FoundPage]:
    """Pages that a right answer may be chosen from: those that are cited, then those that came furthest."""
    cited = [
        FoundPage(one["url"], one["title"], one["heading"], one["quote"], cited=True)
        for one in trace["answer"]["citations"]
    ]
    found = [
        FoundPage(row.url, row.title, row.heading, row.text, cited=False)
        for table in passage_tables(trace)
        for row in table.rows
        if row.url
    ]
    pages: dict[str, FoundPage] = {}
    for page in (*cited, *found):
        pages.setdefault(bare_address(page.url), page)
    return list(pages.values())[:MOST_PAGES]


def golden_from(row: SampledRow, trace: Mapping[str, Any], given: GivenLabel) -> GoldenQuestion | None:
    """The golden question that a label makes, if any; `BadInputError` where it cannot be."""
    words, known = tuple(word for word in given.words if word.strip()), pages_of(trace)
    golden = replace(golden_of(trace), source="visitors")
    if given.label in ("unanswered", "not_worth"):
        if given.pages or words:
            raise BadInputError(NOTHING_TO_KEEP)
        return replace(golden, refuse=True) if given.label == "unanswered" else None
    if row.refused and given.label != "wrong":
        raise BadInputError(NOT_ANSWERED)
    if not (given.pages or words):
        return None
    if not words:
        raise BadInputError(NO_WORDS)
    if known and not given.pages:
        raise BadInputError(NO_PAGE)
    if not set(given.pages) <= {page.url for page in known}:
        raise BadInputError(NOT_OF_IT)
    return replace(golden, pages=tuple(given.pages), answers=words)


def share_right(rows: Sequence[SampledRow]) -> RightShare | None:
    """The share of answers that were right, by those drawn at random and labelled; a refusal is right where
    the site does not say. What is not worth keeping was no question, and counts for nothing."""
    drawn = [row for row in rows if row.draws and row.label not in (None, "not_worth")]
    n, right = sum(row.draws for row in drawn), sum(row.draws for row in drawn if _was_right(row))
    if not n:
        return None
    partly = sum(row.draws for row in drawn if row.label == "partly")
    share = share_interval(right, n)
    return RightShare(n, right, partly, share.value, share.low, share.high)


def labelled(rows: Sequence[SampledRow]) -> list[LabelledQuestion]:
    """Those that somebody has labelled, the latest first."""
    found = [
        LabelledQuestion(
            row.message_id, Masker().masked(row.question), row.label, row.golden_id, row.by, row.at
        )
        for row in rows
        if row.label and row.at
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)


def _was_right(row: SampledRow) -> bool:
    return row.label == "right" or (row.label == "unanswered" and row.refused)
