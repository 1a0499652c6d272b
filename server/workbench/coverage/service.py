"""Pages held against questions: what is asked and hardly written about, what is written and never cited,
what is cited and does not help, or is out of date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from server.academic_terms import current_term, day_of, parse_term
from server.models import OpeningHours, TurnFilter
from server.models.deadlines import Deadline
from server.workbench.answering import AnsweringParts
from server.workbench.coverage.store import CoverageStore

LISTED = 100  # pages in each list
# A page is badly rated when so many visitors at least found an answer from it unhelpful, and such a share.
LEAST_UNHELPFUL, LEAST_SHARE = 2, 0.4


@dataclass(frozen=True, slots=True)
class LivePage:
    """A page of the live snapshot. Days are ISO 8601, None where it names none; `terms` are terms' names."""

    url: str
    title: str
    topic: str | None = None
    published: str | None = None
    modified: str | None = None
    terms: tuple[str, ...] = ()


class CoverageService:
    """Coverage of what was asked by the pages of the live snapshot; `NotReadyError` where there is none."""

    def __init__(self, store: CoverageStore, answering: AnsweringParts) -> None:
        self._store = store
        self._answering = answering

    def coverage(self, wanted: TurnFilter, months: int) -> dict[str, Any]:
        """`snapshot`; `pages`, `cited`, `never_cited` (counts); lists of `topics`, `badly_rated`, `stale`.

        A page is stale when the newest day it names is over so many months old, or all its terms are over.
        """
        today, name, pages = self._live()
        by_url = {page.url: page for page in pages}
        cited = self._store.cited(wanted)
        of_live = [row for row in cited if row["url"] in by_url]
        return {
            "snapshot": name,
            "pages": len(pages),
            "cited": len(of_live),
            "never_cited": len(pages) - len(of_live),
            "topics": topic_rows(self._store.topics_asked(wanted), pages),
            "badly_rated": badly_rated(cited, by_url),
            "stale": stale(of_live, by_url, months, today),
        }

    def never_cited(self, wanted: TurnFilter, text: str = "") -> list[dict[str, Any]]:
        """The pages of the live snapshot that no answer cites, with these words in title or address."""
        *_, pages = self._live()
        cited = {row["url"] for row in self._store.cited(wanted)}
        sought = text.casefold().strip()
        return [
            {"url": page.url, "title": page.title, "topic": page.topic, "day": newest_day(page)}
            for page in sorted(pages, key=lambda page: page.url)
            if page.url not in cited and sought in f"{page.title} {page.url}".casefold()
        ]

    def days_known(self) -> tuple[Sequence[OpeningHours], Sequence[Deadline]]:
        """What the pages of the live snapshot say of opening hours and of deadlines."""
        with self._answering().lease() as opened:
            return opened.snapshot.hours, opened.snapshot.deadlines

    def _live(self) -> tuple[date, str, Sequence[LivePage]]:
        """Today, the live snapshot's name and all its pages."""
        parts = self._answering()
        today = parts.asker.options.terms.day()
        with parts.lease() as opened:
            rows = opened.snapshot.rows("SELECT url, title, topic, published, modified, terms FROM pages")
            return (
                today,
                opened.name,
                [
                    LivePage(url, title, topic, published, modified, tuple(terms or ()))
                    for url, title, topic, published, modified, terms in rows
                ],
            )


def topic_rows(asked: Iterable[Mapping[str, Any]], pages: Sequence[LivePage]) -> list[dict[str, Any]]:
    """A row for each topic, the most asked first: questions, refused, pages, and the share of each (0 to 1).

    The shares are of what has a topic at all; what has none is a row of its own, without shares.
    """
    questions = {row["topic"]: row for row in asked}
    written: dict[str | None, int] = {}
    for page in pages:
        written[page.topic] = written.get(page.topic, 0) + 1
    all_asked = sum(row["questions"] for topic, row in questions.items() if topic) or 1
    all_written = sum(count for topic, count in written.items() if topic) or 1
    rows = []
    for topic in {*questions, *written}:
        row = questions.get(topic, {"questions": 0, "refused": 0})
        count = written.get(topic, 0)
        rows.append(
            {
                "topic": topic,
                "questions": row["questions"],
                "refused": row["refused"],
                "pages": count,
                "asked_share": row["questions"] / all_asked if topic else None,
                "pages_share": count / all_written if topic else None,
            }
        )
    return sorted(rows, key=lambda row: (row["topic"] is None, -row["questions"], row["topic"] or ""))


def badly_rated(cited: Iterable[Mapping[str, Any]], pages: Mapping[str, LivePage]) -> list[dict[str, Any]]:
    """Cited pages whose answers visitors did not find helpful, those with most such visitors first."""
    rows = [
        {
            "url": row["url"],
            "title": _title(row["url"], pages),
            "times": row["times"],
            "rated": row["helpful"] + row["unhelpful"],
            "unhelpful": row["unhelpful"],
            "unhelpful_share": row["unhelpful"] / (row["helpful"] + row["unhelpful"]),
        }
        for row in cited
        if row["unhelpful"] >= LEAST_UNHELPFUL
    ]
    bad = [row for row in rows if row["unhelpful_share"] >= LEAST_SHARE]
    return sorted(bad, key=lambda row: (-row["unhelpful"], -row["unhelpful_share"], row["url"]))[:LISTED]


def stale(
    cited: Iterable[Mapping[str, Any]], pages: Mapping[str, LivePage], months: int, today: date
) -> list[dict[str, Any]]:
    """Cited pages that are out of date, the most cited first, with the `reason`: `old` or `past_terms`."""
    oldest = _months_before(today, months)
    rows = []
    for row in cited:
        page = pages[row["url"]]
        if reason := _stale(page, oldest, today):
            rows.append(
                {
                    "url": page.url,
                    "title": page.title,
                    "topic": page.topic,
                    "times": row["times"],
                    "day": newest_day(page),
                    "reason": reason,
                    "term": _last_term(page) if reason == "past_terms" else None,
                }
            )
    return sorted(rows, key=lambda row: (-row["times"], row["url"]))[:LISTED]


def newest_day(page: LivePage) -> str | None:
    """The newest day that a page says it was written or changed on, ISO 8601."""
    days = [day for day in (day_of(page.published), day_of(page.modified)) if day]
    return max(days).isoformat() if days else None


def _stale(page: LivePage, oldest: date, today: date) -> str | None:
    terms = [parse_term(name) for name in page.terms]
    if terms and all(term.end < current_term(today).start for term in terms):
        return "past_terms"
    day = newest_day(page)
    return "old" if day and day < oldest.isoformat() else None


def _last_term(page: LivePage) -> str:
    return max((parse_term(name) for name in page.terms), key=lambda term: term.end).name


def _months_before(today: date, months: int) -> date:
    """The same day so many months ago, or the month's last day where it has fewer."""
    year, month = divmod(today.year * 12 + today.month - 1 - months, 12)
    for day in range(today.day, 0, -1):
        try:
            return date(year, month + 1, day)
        except ValueError:
            continue
    raise AssertionError("every month has a first day")


def _title(url: str, pages: Mapping[str, LivePage]) -> str:
    """Empty for a page that is not in the live snapshot."""
    return pages[url].title if url in pages else ""
