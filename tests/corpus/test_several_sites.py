"""The sets over several sites of our own: whole, and as the README counts them."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from corpus.sites.build import NAMES
from corpus.visitors import page_texts, sets
from corpus.visitors.sets import PageQuestion, fingerprint

SETS = tuple(sets.OF_SEVERAL_SITES.values())
DEMO = "larkmoor"
README = (sets.HERE / "README.md").read_text(encoding="utf-8")


@cache
def rows(name: str) -> tuple[PageQuestion, ...]:
    return sets.read_page_questions(name)


@cache
def pages(site: str) -> dict[str, str]:
    return page_texts.larkmoor() if site == DEMO else page_texts.own_site(site)


@pytest.mark.parametrize("name", SETS)
def test_they_are_counted_as_the_readme_does(name: str) -> None:
    all_ = rows(name)
    counts = len(all_), sum(not row.answerable for row in all_), len({row.url for row in all_})
    assert f"| `{name}.jsonl` | {' | '.join(f'{count:,}' for count in counts)} |" in README
    voices = Counter(row.voice for row in all_)
    assert [voice for voice, count in voices.items() if f"| `{voice}` | {count} |" not in README] == []


@pytest.mark.parametrize("name", SETS)
def test_none_is_twice_there(name: str) -> None:
    asked = [(row.source if name == "everybody" else "", row.question.casefold()) for row in rows(name)]
    for values in ([row.id for row in rows(name)], asked):
        assert [value for value, count in Counter(values).items() if count > 1] == []


@pytest.mark.parametrize(
    ("name", "site"),
    [(name, site) for name in SETS for site in sorted({str(row.source) for row in rows(name)})],
)
def test_what_answers_stands_on_a_page_of_the_site(name: str, site: str) -> None:
    assert site in (*NAMES, DEMO)
    for row in (row for row in rows(name) if row.source == site):
        assert {row.url, *row.other_urls} <= pages(site).keys(), row.id
        assert row.answerable == bool(row.quote) == (row.quote_at is not None) == (not row.why_not), row.id
        assert row.answer in row.quote, row.id
        if row.quote_at:
            found = row.quote_at.of(pages(site)[row.url])
            assert found == row.quote, row.id
            assert fingerprint(found) == row.quote_at.fingerprint, row.id
