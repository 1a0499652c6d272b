"""A question as the scorecard asks it: its tier, whether it is right, and whether its pages say it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Any, Protocol

from server.errors import LodgeError
from server.evaluate.evaluate import AnswerFlow, ask_once
from server.evaluate.questions import EvalQuestion, is_right
from server.models import Answer, Final, Passage, Tier, Trace
from server.sentences import letters, without_marks


class DatedFlow(AnswerFlow, Protocol):
    """The question's way, which can also be taken as if it were another day."""

    def on_day(self, day: str | None) -> AnswerFlow:
        """The same on an ISO 8601 day; None: on the day that is set, or today."""
        ...

    def page(self, url: str) -> Sequence[Passage]:
        """All chunks of a page."""
        ...


# All chunks of the page at a URL.
ReadPage = Callable[[str], Sequence[Passage]]


@dataclass(frozen=True, slots=True)
class AskedSet:
    """Questions of one file; `name` is the file's."""

    name: str
    questions: tuple[EvalQuestion, ...]


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One question of the set `of`, asked once; `ms` from the question to its last event.

    `right`: what was shown, surely or as what seems to answer, is right; None where nothing was shown or the
    question names no right answer. `unsupported`: it shows words that none of its sources says; None where
    nothing was shown, or where a language model or an editor wrote it, which comparing words cannot judge.
    """

    question: EvalQuestion
    of: str
    tier: Tier
    right: bool | None
    unsupported: bool | None
    lang: str
    ms: float
    answer: str

    def as_row(self) -> dict[str, Any]:
        """What became of it, without its words: they may be of a half that is kept aside."""
        return {
            "set": self.of,
            "id": self.question.id,
            "answerable": self.question.answerable,
            "tier": self.tier,
            "right": self.right,
            "unsupported": self.unsupported,
            "ms": round(self.ms, 1),
        }

    @property
    def kind(self) -> str:
        """The question's kind, "" where it names none."""
        return self.question.kind or ""

    @property
    def topic(self) -> str:
        """The question's topic, "" where it names none."""
        return self.question.topic or ""


def ask_sets(
    flow: DatedFlow,
    sets: Sequence[AskedSet],
    strategy: str,
    language_of: Callable[[str], str],
    on_asked: Callable[[], None],
) -> Iterator[ScoredAnswer]:
    """Every question of every set, one at a time, each on its day; all over one snapshot.

    A snapshot that is swapped meanwhile is a `LodgeError`: figures from two are figures of neither.
    """
    snapshot = ""
    for asked in sets:
        for question in asked.questions:
            final = ask_once(flow.on_day(question.day), question.question, strategy, question.history)
            if snapshot not in ("", final.trace.snapshot):
                raise LodgeError("The snapshot was swapped while its scorecard was made; make it again.")
            snapshot = final.trace.snapshot
            yield scored(question, asked.name, final, language_of(question.question), flow.page)
            on_asked()


def scored(question: EvalQuestion, of: str, final: Final, lang: str, page: ReadPage) -> ScoredAnswer:
    """One finished flow; a question that names its language is in that."""
    answer = final.answer
    shown = answer.tier != "refusal" and not _is_courtesy(answer)
    return ScoredAnswer(
        question,
        of,
        answer.tier,
        is_right(answer.answer, question) if shown and question.answerable is not False else None,
        _is_unsupported(answer, final.trace, page) if shown and answer.answerer == "extractive" else None,
        question.lang or lang,
        answer.timings_ms.get("total", 0.0),
        answer.answer,
    )


def _is_courtesy(answer: Answer) -> bool:
    """Whether it is a friendly line or the help lines: an answer, but to no question of the site's."""
    return answer.answerer in ("courtesy", "help")


def _is_unsupported(answer: Answer, trace: Trace, page: ReadPage) -> bool:
    """Whether some line with a source says words that do not stand on that source's page.

    They are looked for among the passages that were read, and else in all of the page: a table that is
    shown whole goes on in chunks which nobody read.
    """
    by_url = _texts_by_url(trace.passages.values())
    read = {one.n: [*by_url.get(one.url, ()), letters(one.quote)] for one in answer.citations}
    urls = {one.n: one.url for one in answer.citations}

    @cache
    def whole(url: str) -> list[str]:
        return _texts_by_url(page(url)).get(url, [])

    for said, cites in _told(answer):
        own, wanted = [n for n in cites if n in read], letters(said)
        near = (text for n in own for text in read[n])
        far = (text for n in own for text in whole(urls[n]))
        if not any(wanted in text for text in chain(near, far)):
            return True
    return False


def _told(answer: Answer) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each piece that a block with sources shows, and the numbers of those sources.

    A cell is a piece of its own: a row's line repeats its column's name before each. Lodge's own lines, that
    a page seems to answer and which page that is, are none, also where they lead in to a list.
    """
    own = _own_lines(answer)
    for block in answer.blocks:
        pieces = (*block.text.split("\n"), *block.items, *(cell for row in block.rows for cell in row))
        said = (without_marks(piece) for piece in pieces if block.cites)
        yield from ((piece, block.cites) for piece in said if letters(piece) and piece not in own)


def _own_lines(answer: Answer) -> frozenset[str]:
    """The lines that name the place of a source, and each line before one that ends in a colon as well."""
    places = {f"{citation.place}:" for citation in answer.citations}
    lines = [line.strip() for line in answer.answer.split("\n") if line.strip()]
    leads = {line for line, after in pairwise(lines) if after in places and line.endswith(":")}
    return frozenset(places & set(lines) | leads)


def _texts_by_url(passages: Iterable[Passage]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for one in passages:
        texts.setdefault(one.url, []).append(letters(f"{one.title} {one.heading} {one.text}"))
    return texts
