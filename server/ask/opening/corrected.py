"""What editors say of a place's hours, laid over what was read from its page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from server.ask.curated import LOOK_EVERY_S, PolledCache
from server.ask.opening.day import is_of_week
from server.ask.ports import PassageStore
from server.models import HoursCorrection, OpeningHours
from server.written_hours.editors import DayTimes, read_dates, read_week
from server.written_hours.names import is_main_part


class CorrectedHours:
    """All corrections of opening hours, in memory. Thread-safe.

    `kept` gives those of all sites, `version` another value after every change.
    """

    def __init__(
        self,
        kept: Callable[[], Sequence[HoursCorrection]],
        version: Callable[[], str],
        *,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        first: tuple[HoursCorrection, ...] = ()
        self._kept = PolledCache(first, version, lambda _: tuple(kept()), look_every_s=look_every_s)

    def invalidate(self) -> None:
        """Whoever asks next looks first: this process has made a change itself."""
        self._kept.invalidate()

    def of_site(self, site: str) -> Sequence[HoursCorrection]:
        """Those of one site."""
        return [one for one in self._kept.get() if one.site == site]


def page_chunks(url: str, pages: PassageStore) -> list[int]:
    """The ids of a page's chunks, in their order; none where the snapshot has no such page."""
    page = next((one.page_id for one in pages.page_facts if one.url == url), None)
    return [] if page is None else np.flatnonzero(pages.chunk_pages == page).tolist()


def page_digest(url: str, pages: PassageStore) -> str:
    """The SHA-256 of a page's text; "" where the snapshot has no such page."""
    chunks = page_chunks(url, pages)
    if not chunks:
        return ""
    passages = pages.passages(chunks)
    text = "\n".join(passages[one].text for one in chunks if one in passages)
    return hashlib.sha256(text.encode()).hexdigest()


def lay_over(
    hours: Sequence[OpeningHours], corrections: Iterable[HoursCorrection], pages: PassageStore
) -> list[OpeningHours]:
    """The hours as they are told: an editor's week in place of the page's, and dates and doubts beside it.

    What a page no longer in the snapshot was corrected to is not told: nothing could be cited for it.
    """
    found = list(hours)
    for one in corrections:
        if (base := _base(one, hours, pages)) is None:
            continue
        if one.kind == "week":
            found = [line for line in found if not (_is_of(line, one) and is_of_week(line))]
        found += _lines(one, base)
    return found


def _is_of(line: OpeningHours, one: HoursCorrection) -> bool:
    is_part = line.part == one.part or (not one.part and is_main_part(line.part))
    return line.correction is None and (line.url, line.place) == (one.url, one.place) and is_part


def _base(one: HoursCorrection, hours: Sequence[OpeningHours], pages: PassageStore) -> OpeningHours | None:
    """What is known of the place besides: from the page's own lines, or from the page alone."""
    chunks = page_chunks(one.url, pages)
    if not chunks:
        return None
    known = [line for line in hours if (line.url, line.place) == (one.url, one.place)]
    known.sort(key=lambda line: line.part != one.part)
    if known:
        return replace(known[0], part=one.part, when=(), correction=one)
    [title] = [page.title for page in pages.page_facts if page.url == one.url]
    return OpeningHours(
        one.place, one.part, title or "", False, (), None, None, None, (), one.url, chunks[0], "", one
    )


def _lines(one: HoursCorrection, base: OpeningHours) -> list[OpeningHours]:
    if one.kind == "quote":
        return [replace(base, weekdays=(), spans=None, first=date.min, last=date.max)]
    first, last = (date.fromisoformat(day) if day else None for day in (one.first, one.last))
    return [
        replace(base, weekdays=days, spans=spans, first=first, last=last) for days, spans in times_of(one)
    ]


def times_of(one: HoursCorrection) -> list[DayTimes]:
    """The days of the week and times that an editor gave; none where the page is to be quoted."""
    if one.kind == "quote":
        return []
    return read_week(one.text) if one.kind == "week" else read_dates(one.text)
