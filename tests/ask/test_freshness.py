from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from server.academic_terms import terms_asked
from server.ask.freshness import as_of, freshness
from server.models import Caution, Citation, Freshness, Passage

TODAY = date(2026, 11, 22)
URL = "https://u.example/fees"
PASSAGE = Passage(1, URL, "Fees", "Parking", "A permit costs $90.", terms=("2025/26",))
CITATION = Citation(
    1, URL, "Fees", "Parking", "A permit costs $90.", "2025-08-01", "2026-09-03T10:00:00+00:00"
)


def never_changed(url: str, since: str) -> bool:
    return False


@dataclass
class Changed:
    """Knows of these pages that they have changed, and keeps what it was asked."""

    urls: tuple[str, ...] = ()
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __call__(self, url: str, since: str) -> bool:
        self.asked.append((url, since))
        return url in self.urls


def past(question: str, *terms: str) -> list[str]:
    """The terms warned of, where the cited passage speaks of `terms`."""
    found = freshness(
        [CITATION], [replace(PASSAGE, terms=terms)], TODAY, never_changed, terms_asked(question, TODAY)
    )
    return [caution.term for caution in found.cautions if caution.kind == "past_term"]


def test_all_of_it() -> None:
    found = freshness([CITATION], [PASSAGE], TODAY, Changed((URL,)))
    assert found == Freshness("2025-08-01", (Caution("past_term", 1, "2025/26"), Caution("changed", 1)))


def test_no_sources_no_date_no_caution() -> None:
    assert freshness([], [], TODAY, never_changed) == Freshness()


@pytest.mark.parametrize(
    ("stamps", "day"),
    [
        ([("2024-05-01", None), ("2025-02-03T08:00:00+00:00", None)], "2025-02-03"),
        ([("2024-05-01", "2026-11-01"), (None, "2026-11-02")], "2024-05-01"),
        ([(None, "2026-11-01T00:00:00+00:00"), (None, None)], "2026-11-01"),
        ([("2031-01-01", "2026-11-01")], "2026-11-01"),
        ([("last Tuesday", None)], None),
        ([], None),
    ],
)
def test_as_of_is_the_newest_day_that_the_pages_carry(
    stamps: list[tuple[str | None, str | None]], day: str | None
) -> None:
    """Or else the newest they were read on; what lies in the future or is no date does not count."""
    citations = [replace(CITATION, last_modified=modified, fetched_at=read) for modified, read in stamps]
    assert as_of(citations, TODAY) == day


@pytest.mark.parametrize(
    ("terms", "warned"),
    [
        (("2025/26",), ["2025/26"]),
        (("2024/25", "2026-summer"), ["2026-summer"]),
        (("2025/26", "2026-fall"), []),
        (("2026/27",), []),
        (("2027-spring",), []),
        ((), []),
    ],
)
def test_a_passage_is_past_its_term_when_all_its_terms_are_over(
    terms: tuple[str, ...], warned: list[str]
) -> None:
    assert past("What does a permit cost?", *terms) == warned


def test_who_asks_about_the_past_is_not_warned_of_it() -> None:
    assert past("What did a permit cost in 2025-26?", "2025/26") == []
    assert past("What did a permit cost last fall?", "2025/26") == []
    assert past("What does a permit cost this fall?", "2025/26") == ["2025/26"]


def test_the_terms_are_those_of_the_passage_that_is_quoted() -> None:
    """A page has this year's fees and last year's, under one heading."""
    now = replace(PASSAGE, chunk_id=2, text="A permit costs $95.", terms=("2026/27",))
    quoting = replace(CITATION, n=2, quote="A permit costs $95.")
    found = freshness([CITATION, quoting], [now, PASSAGE], TODAY, never_changed)
    assert found.cautions == (Caution("past_term", 1, "2025/26"),)


def test_what_is_much_older_than_another_source_is_told() -> None:
    """The answer is as of its newest source's day, which says nothing of a page of two years before."""
    days = ("2024-06-20", "2026-07-05", "2025-07-05", "2025-07-04", None, "2031-01-01", "soon")
    sources = [replace(CITATION, n=n, last_modified=day) for n, day in enumerate(days, start=1)]
    found = freshness(sources, [], TODAY, never_changed)
    assert found == Freshness("2026-07-05", (Caution("older", 1), Caution("older", 4)))
    assert freshness(sources[:1], [], TODAY, never_changed) == Freshness("2024-06-20")
    assert not freshness(sources[5:], [], TODAY, never_changed).cautions


def test_a_page_is_looked_up_since_its_own_reading() -> None:
    changes = Changed()
    freshness([CITATION, replace(CITATION, n=2, fetched_at=None)], [PASSAGE], TODAY, changes)
    assert changes.asked == [(URL, "2026-09-03T10:00:00+00:00")]
