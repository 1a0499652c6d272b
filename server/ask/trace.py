"""What one question leaves: its trace, step by step, and its answer, piece by piece.

A trace keeps what came with the question, so that the same can be asked again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from server.models import Citation, Cited, Event, Hit, Passage, Question, Scope, Token, TraceStep

# Every step a trace may hold, in the order of the pipeline. A dotted name is a part of its step:
# "retrieve.semantic", "retrieve.keyword", "retrieve.late_interaction", "retrieve.excluded",
# "retrieve.multiquery", "retrieve.questions", "extract.asking", "extract.own".
STEPS = (
    "normalize",
    "triage",
    "challenge",
    "route",
    "decompose",
    "contextualize",
    "moderate",
    "curated",
    "rewrite",
    "usual",
    "classify",
    "expand",
    "retrieve",
    "scope",
    "boost",
    "hours",
    "calendar",
    "deadlines",
    "rerank",
    "llmrerank",
    "extract",
    "generate",
    "ground",
    "refuse",
    "narrow",
    "freshness",
)


@dataclass(slots=True)
class OpenStep:
    """A step under way; it fills in what it saw."""

    ranking: Sequence[Hit] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


class TraceLog:
    """Collects one question's steps. A step may hold others; each is listed when it ends."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._steps: list[TraceStep] = []
        self._passages: dict[int, Passage] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[OpenStep]:
        """Time a step and keep what it fills in."""
        opened, start = OpenStep(), time.perf_counter()
        yield opened
        ms = (time.perf_counter() - start) * 1000
        self._steps.append(TraceStep(name, round(ms, 3), tuple(opened.ranking), dict(opened.notes)))

    @property
    def passages(self) -> Mapping[int, Passage]:
        """Every passage that a step ranked, by chunk id."""
        return self._passages

    def add_passages(self, passages: Mapping[int, Passage]) -> None:
        """Keep the text of what was ranked, so that the trace can be read when the snapshot is gone."""
        self._passages.update(passages)

    def timings_ms(self) -> dict[str, float]:
        """Milliseconds by step, and `total` until now; a step's time holds that of its dotted parts."""
        timings: dict[str, float] = {}
        for step in self._steps:
            timings[step.step] = round(timings.get(step.step, 0.0) + step.ms, 3)
        timings["total"] = round((time.perf_counter() - self._start) * 1000, 3)
        return timings

    @property
    def steps(self) -> tuple[TraceStep, ...]:
        """Those that have ended, in the order they ended."""
        return tuple(self._steps)


_MARK = re.compile(r"\[([0-9]{1,3})\]\Z")


def citation_of(passage: Passage, n: int, quote: str) -> Citation:
    """A passage as a source; `quote` is in its own words."""
    return Citation(
        n=n,
        url=passage.url,
        title=passage.title,
        heading=passage.heading,
        quote=quote,
        last_modified=passage.last_modified,
        fetched_at=passage.fetched_at,
        page=passage.page,
    )


class AnswerBuilder:
    """One answer as it is read out. The texts of its tokens joined are `text`."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._numbers: dict[tuple[str, str, str], int] = {}
        self._citations: list[Citation] = []
        self._on_new_line = False
        self._head = ""

    @property
    def text(self) -> str:
        """All that has been said."""
        return "".join(self._pieces)

    def has_quoted(self, words: str) -> bool:
        """Whether these were said with a source, as all of a quote or as its end."""
        return f"{words.strip()} [" in self.text

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Those that have been referred to, number 1 first."""
        return tuple(self._citations)

    def new_line(self) -> None:
        """What is said next begins a line."""
        self._on_new_line = True

    def head(self, text: str) -> None:
        """A line above what is said next, if anything is before another head; "": none."""
        self._head = text

    def say(self, text: str, before: str = " ") -> Iterator[Event]:
        """Words that need no source; `before` stands between them and what was said before."""
        if not text:
            return
        if self._head:
            head, self._head = self._head, ""
            self.new_line()
            yield from self.say(head)
            self.new_line()
        before = "\n" if self._on_new_line else before
        piece = before + text if self._pieces else text
        self._on_new_line = False
        self._pieces.append(piece)
        yield Token(piece)

    def quote(self, sentence: str, sources: Mapping[int, Citation], before: str = " ") -> Iterator[Event]:
        """A sentence that ends in the numbers of its sources, which get the numbers they have in this answer.

        A citation follows the first sentence that refers to it. A number that is no source's is a word like
        any other: "Applications open in spring [2026]".
        """
        body, named = _without_marks(sentence, sources)
        known = len(self._citations)
        numbers = dict.fromkeys(self._number(citation) for citation in named)
        yield from self.say(" ".join(filter(None, (body, "".join(f"[{n}]" for n in numbers)))), before)
        yield from map(Cited, self._citations[known:])

    def _number(self, citation: Citation) -> int:
        key = citation.url, citation.heading, citation.quote
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._citations.append(replace(citation, n=self._numbers[key]))
        return self._numbers[key]


def _without_marks(sentence: str, sources: Mapping[int, Citation]) -> tuple[str, list[Citation]]:
    """A sentence without the marks of its sources at its end, and these sources, in their order."""
    body, named = sentence, list[Citation]()
    while (mark := _MARK.search(body)) and int(mark[1]) in sources:
        named.insert(0, sources[int(mark[1])])
        body = body[: mark.start()]
    return body.rstrip() if named else body, named


def asked_of(question: Question) -> dict[str, Any]:
    """What came with a question, for its trace; `question_of` takes it back."""
    return {
        "site": question.site,
        "strategy": question.strategy,
        "history": [list(turn) for turn in question.history],
        "within": asdict(question.within) if question.within else None,
        "cited": [asdict(citation) for citation in question.cited],
        "hurried": question.load_shed,
        "lang": question.lang,
        "narrowed": question.narrowed,
    }


def question_of(trace: Mapping[str, Any]) -> Question:
    """The question of a trace's JSON, with its history, site and scope, to be asked in the same way.

    A trace from before these were kept gives the question as the first of its conversation.
    """
    asked = trace.get("asked") or {}
    return Question(
        trace["question"],
        conversation_id="",
        message_id="",
        trace_id=trace["trace_id"],
        site=asked.get("site", "main"),
        strategy=trace["strategy"],
        history=tuple((role, text) for role, text in asked.get("history", ())),
        within=scope_of(asked.get("within")),
        cited=tuple(map(_citation, asked.get("cited", ()))),
        load_shed=asked.get("hurried", False),
        lang=asked.get("lang"),
        narrowed=asked.get("narrowed", False),
    )


def _citation(given: Mapping[str, Any]) -> Citation:
    """A citation of a trace's JSON; its link follows from the rest."""
    return Citation(**{name: value for name, value in given.items() if name != "href"})


def scope_of(within: Mapping[str, Any] | None) -> Scope | None:
    """A scope from its JSON, lists and all."""
    if within is None:
        return None
    topics = within.get("topics")
    named = {topic: tuple(subtopics) for topic, subtopics in topics.items()} if topics is not None else None
    return Scope(**{**within, "topics": named, "sites": tuple(within.get("sites", ()))})
