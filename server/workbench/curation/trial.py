"""One draft beside what is live, asked question by question."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from server.ask.curated import CuratedBook, FixedRules, SiteConfig
from server.ask.paraphraser import Paraphraser
from server.ask.pipeline import Asker
from server.ask.rules import CompiledRules
from server.errors import ConflictError
from server.models.curation import CuratedAnswer, Favour, Notice, RuleSet
from server.models.golden import GoldenQuestion
from server.storage.conversations import comparable
from server.workbench.answering import AnsweringParts, LiveSnapshot, asked
from server.workbench.curation.preview import (
    AnswerChange,
    Difference,
    PastQuestion,
    PreviewedAnswer,
    PreviewTally,
    answer_json,
    broken,
    change_of,
    difference,
    failure_of,
    said_by,
)
from server.workbench.curation.reach import DraftReach
from server.workbench.curation.store import CurationStore
from server.workbench.jobs import JobProgress
from server.workbench.remembered import Remembered

MOST_REMEMBERED = 10_000
Before = Remembered[tuple[str, ...], PreviewedAnswer]  # answers as they were before a draft


@dataclass(slots=True)
class Trial:
    """One draft beside what is live, asked question by question."""

    as_it_is: Asker
    drafted: Asker
    difference: Difference
    reach: DraftReach
    snapshot: str
    remembered: Before
    state: tuple[str, ...]
    asked_twice: int = 0

    def change(self, one: PastQuestion) -> AnswerChange | None:
        """What the draft changes of the answer to one question; one that it cannot reach is not asked."""
        if not self.reach.reaches(one.text):
            return None
        return change_of(one, *self.both(one.text), self.difference.puts_first)

    def both(self, text: str) -> tuple[PreviewedAnswer, PreviewedAnswer]:
        """The answers as it is and with the draft; the same twice where that can make no difference."""
        site = self.difference.draft.site
        key = (*self.state, site, text)
        before = self.remembered.get(key, lambda: said_by(asked(self.as_it_is, text, site)))
        if not (self.reach.reaches(text) and self.difference.may_touch(text, before)):
            return before, before
        self.asked_twice += 1
        return before, said_by(asked(self.drafted, text, site))


def drafted_site_config(site_config: SiteConfig, book: RuleSet, paraphraser: Paraphraser) -> SiteConfig:
    """As if a rulebook that is not live were."""
    given = Given(book.curated, book.notices)
    return replace(site_config, rules=FixedRules(book), curation=CuratedBook(given, paraphraser))


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


MOST_QUESTIONS, SAMPLE = 1000, 50


@dataclass(frozen=True, slots=True)
class DraftPreviews:
    """Tries drafts on the models and the snapshot of the flow that answers visitors; nothing is recorded.

    `past` gives a site's latest different first questions, and how often each was asked; `cited` how many
    answers of a site cite each of some pages; `golden` its golden questions. All of it raises
    `NotReadyError` while a part is missing.
    """

    answering: AnsweringParts
    curation: CurationStore
    golden: Callable[[str], Sequence[GoldenQuestion]]
    past: Callable[[str, int], Sequence[tuple[str, int]]]
    cited: Callable[[str, Sequence[str]], Mapping[str, int]]
    remembered: Before = field(default_factory=lambda: Remembered(MOST_REMEMBERED))

    def pages(self, book: RuleSet) -> dict[str, Any]:
        """How many pages a draft leaves out, and a sample of those that go, the most cited first.

        Keys: total, left_out_now, left_out_then, goes, comes_back (counts); sample: url, title, rule, cited.
        """
        with self.answering().lease() as opened:
            now, then = self._rulings(book, opened)
            facts = {page.page_id: page for page in opened.snapshot.page_facts}
        goes = [facts[page] for page in then.pages if page not in now.pages]
        cited = self.cited(book.site, [page.url for page in goes])
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

    def preview(self, book: RuleSet, progress: JobProgress, limit: int = MOST_QUESTIONS) -> dict[str, Any]:
        """What a draft would change of the answers to golden and past questions.

        The keys of `PreviewTally.as_json`; pages (as above), snapshot, asked_twice (how many made it
        necessary) and seconds. `ConflictError` where another snapshot went live meanwhile.
        """
        known = self.golden(book.site)
        twins = {comparable(one.question): one for one in known}
        golden = [PastQuestion(one.question, 0, one) for one in known]
        past = [
            PastQuestion(text, times, twin=twins.get(comparable(text)))
            for text, times in self.past(book.site, limit)
        ]
        tally = PreviewTally()
        trial, begun = self._trial(book), time.perf_counter()
        for done, one in enumerate([*golden, *past]):
            progress.at(done, len(golden) + len(past), one.text)
            tally.add(one, trial.change(one))
        seconds = time.perf_counter() - begun
        if self.answering().snapshot != trial.snapshot:
            raise ConflictError("Another snapshot has gone live meanwhile; try the draft again.")
        return {
            **tally.as_json(),
            "pages": self.pages(book),
            "snapshot": trial.snapshot,
            "asked_twice": trial.asked_twice,
            "seconds": round(seconds, 2),
        }

    def tried(self, book: RuleSet, questions: Sequence[PastQuestion]) -> list[dict[str, Any]]:
        """Each question as it is and with a draft, at once and in their order.

        Keys: question, times, golden, before, after, failed_before, failed_after (None without a golden
        question, or where it passes), lost, changed, and verdict (None where nothing changes).
        """
        trial = self._trial(book)
        return [_tried(one, *trial.both(one.text), trial.difference.puts_first) for one in questions]

    def breaks(self, book: RuleSet) -> list[dict[str, Any]]:
        """The golden questions that pass as it is and fail with the draft: id, question, failure.

        Known gaps are none of them.
        """
        trial = self._trial(book)
        held = [one for one in self.golden(book.site) if not one.known_gap]
        changes = [trial.change(PastQuestion(one.question, 0, one)) for one in held]
        return [broken(change) for change in changes if change and change.breaks]

    def met(self, before: RuleSet, after: RuleSet, questions: Sequence[str]) -> list[bool]:
        """Which questions meet an answer, a wording or a phrase that is other in the second rulebook.

        Pages left out, labels and what is put first by topic may meet any question: they are left out of
        account.
        """
        was = replace(after, curated=before.curated, wordings=before.wordings, favours=_by_phrase(before))
        then = replace(after, favours=_by_phrase(after))
        parts = self.answering()
        old, new = (CuratedBook(Given(one.curated, ()), parts.paraphraser) for one in (was, then))
        changed = Difference(frozenset(), comes_back=False, live=was, draft=then)
        reach = DraftReach(changed, old, new, parts, parts.asker.day(after.site))
        return [reach.reaches(one) for one in questions]

    def _trial(self, book: RuleSet) -> Trial:
        parts = self.answering()
        asker = parts.asker
        drafted = drafted_site_config(asker.site_config, book, parts.paraphraser)
        today = asker.day(book.site)
        with parts.lease() as opened:
            now, then = self._rulings(book, opened)
            changes = difference(now, then, opened.snapshot.chunk_pages.tolist())
            snapshot = opened.name
        curated = self.curation.curated(book.site)
        state = (snapshot, self.curation.curation_version(), today.isoformat())
        changes = replace(changes, live=replace(changes.live, curated=curated))
        return Trial(
            asker.otherwise(asker.options, writes=False),
            asker.otherwise(asker.options, writes=False, site_config=drafted),
            changes,
            DraftReach(changes, asker.site_config.curation, drafted.curation, parts, today),
            snapshot,
            self.remembered,
            state,
        )

    def _rulings(self, book: RuleSet, opened: LiveSnapshot) -> tuple[CompiledRules, CompiledRules]:
        """Of what is live, and of the draft."""
        asker = self.answering().asker
        today = asker.day(book.site)
        now = asker.site_config.ruling(book.site, opened, today)
        return now, FixedRules(book).ruling(book.site, opened.name, opened.snapshot, today)


def _by_phrase(book: RuleSet) -> tuple[Favour, ...]:
    return tuple(one for one in book.favours if not one.topic)


def _tried(
    one: PastQuestion, before: PreviewedAnswer, after: PreviewedAnswer, puts_first: Callable[[str], bool]
) -> dict[str, Any]:
    change = change_of(one, before, after, puts_first)
    judge = one.judge
    return {
        "question": one.text,
        "times": one.times,
        "golden": judge.id if judge else None,
        "before": answer_json(before),
        "after": answer_json(after),
        "failed_before": failure_of(judge, before) if judge else None,
        "failed_after": failure_of(judge, after) if judge else None,
        "lost": list(change.lost) if change else [],
        "changed": change is not None,
        "verdict": change.verdict if change else None,
    }
