"""Lists of deadlines: "what deadlines are left this term" gets those that are to come, each with its line.

Where the question names a matter besides, a deadline's line, page or section must have every word of it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.asked_time import MEANS_PAST, without_time
from server.ask.ports import SearchIndex
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.trace import citation_of
from server.lexicons import lexicon
from server.messages.catalogue import fill
from server.models import Citation, Deadline, Event, Passage

SHOWN = 12

_ASKED = lexicon("deadlines").part("asked")
_LIST = _ASKED.pattern("list", r"(?<!\w)(?:{})(?!\w)")
_PLAIN = _ASKED.pattern("plain", r"(?<!\w)(?:{})(?!\w)")
_FILLERS = _ASKED.words("fillers")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class DeadlineList:
    """The deadlines from `first` on, to `last` where an end is meant; `count` in all, the first shown."""

    first: date
    last: date | None
    count: int
    shown: tuple[Deadline, ...]
    passages: Mapping[int, Passage]

    @property
    def notes(self) -> Mapping[str, Any]:
        """For the trace."""
        last = self.last.isoformat() if self.last else None
        days = [one.day.isoformat() for one in self.shown]
        return {"first": self.first.isoformat(), "last": last, "count": self.count, "days": days}

    def _source(self, n: int, one: Deadline) -> Citation:
        return citation_of(self.passages[one.chunk_id], n, one.line)

    def outcome(
        self, part: ContextualizedQuestion, found: RetrievalResult, ask: AskContext
    ) -> Generator[Event, None, PartOutcome]:
        """Says how many there are, then each with its day and its source, the next one first."""
        texts, answer = ask.texts, ask.answer
        message = texts.deadlines_between if self.last else texts.deadlines_from
        last = texts.date(self.last) if self.last else ""
        yield from answer.say(fill(message, first=texts.date(self.first), last=last, count=self.count))
        sources = {n: self._source(n, one) for n, one in enumerate(self.shown, 1)}
        items = "\n".join(f"{texts.date(one.day)}: {_told(one)}" for one in self.shown)
        answer.new_line()
        yield from answer.quote(items + " " + "".join(f"[{n}]" for n in sources), sources)
        answer.new_line()
        if self.count > len(self.shown):
            yield from answer.say(fill(texts.deadlines_some, shown=len(self.shown), count=self.count))
            answer.new_line()
        return PartOutcome(part, "extractive", found=found)


def _told(one: Deadline) -> str:
    """What is due, with the name of its page: of a row its section, label and column, else the line."""
    page, *sections = one.context.split(" › ")
    of_row = ", ".join(filter(None, [*sections[-1:], one.label, one.column]))
    return f"{of_row if one.label else one.line} ({page})"


def deadlines_listed(text: str, found: RetrievalResult, ask: AskContext) -> DeadlineList | None:
    """The deadlines to come that a question asks a list of; None for any other, and where none is known."""
    meant, today = ask.asked_time, ask.day
    matter = matter_of(text, meant.words if meant else "")
    if not asks_for_list(text, matter) or (meant and meant.last < today):
        return None
    known = ask.told_of(ask.index.snapshot.deadlines, found.candidates)
    first, last = (max(today, meant.first), meant.last) if meant else (today, None)
    listed = listed_of(matter, known, ask.index, first, last)
    if listed:
        ask.trace.add_passages(listed.passages)
    return listed


def asks_for_list(text: str, matter: Sequence[str]) -> bool:
    """Whether it asks for several: "what are the deadlines for first-years" is left to their page."""
    is_list = _LIST.search(text) is not None or (not matter and _PLAIN.search(text) is not None)
    return is_list and not MEANS_PAST.search(text)


def listed_of(
    matter: Sequence[str], known: Sequence[Deadline], index: SearchIndex, first: date, last: date | None
) -> DeadlineList | None:
    """Those between two days about a matter, the next one first, each line once."""
    wanted = set[str]().union(*index.text.stems(list(matter)))
    coming = [one for one in known if first <= one.day <= (last or date.max)]
    if wanted:
        texts = index.text.stems([f"{one.context} {one.line}" for one in coming])
        coming = [one for one, words in zip(coming, texts, strict=True) if wanted <= words]
    by_line: dict[tuple[str, str], Deadline] = {}
    for one in sorted(coming, key=lambda one: one.day):
        by_line.setdefault((one.url, one.line), one)
    coming = list(by_line.values())
    passages = index.snapshot.passages([one.chunk_id for one in coming[:SHOWN]])
    shown = tuple(one for one in coming[:SHOWN] if one.chunk_id in passages)
    return DeadlineList(first, last, len(coming), shown, passages) if shown else None


def matter_of(text: str, time_words: str) -> tuple[str, ...]:
    """The words of a question that are neither of time nor of asking."""
    plain = map(str.casefold, _WORD.findall(without_time(text, time_words)))
    return tuple(word for word in plain if word not in _FILLERS)
