"""Opening hours for editors: what was read of each place, its corrections, and what visitors are told."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time

from server.ask.opening.corrected import page_digest, times_of
from server.ask.pipeline import Asker
from server.ask.ports import PassageStore
from server.errors import BadInputError, NotFoundError
from server.models import HoursCorrection, OpeningHours
from server.models.hours import EVERYTHING, OFFICES
from server.storage.audit import AuditEntry
from server.workbench.answering import AnsweringParts, asked
from server.workbench.checks import name_of
from server.workbench.hours.store import HoursStore, checked

# What is asked of a place, to see what visitors would be told.
QUESTIONS = ("Is {name} open today?", "Is {name} open on Saturday?", "Is {name} open now?")
LONGEST_OWN_ID = 60


@dataclass(frozen=True, slots=True)
class PlaceSummary:
    """A place of a page: how many lines were read of it, how many of them could not be understood, and how
    many corrections it has. `changed`: its page says something else since one of them; `gone`: it has no page
    in the live snapshot any more."""

    url: str
    place: str
    title: str
    read: int
    unclear: int
    corrections: int
    changed: bool
    gone: bool


@dataclass(frozen=True, slots=True)
class KeptCorrection:
    """A correction with the times that are understood of it, and whether its page changed since."""

    correction: HoursCorrection
    times: list[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]
    changed: bool


@dataclass(frozen=True, slots=True)
class PlaceDetails:
    """All that is known of a place: the lines as they were read, its corrections, and who changed them."""

    summary: PlaceSummary
    lines: list[OpeningHours]
    corrections: list[KeptCorrection]
    changes: list[AuditEntry]


@dataclass(frozen=True, slots=True)
class TriedQuestion:
    """A question of a place's hours, answered as it is, and as it would be with a correction."""

    question: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class HoursService:
    """What is known of the live snapshot's places; `NotReadyError` while a part is missing."""

    store: HoursStore
    answering: AnsweringParts

    def places(self, site: str) -> list[PlaceSummary]:
        """Every place with hours or with a correction, by name; those of which nothing is understood last."""
        corrections = self.store.corrections(site)
        with self.answering().lease() as opened:
            lines = [one for one in opened.snapshot.hours if one.place not in (OFFICES, EVERYTHING)]
            keys = dict.fromkeys([*map(_key, lines), *map(_key, corrections)])
            titles = {page.url: page.title or "" for page in opened.snapshot.page_facts}
            changed = {one.url for one in corrections if is_changed(one, opened.snapshot)}
        found = [_summary(key, lines, corrections, titles, changed) for key in keys]
        return sorted(
            found, key=lambda one: (not (one.read or one.corrections), one.place.casefold(), one.url)
        )

    def place(self, site: str, url: str, place: str) -> PlaceDetails:
        """One place; `NotFoundError` where neither its page's lines nor a correction name it."""
        summary = next((one for one in self.places(site) if (one.url, one.place) == (url, place)), None)
        if summary is None:
            raise NotFoundError("There is no such place with opening hours.")
        kept = [one for one in self.store.corrections(site) if _key(one) == (url, place)]
        with self.answering().lease() as opened:
            lines = [one for one in opened.snapshot.hours if _key(one) == (url, place)]
            corrections = [
                KeptCorrection(one, list(times_of(one)), is_changed(one, opened.snapshot)) for one in kept
            ]
        return PlaceDetails(summary, lines, corrections, self.store.changes(site, url, place))

    def keep(self, correction: HoursCorrection, *, by: str) -> HoursCorrection:
        """Keeps a correction, with the state of its page and who made it; it gets an id where it has none."""
        made = self._made(correction, by)
        if not made.digest:
            raise BadInputError(f"{made.url} is no page of the live snapshot, so nothing could be cited.")
        return self.store.put(made, by=by)

    def tried(
        self, correction: HoursCorrection, today: str | None, clock: str | None, *, drafted: bool = True
    ) -> list[TriedQuestion]:
        """What visitors are told of the place today, on Saturday and now, as it is and with the correction.

        Not `drafted`: it only names the place. `today` and `clock` (ISO 8601, "14:30") stand for the day and
        the time that it is.
        """
        draft = checked(self._made(correction, "a trial"))
        asker = self.answering().asker
        before = _on(asker, today, clock)
        others = [one for one in self.store.corrections(draft.site) if one.id != draft.id]
        config = replace(asker.site_config, hours=lambda _: [*others, draft])
        after = before.otherwise(before.options, site_config=config)
        name = f"{draft.place} {draft.part}".strip()
        questions = [one.format(name=name) for one in QUESTIONS]
        told = [_said(before, one, draft.site) for one in questions]
        then = [_said(after, one, draft.site) for one in questions] if drafted else told
        return [TriedQuestion(*one) for one in zip(questions, told, then, strict=True)]

    def _made(self, correction: HoursCorrection, by: str) -> HoursCorrection:
        name = name_of(correction.place)[:LONGEST_OWN_ID] or "hours"
        own = correction.id or f"{name}-{uuid.uuid4().hex[:8]}"
        with self.answering().lease() as opened:
            digest = page_digest(correction.url.strip(), opened.snapshot)
        return replace(correction, id=own, digest=digest, by=by, at=datetime.now(UTC).isoformat())


def is_changed(one: HoursCorrection, pages: PassageStore) -> bool:
    """Whether the page says something else than when it was corrected, or is gone."""
    return page_digest(one.url, pages) != one.digest


def _key(one: OpeningHours | HoursCorrection) -> tuple[str, str]:
    return one.url, one.place


def _summary(
    key: tuple[str, str],
    lines: Sequence[OpeningHours],
    corrections: Sequence[HoursCorrection],
    titles: dict[str, str],
    changed: set[str],
) -> PlaceSummary:
    own = [one for one in lines if _key(one) == key]
    kept = [one for one in corrections if _key(one) == key]
    url, place = key
    unclear = sum(one.spans is None for one in own)
    return PlaceSummary(
        url,
        place,
        titles.get(url, ""),
        len(own) - unclear,
        unclear,
        len(kept),
        bool(kept) and url in changed,
        url not in titles,
    )


def _on(asker: Asker, today: str | None, clock: str | None) -> Asker:
    """The same, on another day and at another time; it records nothing, and no language model writes."""
    try:
        day = date.fromisoformat(today) if today else asker.options.terms.today
        minute = time.fromisoformat(clock) if clock else asker.options.terms.clock
    except ValueError as error:
        raise BadInputError(f"{error}: a day is like 2026-11-22, a time like 14:30.") from error
    terms = replace(asker.options.terms, today=day, clock=minute)
    return asker.otherwise(replace(asker.options, terms=terms), writes=False)


def _said(asker: Asker, question: str, site: str) -> str:
    return "\n".join(_lines(asker, question, site))


def _lines(asker: Asker, question: str, site: str) -> Iterator[str]:
    answer = asked(asker, question, site).answer
    if answer.tier == "seems":
        yield "This page seems to answer it:"
    yield answer.answer
    yield from (f"[{one.n}] {one.place}, {one.url}" for one in answer.citations)
