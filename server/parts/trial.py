"""One draft beside what is live, asked question by question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.ask.curated import CuratedBook
from server.ask.options import Office
from server.ask.pipeline import Asker
from server.ask.rules import FixedRules
from server.ask.ruling.preview import AnswerChange, Difference, PastQuestion, Said, change_of, said_by
from server.curation import CuratedAnswer, Notice
from server.inference.embedder import Embedder
from server.parts.golden import asked
from server.rulebook import Rulebook

MOST_REMEMBERED = 10_000


class Remembered:
    """Answers as they were before a draft, by all that they depend on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, ...], Said] = OrderedDict()

    def get(self, key: tuple[str, ...]) -> Said | None:
        """The answer, if it is remembered."""
        return self._kept.get(key)

    def keep(self, key: tuple[str, ...], said: Said) -> None:
        """Remember it, and forget the oldest."""
        self._kept[key] = said
        while len(self._kept) > MOST_REMEMBERED:
            self._kept.popitem(last=False)


@dataclass(slots=True)
class Trial:
    """One draft beside what is live, asked question by question."""

    as_it_is: Asker
    drafted: Asker
    difference: Difference
    snapshot: str
    remembered: Remembered
    state: tuple[str, ...]
    asked_twice: int = 0

    def change(self, one: PastQuestion) -> AnswerChange | None:
        """What the draft changes of the answer to one question."""
        site = self.difference.draft.site
        key = (*self.state, site, one.text)
        before = self.remembered.get(key)
        if before is None:
            before = said_by(asked(self.as_it_is, one.text, site))
            self.remembered.keep(key, before)
        if not self.difference.may_touch(one.text, before):
            return None
        self.asked_twice += 1
        return change_of(one, before, said_by(asked(self.drafted, one.text, site)))


def drafted_office(office: Office, book: Rulebook, embedder: Embedder) -> Office:
    """As if a rulebook that is not live were."""
    given = Given(book.curated, book.notices)
    return replace(office, rules=FixedRules(book), curation=CuratedBook(given, embedder))


@dataclass(frozen=True, slots=True)
class Given:
    """What a draft has of answers and notices, where the flow looks for the live ones."""

    answers: tuple[CuratedAnswer, ...]
    announced: tuple[Notice, ...]

    def curated(self, site: str | None = None) -> Sequence[CuratedAnswer]:
        """The draft's."""
        return self.answers

    def notices(self, site: str | None = None) -> Sequence[Notice]:
        """The draft's."""
        return self.announced

    def curation_version(self) -> str:
        """It stays as it is."""
        return "draft"
