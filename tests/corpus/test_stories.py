"""Questions that come with a story: whole, over sites of our own, and as the README counts them."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from corpus.sites.build import NAMES
from corpus.visitors import page_texts, sets
from corpus.visitors.sets import fingerprint

ROWS = sets.read_page_questions("stories")
SITES = sorted({row.source for row in ROWS})
README = (sets.HERE / "README.md").read_text(encoding="utf-8")


@cache
def pages(site: str) -> dict[str, str]:
    return page_texts.own_site(site)


def test_they_are_counted_as_the_readme_does() -> None:
    counts = len(ROWS), sum(not row.answerable for row in ROWS), len({row.url for row in ROWS})
    assert f"| `stories.jsonl` | {' | '.join(f'{count:,}' for count in counts)} |" in README
    voices = Counter(row.voice for row in ROWS)
    assert [name for name, count in voices.items() if f"| `{name}` | {count} |" not in README] == []


def test_none_is_twice_there() -> None:
    for values in ([row.id for row in ROWS], [row.question.casefold() for row in ROWS]):
        assert [value for value, count in Counter(values).items() if count > 1] == []


@pytest.mark.parametrize("site", SITES)
def test_what_answers_stands_on_a_page_of_the_site(site: str) -> None:
    assert site in NAMES
    for row in (row for row in ROWS if row.source == site):
        assert row.url in pages(site), row.id
        assert row.answerable == bool(row.quote) == (row.quote_at is not None) == (not row.why_not), row.id
        assert row.answer in row.quote, row.id
        if row.quote_at:
            found = row.quote_at.of(pages(site)[row.url])
            assert found == row.quote, row.id
            assert fingerprint(found) == row.quote_at.fingerprint, row.id
