"""What stands between a finished snapshot and visitors: the golden questions, and the audit log.

In this order, so that a kill between any two steps leaves the live snapshot as it was, and nothing published
that the log does not know of: the questions are asked (`golden_check.py`), an override noted, the mirror
filled; then the link is replaced within the transaction that notes it. Sites' suggested questions are asked
when the snapshot is live, so that they hold nothing back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from server.ask.pipeline import Asker
from server.errors import BadInputError, BlockedError, ConflictError, LodgeError, SnapshotError, StorageError
from server.index.intact import require_intact
from server.ingest.publish import SnapshotStore
from server.models import Site
from server.models.curation import AskedSuggestion
from server.storage.audit import COMMAND_LINE
from server.workbench.answering import asked
from server.workbench.golden.service import strategy_of
from server.workbench.jobs import JobProgress
from server.workbench.records import Records
from server.workbench.snapshots.golden_check import (
    AskerOver,
    Failed,
    GoldenCheck,
    GoldenChecker,
    blocked,
    failed,
)

MAX_REASON_CHARS = 500


@dataclass(frozen=True, slots=True)
class Published:
    """What was published, how many golden questions were asked, and what is said of those that fail over it.

    `failed` broke and were overridden; `still_wrong` are wrong over what was live before too, and
    `known_gaps` were known to be. `withheld` are the suggested questions that visitors are not shown any
    more, with what is wrong.
    """

    name: str
    live_before: str | None
    asked: int = 0
    failed: list[Failed] = field(default_factory=list)
    still_wrong: list[Failed] = field(default_factory=list)
    known_gaps: list[Failed] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    withheld: list[dict[str, str]] = field(default_factory=list)

    @property
    def says(self) -> str:
        """What became of the golden questions, as sentences; empty where none was asked."""
        return GoldenCheck(self.asked, self.failed, self.still_wrong, self.known_gaps).says

    def as_json(self) -> dict[str, Any]:
        """A JSON object of the same names, with `says`."""
        return asdict(self) | {"says": self.says}


@dataclass(frozen=True, slots=True)
class SnapshotPublisher:
    """Makes snapshots live, and live again. Without records nothing is asked and nothing is noted.

    `keep` snapshots are kept; `warn` is told what went wrong and did not stop the work, and which suggested
    questions of the `sites` are withheld.
    """

    shelf: SnapshotStore
    keep: int
    records: Records | None
    asker_over: AskerOver
    warn: Callable[[str], None]
    sites: Callable[[], Iterable[Site]] = tuple

    def publish(
        self,
        name: str,
        *,
        by: str = COMMAND_LINE,
        override: str | None = None,
        progress: JobProgress | None = None,
    ) -> Published:
        """Make `name` live unless it breaks a golden question: right over the live snapshot, wrong over it.

        Then a `BlockedError` names those that break, unless `override` says why they may. What is wrong over
        both, and known gaps, are told and hold nothing back; nor does anything where nothing is live yet.
        `NotFoundError`: there is no such snapshot. `SnapshotError`: its files are damaged.
        `ConflictError`: somebody went back or published another meanwhile. Whatever is raised, the live
        one stays.
        """
        folder = self.shelf.require(name)
        reason = _reason(override)
        require_intact(folder)
        live_before = self.shelf.current_name
        found = self._check(folder, live_before, by, reason, progress)
        if found.broken and reason is None:
            raise BlockedError(blocked(name, found), found.broken)
        if self.shelf.current_name != live_before:
            raise ConflictError(f"Somebody else has changed what is live meanwhile; {name} is not published.")
        if found.broken:
            why = {"done": "overrode the golden questions of", "reason": reason, "failed": found.broken}
            with self._note(name, None, why, by):
                pass
        try:
            self.shelf.copy(name)
            self.shelf.publish(name, self._noted(name, live_before, "published", by))
            removed = self.shelf.prune(self.keep)
        except OSError as error:
            raise StorageError(f"{name} could not be published: {error.strerror or error}.") from error
        return Published(
            name,
            live_before,
            found.asked,
            found.broken,
            found.still_wrong,
            found.known_gaps,
            removed,
            self.ask_suggestions(),
        )

    def roll_back(self, name: str | None, *, by: str = COMMAND_LINE) -> Published:
        """Make an earlier snapshot live again, the one before the live one unless `name` says another.

        Nothing is asked before (`ask_suggestions` may be called after), and where it cannot be noted it is
        done all the same; only a damaged one is none to go back to (`SnapshotError`).
        """
        live_before = self.shelf.current_name
        wanted = name or (live_before and self.shelf.before(live_before))
        if wanted is None:
            raise BadInputError("There is no earlier snapshot to go back to.")
        require_intact(self.shelf.require(wanted))
        self.shelf.publish(wanted)
        try:
            with self._noted(wanted, live_before, "rolled back to", by):
                pass
        except StorageError as error:
            self.warn(f"{wanted} is live; that could not be noted in the audit log: {error.message}")
        return Published(wanted, live_before)

    def ask_suggestions(self) -> list[dict[str, str]]:
        """Ask every site's suggested questions over the live snapshot, and keep what they are answered from.

        Those that visitors are not shown from now on are returned, each with its `failure`. Visitors are
        answered already: where they cannot be asked or kept, `warn` is told, and what was known holds.
        """
        live = self.shelf.current_name
        if self.records is None or live is None:
            return []
        try:
            sites = [site for site in self.sites() if site.suggested]
            found = self._ask_suggestions(live, sites) if sites else []
            if self.shelf.current_name != live:
                return []  # whoever has changed it asks them again
            kept = self.records.suggestions.keep(found, live)
        except LodgeError as error:
            self.warn(f"The suggested questions could not be asked: {error.message}")
            return []
        withheld = [_withheld(one, one.fault) for one in kept if one.fault]
        for one in withheld:
            self.warn(
                f"The suggested question {one['question']!r} ({one['site']}) is not shown. {one['failure']}"
            )
        return withheld

    def _ask_suggestions(self, live: str, sites: Sequence[Site]) -> list[AskedSuggestion]:
        with self.asker_over(self.shelf.require(live)) as asker:
            return [one for site in sites for one in _asked_suggestions(asker, site)]

    def _check(
        self, folder: Path, live: str | None, by: str, reason: str | None, progress: JobProgress | None
    ) -> GoldenCheck:
        """The golden questions over a new snapshot beside the live one; with a reason, asked or not."""
        questions = self.records.golden.all() if self.records else ()
        if self.records is None or not questions:
            return GoldenCheck()
        checker = GoldenChecker(self.shelf, self.records.golden, self.asker_over, self.warn)
        try:
            return checker.check(folder, live, questions, by, progress)
        except SnapshotError:
            raise  # visitors could not be answered from it either
        except LodgeError as error:
            if reason is None:
                raise
            why = f"It could not be asked: {error.message}"
            return GoldenCheck(0, [failed(one, why) for one in questions])

    def _noted(self, name: str, live_before: str | None, done: str, by: str) -> AbstractContextManager[None]:
        return self._note(name, {"live": live_before}, {"done": done, "live": name}, by)

    def _note(
        self, name: str, before: dict[str, Any] | None, after: dict[str, Any], by: str
    ) -> AbstractContextManager[None]:
        if self.records is None:
            return nullcontext()
        return self.records.audit.noting(("snapshot", name), before, after, by=by)


def _reason(override: str | None) -> str | None:
    """Why failed questions are overridden, on one line."""
    if override is None:
        return None
    line = " ".join(override.split())
    if not 1 <= len(line) <= MAX_REASON_CHARS:
        raise BadInputError(
            f"An override says why to publish all the same, in 1 to {MAX_REASON_CHARS} characters."
        )
    return line


def _asked_suggestions(asker: Asker, site: Site) -> Iterator[AskedSuggestion]:
    """A site's suggested questions by its strategy; no language model writes: it would from the same pages.

    What an editor answers, or Lodge itself, rests on no page.
    """
    flow = asker.otherwise(replace(asker.options, strategy=strategy_of(asker, site.key)), writes=False)
    for lang, words in site.suggested:
        if len(words) > site.max_question_chars:  # visitors could not ask it either
            yield AskedSuggestion(site.key, lang, words, refused=True)
            continue
        answer = asked(flow, words, site.key, lang or None).answer
        by_pages = answer.answerer == "extractive" and not answer.refused
        cited = dict.fromkeys(citation.url for citation in answer.citations) if by_pages else ()
        yield AskedSuggestion(site.key, lang, words, answer.refused, tuple(cited))


def _withheld(one: AskedSuggestion, failure: str) -> dict[str, str]:
    return {"site": one.site, "lang": one.lang, "question": one.question, "failure": failure}
