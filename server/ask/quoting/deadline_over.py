"""A deadline that is over: said in a sentence before its line, with the next one of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from server.academic_terms import days_in
from server.ask.conversation.asked_time import MEANS_PAST
from server.ask.ports import PassageStore
from server.ask.trace import AnswerBuilder, citation_of
from server.lexicons import lexicon
from server.messages.catalogue import Texts, fill
from server.models import Citation, Deadline, Event

_ASKED = lexicon("deadlines").part("asked")
_ANY, ASKS_WHEN = (_ASKED.pattern(name, r"(?<!\w)(?:{})(?!\w)") for name in ("any", "when"))
# A kind of fewer words may be that of two things: "applications due".
LEAST_WORDS = 3
SHORT = 3
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class DeadlineOver:
    """The last of the quoted deadlines, all of which are over, and the next of its kind with its source.

    Without a `source` its line is quoted already.
    """

    last: Deadline
    is_only: bool
    next: Deadline | None = None
    source: Citation | None = None

    def sentence(self, texts: Texts) -> str:
        """ "That deadline, November 6, 2026, is over. The next is April 2, 2027 (Spring 2027)."."""
        over = texts.deadline_over if self.is_only else texts.deadlines_over
        told = [fill(over, date=texts.date(self.last.day))]
        if self.next:
            message = texts.deadline_next_of if self.next.label else texts.deadline_next
            told.append(fill(message, date=texts.date(self.next.day), label=self.next.label))
        return " ".join(told)

    def say_next(self, answer: AnswerBuilder) -> Iterator[Event]:
        """The line of the next one, below what is quoted."""
        if self.source:
            answer.new_line()
            n = self.source.n
            yield from answer.quote(f"{self.source.quote} [{n}]", {n: self.source})


def deadline_over(
    question: str, quoted: Sequence[Citation], pages: PassageStore, today: date
) -> DeadlineOver | None:
    """What is over of the quoted deadlines; None where one is not, none is known, or the past is meant."""
    if not _ANY.search(question) or MEANS_PAST.search(question):
        return None
    known = _meant(question, [one for one in pages.deadlines if any(_is_in(one, by) for by in quoted)])
    if not known or any(one.day >= today for one in known):
        return None
    last = max(known, key=lambda one: one.day)
    others = [
        line for one in quoted for line in one.quote.split("\n") if not _is_of_any(line, pages.deadlines)
    ]
    if any(is_to_come(line, last.day, today) for line in others):
        return None  # a day that is quoted beside them is not over, whatever it is of
    is_only = len({one.day for one in known}) == 1
    coming = [one for one in pages.deadlines if _follows(one, last) and one.day >= today]
    following = min(coming, key=lambda one: one.day, default=None)
    passage = pages.passages([following.chunk_id]).get(following.chunk_id) if following else None
    if following is None or passage is None:
        return DeadlineOver(last, is_only)
    is_shown = any(_is_shown(following, by) for by in quoted)
    source = None if is_shown else citation_of(passage, len(quoted) + 1, following.line)
    return DeadlineOver(last, is_only, following, source)


def _is_of_any(line: str, deadlines: Sequence[Deadline]) -> bool:
    return any(one.line in line or line in one.line for one in deadlines)


def is_to_come(text: str, last: date, today: date) -> bool:
    """Whether a text has days that end today or later; one without its year follows the `last` deadline."""
    for written in days_in(text):
        years = (written.year,) if written.year else (last.year, last.year + 1)
        spans = [span for year in years if (span := written.in_year(year))]
        if any(end >= today for _, end in spans if written.year or end >= last):
            return True
    return False


def _meant(question: str, known: Sequence[Deadline]) -> list[Deadline]:
    """Those whose label has a word of the question ("fall"), where any has; of a row's days the one that is
    asked for ("reply by"), or its first."""
    asked = _words(question)
    named = [one for one in known if _words(one.label) & asked] or known
    of_line: dict[tuple[str, str], list[Deadline]] = {}
    for one in named:
        of_line.setdefault((one.url, one.line), []).append(one)
    return [max(own, key=lambda one: len(_words(one.column) & asked)) for own in of_line.values()]


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) > SHORT}


def _is_in(one: Deadline, citation: Citation) -> bool:
    return one.url == citation.url and (one.line in citation.quote or citation.quote in one.line)


def _is_shown(one: Deadline, citation: Citation) -> bool:
    """Whether its line stands in what is quoted, or in the table around it."""
    rows = citation.table.rows if citation.table else ()
    return one.url == citation.url and (one.line in citation.quote or one.line in rows)


def _follows(one: Deadline, last: Deadline) -> bool:
    return one.kind == last.kind and len(one.kind.split()) >= LEAST_WORDS
