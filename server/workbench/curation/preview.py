"""What a draft would change: for the pages of a snapshot, and for questions that were asked before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal

from server.ask.boost import BoostedPages
from server.ask.rewrite import apply_synonyms
from server.ask.rules import CompiledRules
from server.models import Citation, Final, Trace
from server.models.curation import RuleSet
from server.models.golden import GoldenQuestion, failure

Verdict = Literal[
    "breaks", "still_wrong", "mended", "still_right",  # by a golden question
    "not_answered", "newly_answered", "in_your_words", "put_first", "loses_page", "otherwise",
]  # fmt: skip
# What an editor does on purpose, or a golden question calls right: no page is lost by it.
MEANT = frozenset({"mended", "still_right", "in_your_words", "put_first"})

# The last rankings before passages are read.
_BEFORE_READING = ("retrieve", "boost")


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A question that visitors asked so often, or a golden one.

    `twin` is the golden question with the same words as a visitor's, by which its answers are judged.
    """

    text: str
    times: int = 1
    golden: GoldenQuestion | None = None
    twin: GoldenQuestion | None = None

    @property
    def judge(self) -> GoldenQuestion | None:
        """What is known of the right answer."""
        return self.golden or self.twin


@dataclass(frozen=True, slots=True)
class PreviewedAnswer:
    """One answer, as far as two are compared, and the passages that it depends on (`leading_chunks`)."""

    answer: str
    refused: bool
    answerer: str
    citations: tuple[Citation, ...]
    question: str
    topics: tuple[str, ...]
    chunks: frozenset[int]
    tier: str

    @property
    def pages(self) -> dict[str, str]:
        """The cited pages: their titles by address."""
        return {citation.url: citation.title for citation in self.citations}

    @property
    def shown(self) -> tuple[str, bool, tuple[str, ...]]:
        """What a visitor sees of it."""
        return self.answer, self.refused, tuple(self.pages)


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """A question that would be answered otherwise. The failures are those of a golden question.

    `put_first`: the new answer cites a page that the draft puts first for it.
    """

    asked: PastQuestion
    before: PreviewedAnswer
    after: PreviewedAnswer
    failed_before: str | None = None
    failed_after: str | None = None
    put_first: bool = False

    @property
    def lost(self) -> tuple[str, ...]:
        """The pages that are no longer cited."""
        return tuple(url for url in self.before.pages if url not in self.after.pages)

    @property
    def verdict(self) -> Verdict:
        """What the change is for whoever asks; right and wrong only where a right answer is known."""
        if self.asked.judge:
            if self.failed_after:
                return "still_wrong" if self.failed_before else "breaks"
            return "mended" if self.failed_before else "still_right"
        if self.after.refused != self.before.refused:
            return "not_answered" if self.after.refused else "newly_answered"
        if self.after.answerer == "curated":
            return "in_your_words"
        if self.put_first:
            return "put_first"
        return "loses_page" if self.lost else "otherwise"

    @property
    def loses_page(self) -> bool:
        """Whether a page is lost, and nothing says that the new answer is as good or better."""
        return bool(self.lost) and self.verdict not in MEANT

    @property
    def breaks(self) -> bool:
        """Whether a golden question fails that passed."""
        return self.failed_before is None and self.failed_after is not None

    @property
    def mends(self) -> bool:
        """Whether a golden question passes that failed."""
        return self.failed_before is not None and self.failed_after is None


def said_by(final: Final) -> PreviewedAnswer:
    """An answer with what its trace tells of its way."""
    steps = final.trace.steps
    notes: Mapping[str, object] = {}
    question = final.trace.question
    for step in steps:
        if step.step == "classify":
            notes = step.notes
        if step.step == "rewrite":
            question = str(step.notes.get("question", question))
    allowed = notes.get("allowed", {})
    answer = final.answer
    return PreviewedAnswer(
        answer.answer,
        answer.refused,
        answer.answerer,
        answer.citations,
        question,
        tuple(allowed) if isinstance(allowed, Mapping) else (),
        leading_chunks(final.trace),
        answer.tier,
    )


def leading_chunks(trace: Trace) -> frozenset[int]:
    """The passages without which an answer could be another one: those that were, or could be, read, and the
    best of each search.

    A fused score depends on the passage itself and on the best of the keyword search; so one that stands
    further down can be taken away, and those above it stay as they are. Fusion by ranks has no such rule.
    """
    if trace.settings.get("fusion") != "score":
        return frozenset(hit.chunk_id for step in trace.steps for hit in step.ranking)
    read = max(trace.settings.get("rerank_candidates", 0), trace.settings.get("passages", 0))
    most = {"retrieve.semantic": 1, "retrieve.keyword": 1} | dict.fromkeys(_BEFORE_READING, read)
    return frozenset(hit.chunk_id for step in trace.steps for hit in step.ranking[: most.get(step.step, 0)])


def change_of(
    asked: PastQuestion,
    before: PreviewedAnswer,
    after: PreviewedAnswer,
    put_first: Callable[[str], bool] = lambda _: False,
) -> AnswerChange | None:
    """What is otherwise in the second answer; None where a visitor would see the same.

    `put_first` says whether a draft puts a page first that was not.
    """
    if before.shown == after.shown:
        return None
    new = any(put_first(url) for url in after.pages if url not in before.pages)
    judge = asked.judge
    if judge is None:
        return AnswerChange(asked, before, after, put_first=new)
    return AnswerChange(asked, before, after, failure_of(judge, before), failure_of(judge, after), new)


def failure_of(golden: GoldenQuestion, said: PreviewedAnswer) -> str | None:
    """Why an answer is not right by a golden question, as a sentence; None: it is."""
    return failure(golden, said.answer, said.refused, [one.url for one in said.citations])


@dataclass(frozen=True, slots=True)
class Difference:
    """Between what is live and a draft: passages that go and whether any come back, and what else changed."""

    gone: Set[int]
    comes_back: bool
    live: RuleSet
    draft: RuleSet

    def may_touch(self, text: str, said: PreviewedAnswer) -> bool:
        """Whether an answer could be another one under the draft; False is as good as certain.

        What it leaves out of account: a passage that neither search brought could come in for one that goes,
        and go before all that were read.
        """
        return (
            self.comes_back
            or set(self.live.curated) != set(self.draft.curated)
            or self.live.labels != self.draft.labels
            or not self.gone.isdisjoint(said.chunks)
            or (self._favours_changed and self._is_favoured(said))
            or apply_synonyms(text, self.live.wordings) != apply_synonyms(text, self.draft.wordings)
        )

    def puts_first(self, url: str) -> bool:
        """Whether the draft puts that page first for some questions, and what is live does not."""
        new = [rule for rule in self.draft.favours if rule not in self.live.favours]
        return BoostedPages(tuple(new)).has(url)

    @property
    def _favours_changed(self) -> bool:
        return self.live.favours != self.draft.favours

    def _is_favoured(self, said: PreviewedAnswer) -> bool:
        """Whether a rule that changed may be called for: a phrase is one by words, whatever their endings."""
        changed = set(self.live.favours) ^ set(self.draft.favours)
        return any(rule.topic is None or rule.topic in said.topics for rule in changed)


def difference(live: CompiledRules, draft: CompiledRules, chunk_pages: Sequence[int]) -> Difference:
    """What a draft's ruling changes of the live one over the same snapshot."""
    gone = draft.pages.keys() - live.pages.keys()
    back = live.pages.keys() - draft.pages.keys()
    chunks = {chunk for chunk, page in enumerate(chunk_pages) if page in gone} if gone else set()
    return Difference(chunks, bool(back), live.book, draft.book)


@dataclass(slots=True)
class PreviewTally:
    """What a preview has found so far."""

    questions: int = 0
    golden: int = 0
    changes: list[AnswerChange] = field(default_factory=list)

    def add(self, one: PastQuestion, change: AnswerChange | None) -> None:
        """One more question, and what changes for it."""
        if one.golden:
            self.golden += 1
        else:
            self.questions += 1
        if change:
            self.changes.append(change)

    def as_json(self) -> dict[str, Any]:
        """Counts, and every change: golden questions that break, then answers that lose a page, then others.

        Keys: questions, golden (asked); changed, loses_page, newly_refused, newly_answered (of the past
        questions); broken, mended (of the golden ones); changes.
        """
        past = [change for change in self.changes if not change.asked.golden]
        return {
            "questions": self.questions,
            "golden": self.golden,
            "changed": len(past),
            "loses_page": sum(change.loses_page for change in past),
            "newly_refused": sum(change.after.refused and not change.before.refused for change in past),
            "newly_answered": sum(change.before.refused and not change.after.refused for change in past),
            "broken": sum(change.breaks for change in self.changes if change.asked.golden),
            "mended": sum(change.mends for change in self.changes if change.asked.golden),
            "changes": [_as_json(change) for change in sorted(self.changes, key=_worst_first)],
        }


def _worst_first(change: AnswerChange) -> tuple[bool, bool, bool, bool, int]:
    refused, known = change.after.refused, change.asked.golden is not None
    return not change.breaks, not known, not refused, not change.loses_page, -change.asked.times


def _as_json(change: AnswerChange) -> dict[str, Any]:
    golden = change.asked.golden
    return {
        "question": change.asked.text,
        "times": change.asked.times,
        "golden": golden.id if golden else None,
        "verdict": change.verdict,
        "failed_before": change.failed_before,
        "failed_after": change.failed_after,
        "lost": list(change.lost),
        "before": answer_json(change.before),
        "after": answer_json(change.after),
    }


def answer_json(said: PreviewedAnswer) -> dict[str, Any]:
    """An answer as it is shown beside another."""
    return {
        "answer": said.answer,
        "refused": said.refused,
        "tier": said.tier,
        "answerer": said.answerer,
        "pages": [{"url": url, "title": title} for url, title in said.pages.items()],
    }


def broken(change: AnswerChange) -> dict[str, Any]:
    """A golden question that a draft breaks: id, question, failure."""
    golden = change.asked.golden
    return {"id": golden.id if golden else "", "question": change.asked.text, "failure": change.failed_after}
