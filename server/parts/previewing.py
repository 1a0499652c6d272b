"""A draft tried before it is live: which pages it leaves out, which answers it changes.

Both are answered by the live flow over the live snapshot, quoting, with no language model: once as it is, and
once with the draft, where that could make a difference. What was asked as it is is remembered.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from server.ask.pipeline import Asker
from server.ask.rules import FixedRules
from server.ask.ruling.preview import PastQuestion, difference
from server.ask.ruling.ruling import Ruling
from server.ask.ruling.tally import Tally, broken
from server.errors import ConflictError, NotReadyError
from server.inference.embedder import Embedder
from server.jobs import Progress
from server.parts.opened import OpenedSnapshot
from server.parts.trial import Remembered, Trial, drafted_office
from server.records_db.store import RecordsStore
from server.rulebook import Rulebook
from server.search.live import Live

MOST_QUESTIONS, SAMPLE = 1000, 50


class UnreadyPreviews:
    """Stands in while a part is missing, and says which."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def pages(self, book: Rulebook) -> dict[str, Any]:
        """`NotReadyError`, always."""
        raise NotReadyError(self._reason)

    def preview(self, book: Rulebook, progress: Progress, limit: int = MOST_QUESTIONS) -> dict[str, Any]:
        """`NotReadyError`, always."""
        raise NotReadyError(self._reason)

    def breaks(self, book: Rulebook) -> list[dict[str, Any]]:
        """`NotReadyError`, always."""
        raise NotReadyError(self._reason)


@dataclass(frozen=True, slots=True)
class Previews:
    """Tries drafts on the models and the snapshot of the flow that answers visitors; nothing is recorded."""

    asker: Asker
    live: Live[OpenedSnapshot]
    embedder: Embedder
    records: RecordsStore
    remembered: Remembered = field(default_factory=Remembered)

    def pages(self, book: Rulebook) -> dict[str, Any]:
        """How many pages a draft leaves out, and a sample of those that go, the most cited first.

        Keys: total, left_out_now, left_out_then, goes, comes_back (counts); sample: url, title, rule, cited.
        """
        with self.live.lease() as opened:
            now, then = self._rulings(book, opened)
            facts = {page.page_id: page for page in opened.snapshot.page_facts}
        goes = [facts[page] for page in then.pages if page not in now.pages]
        cited = self.records.citations(book.site, [page.url for page in goes])
        goes.sort(key=lambda page: (-cited.get(page.url, 0), page.url))
        return {
            "total": len(facts),
            "left_out_now": len(now.pages),
            "left_out_then": len(then.pages),
            "goes": len(goes),
            "comes_back": sum(page not in then.pages for page in now.pages),
            "sample": [
                {
                    "url": page.url,
                    "title": page.title,
                    "rule": then.pages[page.page_id].id,
                    "cited": cited.get(page.url, 0),
                }
                for page in goes[:SAMPLE]
            ],
        }

    def preview(self, book: Rulebook, progress: Progress, limit: int = MOST_QUESTIONS) -> dict[str, Any]:
        """What a draft would change of the answers to golden and past questions.

        The keys of `Tally.as_json`; pages (as above), snapshot, asked_twice (how many made it necessary) and
        seconds. `ConflictError` where another snapshot went live meanwhile.
        """
        golden = [PastQuestion(one.question, 0, one) for one in self.records.golden.all(book.site)]
        past = [PastQuestion(*one) for one in self.records.first_questions(book.site, limit)]
        tally = Tally()
        trial, begun = self._trial(book), time.perf_counter()
        for done, one in enumerate([*golden, *past]):
            progress.at(done, len(golden) + len(past), one.text)
            tally.add(one, trial.change(one))
        seconds = time.perf_counter() - begun
        with self.live.lease() as opened:
            if opened.name != trial.snapshot:
                raise ConflictError("Another snapshot has gone live meanwhile; try the draft again.")
        return {
            **tally.as_json(),
            "pages": self.pages(book),
            "snapshot": trial.snapshot,
            "asked_twice": trial.asked_twice,
            "seconds": round(seconds, 2),
        }

    def breaks(self, book: Rulebook) -> list[dict[str, Any]]:
        """The golden questions that pass as it is and fail with the draft: id, question, failure."""
        trial = self._trial(book)
        changes = [
            trial.change(PastQuestion(one.question, 0, one)) for one in self.records.golden.all(book.site)
        ]
        return [broken(change) for change in changes if change and change.breaks]

    def _trial(self, book: Rulebook) -> Trial:
        drafted = drafted_office(self.asker.office, book, self.embedder)
        with self.live.lease() as opened:
            now, then = self._rulings(book, opened)
            changes = difference(now, then, opened.snapshot.chunk_pages.tolist())
            snapshot = opened.name
        curated = self.records.curated(book.site)
        state = (snapshot, self.records.curation_version(), self.asker.options.terms.day().isoformat())
        live = replace(changes.live, curated=curated)
        return Trial(
            self.asker.otherwise(self.asker.options, writes=False),
            self.asker.otherwise(self.asker.options, writes=False, office=drafted),
            replace(changes, live=live),
            snapshot,
            self.remembered,
            state,
        )

    def _rulings(self, book: Rulebook, opened: OpenedSnapshot) -> tuple[Ruling, Ruling]:
        """Of what is live, and of the draft."""
        today = self.asker.options.terms.day()
        now = self.asker.office.ruling(book.site, opened, today)
        return now, FixedRules(book).ruling(book.site, opened.name, opened.snapshot, today)
