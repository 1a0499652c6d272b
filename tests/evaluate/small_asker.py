"""A whole question's way in a few lines: rank pages by shared words, answer with the first one's text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from server.errors import BadInputError
from server.models import Answer, Event, Final, Hit, Passage, Question, Status, Token, Trace, TraceStep

STRATEGIES = ("best", "worst")


@dataclass
class SmallAsker:
    """Ranks pages by shared words, best or worst first; refuses when the first shares none.

    It notes the share of the question's words found as evidence, unless `weighs_evidence` is off. Its clock
    is the length of the question: a character takes a millisecond.
    """

    pages: Mapping[str, str]
    snapshot: str = "small-1"
    weighs_evidence: bool = True
    asked: int = 0

    def ask(self, question: Question) -> Iterator[Event]:
        if question.strategy not in STRATEGIES:
            raise BadInputError(f"{question.strategy!r} is no strategy; known are {', '.join(STRATEGIES)}.")
        self.asked += 1
        yield Status("retrieve")
        words = set(question.text.lower().split())
        overlap = {
            url: len(words & set(text.lower().split())) / len(words) for url, text in self.pages.items()
        }
        ranked = sorted(self.pages, key=lambda url: overlap[url], reverse=question.strategy == "best")
        evidence = overlap[ranked[0]]
        text = self.pages[ranked[0]] if evidence else ""
        yield Token(text)
        yield Final(_answer(question, text, self.snapshot), self._trace(question, ranked, overlap, evidence))

    def _trace(
        self, question: Question, ranked: list[str], overlap: Mapping[str, float], evidence: float
    ) -> Trace:
        ids = {url: number for number, url in enumerate(self.pages, start=1)}
        hits = tuple(Hit(ids[url], overlap[url]) for url in ranked)
        notes = {"evidence": evidence} if self.weighs_evidence else {}
        return Trace(
            trace_id=question.trace_id,
            question=question.text,
            strategy=question.strategy or "",
            snapshot=self.snapshot,
            versions={},
            steps=(
                TraceStep("retrieve", float(len(question.text)), hits),
                TraceStep("extract", 1.0, hits[:1], notes),
            ),
            passages={ids[url]: Passage(ids[url], url, url, "", text) for url, text in self.pages.items()},
        )


def _answer(question: Question, text: str, snapshot: str) -> Answer:
    return Answer(
        answer=text or "I do not know.",
        refused=not text,
        refusal_reason=None if text else "no_evidence",
        answerer="small",
        degraded=None,
        citations=(),
        closest_pages=(),
        strategy=question.strategy or "",
        snapshot=snapshot,
        conversation_id=question.conversation_id,
        message_id=question.message_id,
        trace_id=question.trace_id,
        timings_ms={"retrieve": float(len(question.text)), "extract": 1.0, "total": len(question.text) + 1.0},
    )
