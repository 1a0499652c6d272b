"""A question's way: `Question` → `Hit` (an index's answer) → `Candidate` (a `Passage` with its scores)
→ `Answer` with `Citation`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from server.models.blocks import AnswerBlock, blocks_of
from server.models.quoted_table import QuotedTable
from server.models.sites import MAIN
from server.models.text_fragments import link_to_page, link_to_text


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search; as it is made without arguments it limits nothing.

    `topics` are those to search, each with its sub-topics; none named: the whole topic. Pages without a topic
    belong to every one, and pages of unknown language to every language. `sites` are hosts as URLs have them
    ("www.example.edu", "example.edu:8090"), `prefix` is how a URL begins, `lang` an ISO 639 code. `since` and
    `until` are ISO 8601 days, both included, of a page's last change or else its publication: a page without
    either is outside. `archived` False leaves out what the site itself has put away.
    """

    topics: Mapping[str, tuple[str, ...]] | None = None
    sites: tuple[str, ...] = ()
    prefix: str | None = None
    lang: str | None = None
    since: str | None = None
    until: str | None = None
    archived: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """A visitor's question. `history` holds (role, text) turns before it, oldest first.

    `within` is where to search; its topics, if it names any, go before those that the question sounds like.
    `cited` are the sources of the last answer in the history, where they are known. `load_shed`: too many
    wait, so it is answered from keyword search alone, without a language model. `lang` is the language of the
    page it was asked on, where that is known. `narrowed`: its conversation has been asked back already for
    whom a question is meant.
    """

    text: str
    conversation_id: str
    message_id: str
    trace_id: str
    site: str = MAIN
    strategy: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    within: Scope | None = None
    cited: tuple[Citation, ...] = ()
    load_shed: bool = False
    lang: str | None = None
    narrowed: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk found by one index, best first in its list; what `score` means is the index's own."""

    chunk_id: int
    score: float


class Ranking(list[Hit]):
    """An index's answer, best first, with what the trace should say of how it came about.

    `notes` belong to the answer and not to the index, which answers several questions at once. `left_out` are
    hits that would have stood in it, were they not left out.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        notes: Mapping[str, Any] | None = None,
        left_out: tuple[Hit, ...] = (),
    ) -> None:
        super().__init__(hits)
        self.notes: Mapping[str, Any] = notes or {}
        self.left_out = left_out


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Metadata of a published page: the ISO 8601 `day` of its last change, or else of its publication;
    the length of its text."""

    page_id: int
    url: str
    title: str
    day: str | None
    chars: int
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it was published, with what a citation and a boost need of its page.

    `page` is the number of the page on which it begins, in a document that has such; `nearer` is how many
    pages are nearer to the front door than its own; None: no link leads there, or it is not known.
    `line_kinds` say of each line of its text what block begins with it (`LineKind`); none: it is not known.
    """

    chunk_id: int
    url: str
    title: str
    heading: str
    text: str
    lang: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None
    terms: tuple[str, ...] = ()
    kind: str = "reference"
    audiences: tuple[str, ...] = ()
    page: int | None = None
    line_kinds: tuple[str, ...] = ()
    nearer: int | None = None

    @property
    def section(self) -> str:
        """The last of the headings above it."""
        return self.heading.rpartition(" › ")[2]

    def kind_at(self, place: int) -> str:
        """The kind of the block that the character at `place` is in; "paragraph" where it is not known."""
        line = self.text.count("\n", 0, place)
        return next(filter(None, reversed(self.line_kinds[: line + 1])), "paragraph")

    def block_at(self, place: int) -> tuple[int, int]:
        """From where to where the block goes that the character at `place` is in; its line where blocks are
        not known."""
        lines = self.text.split("\n")
        line = self.text.count("\n", 0, place)
        first, last = line, line + 1
        while first and self._goes_on(first):
            first -= 1
        while last < len(lines) and self._goes_on(last):
            last += 1
        start = sum(len(one) + 1 for one in lines[:first])
        return start, start + len("\n".join(lines[first:last]))

    def _goes_on(self, line: int) -> bool:
        return line < len(self.line_kinds) and not self.line_kinds[line]


@dataclass(frozen=True, slots=True)
class ClaimVerdict:
    """What a passage says of a claim, and of a yes/no question (yes, no, neither), as probabilities."""

    supported: float
    contradicted: float
    not_said: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A cross-encoder's result for a question, or a claim, and a passage.

    `log_odds` says how likely the passage answers the question. Where the model also reads, `start` and `end`
    bound the likeliest answer in `Passage.text` and `margin` is its log-odds against "there is none"; where
    it judges, `verdict` says what the passage makes of the line.
    """

    log_odds: float
    start: int = 0
    end: int = 0
    margin: float | None = None
    verdict: ClaimVerdict | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage and what each step made of it. A rank counts from 1; None: that index did not bring it.

    `preference` (−1 to 1) says how well the terms it speaks of suit the question, `late_score` how well its
    words match the question's (late interaction). `stale`: news or an event of long ago, where none is asked
    for. `course` is 1 for a page about a course that is asked about, −1 for one about another. `other_stage`:
    its page is for people at another stage than whoever asks. `distance`: how far its page is from the front
    door, where a general question is asked (front_door.py).
    """

    passage: Passage
    score: float
    semantic_score: float | None = None
    semantic_rank: int | None = None
    keyword_score: float | None = None
    keyword_rank: int | None = None
    preference: float = 0.0
    reading: Reading | None = None
    late_score: float | None = None
    stale: bool = False
    course: int = 0
    other_stage: bool = False
    distance: float = 0.0


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of an answer's sentence. `quote` is the passage's own words, the answer's among them.

    `href` leads to these words on the page (text_fragments.py), or in a document to its page of this number.
    `table` is the whole table of which rows are quoted.
    """

    n: int
    url: str
    title: str
    heading: str
    quote: str
    last_modified: str | None = None
    fetched_at: str | None = None
    page: int | None = None
    table: QuotedTable | None = None
    href: str = field(init=False, default="")

    def __post_init__(self) -> None:
        href = link_to_text(self.url, self.quote) if self.page is None else link_to_page(self.url, self.page)
        object.__setattr__(self, "href", href)

    @property
    def place(self) -> str:
        """Its page and section by name."""
        return " › ".join(filter(None, (self.title, self.heading)))


# Said as the answer; as "this page seems to answer it", with the passage; or not at all.
Tier = Literal["answer", "seems", "refusal"]
RefusalReason = Literal["off_topic", "no_evidence", "unsafe"]
RefusalReasons: tuple[RefusalReason, ...] = ("off_topic", "no_evidence", "unsafe")
# Why an answer was found helpful, and why not.
FeedbackReasons: Mapping[bool, tuple[str, ...]] = {
    True: ("clear", "complete", "other"),
    False: ("wrong", "incomplete", "outdated", "off_topic", "other"),
}


@dataclass(frozen=True, slots=True)
class Caution:
    """Why a source may not hold any more; `n` is its citation's number.

    `past_term`: it speaks of nothing newer than `term`, which is over; `changed`: its page says something
    else than when it was read, or is gone; `older`: its page was last changed more than a year before that of
    another source, whose day the answer is as of.
    """

    kind: Literal["past_term", "changed", "older"]
    n: int
    term: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How new an answer's sources are: `as_of` is an ISO 8601 day, None where no source carries a date."""

    as_of: str | None = None
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainContact:
    """A `Contact` in the language of the site's own pages."""

    label: str
    email: str = ""
    phone: str = ""
    url: str = ""
    hours: str = ""


@dataclass(frozen=True, slots=True)
class ClosestPage:
    """A page to look at when the site gives no answer.

    `quote`: its words that come closest to one, where they are likely enough to be read; "" else.
    """

    url: str
    title: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class NarrowingChoice:
    """A kind of people that a question may be meant for, and the question with it named."""

    label: str
    question: str


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What is asked back below an answer: for whom the question is meant.

    `is_of` is the kind of people that the answer is for, "" where that is not sure; `lead` is the line above
    the choices, in the language `lang`.
    """

    is_of: str
    lead: str
    choices: tuple[NarrowingChoice, ...]
    lang: str


# Whose words answer no question: help lines, and friendly lines.
OF_NO_QUESTION = ("help", "courtesy")
# Whose words may be written in Markdown; a page's own, and ours, are to the letter.
WRITTEN = ("llm", "curated")


@dataclass(frozen=True, slots=True)
class Answer:
    """The contract of `POST /api/ask` and `lodge ask --json`; `as_json` is its letter.

    `answerer` is "extractive", "llm" or "curated"; "help" where help lines are all there is to say,
    "courtesy" for a friendly line. `degraded` says why the language model did not write this, or not to its
    end: the `trouble` of an `LlmUnavailableError`; or "busy", under load (`Question.load_shed`).
    `notices` are urgent and stand above the answer; `contacts`, of a refusal, are whom to ask instead;
    `as_of` and `cautions` say how new its sources are. `lang` is the language of an answer that is Lodge's
    own words, as a refusal is; None: it is in that of the site's pages. `confidence` (0 to 1) is how likely
    the answer is right; None where nothing was weighed. `refused` is true of the `tier` "refusal" alone.
    `blocks` are what the text is made of (blocks.py); words that may be in Markdown are one text.
    `quote_reason` says why the pages are quoted though a language model was there and did not fail: its
    answer was no better (ask/generate.py). That is no degradation. `narrow` is what is asked back below it.
    """

    answer: str
    refused: bool
    refusal_reason: RefusalReason | None
    answerer: str
    degraded: str | None
    citations: tuple[Citation, ...]
    closest_pages: tuple[ClosestPage, ...]
    strategy: str
    snapshot: str
    conversation_id: str
    message_id: str
    trace_id: str
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    contacts: tuple[PlainContact, ...] = ()
    as_of: str | None = None
    cautions: tuple[Caution, ...] = ()
    lang: str | None = None
    confidence: float | None = None
    tier: Tier = "answer"
    quote_reason: str | None = None
    narrow: Narrowing | None = None
    blocks: tuple[AnswerBlock, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        """An answer that was recorded before there were tiers has the one that follows from `refused`."""
        if self.refused:
            object.__setattr__(self, "tier", "refusal")
        numbers = [citation.n for citation in self.citations]
        blocks: tuple[AnswerBlock, ...]
        if self.answerer in WRITTEN and self.answer:
            blocks = (AnswerBlock("text", self.answer, cites=tuple(numbers)),)
        else:
            tables = {citation.n: citation.table for citation in self.citations if citation.table}
            titles = {citation.n: citation.title for citation in self.citations}
            blocks = blocks_of(self.answer, numbers, self.names, tables, titles)
        object.__setattr__(self, "blocks", blocks)

    @property
    def names(self) -> frozenset[str]:
        """The lines that name page and section: above passages that only seem to answer (another question of
        the line may be sure), and above what is quoted of several sections."""
        lines = frozenset(f"{citation.place}:" for citation in self.citations)
        if self.tier == "seems":
            return lines
        quoted = {line for citation in self.citations for line in citation.quote.split("\n")}
        alone = frozenset(line for line in lines if f"\n{line}\n" in f"\n{self.answer}")
        if len(alone) > 1:
            return alone
        return alone - quoted

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the contract, every key always present."""
        return asdict(self)
