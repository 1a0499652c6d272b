from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from corpus.demo_site.site import DEFAULT_ORIGIN
from corpus.sites.build import NAMES as OWN
from corpus.visitors import page_texts, sets
from corpus.visitors.sets import CrisisLine, LarkmoorQuestion, PageQuestion, fingerprint
from scripts.data_files import read_rows
from server.settings import PROJECT

DATA = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
README = (sets.HERE / "README.md").read_text(encoding="utf-8")

PAGES = "The sets with a page for each question"  # the README's heading for NAMES
NAMES = (*OWN, "handbook", "government", "uci_cmu")
COPIED = {*OWN, "handbook"}  # the sets whose pages may be quoted
CELLS = {"tamsettferry", "quennell"}  # the sets whose questions may name a cell and a day
WORK, ASIDE = sets.read_larkmoor("work"), sets.read_larkmoor("aside")
CRISIS_WORK, CRISIS_ASIDE = sets.read_crisis_lines("work"), sets.read_crisis_lines("aside")


@cache
def questions(name: str) -> tuple[PageQuestion, ...]:
    return sets.read_page_questions(name)


def bare(text: str) -> str:
    """Without white space and the bars between a row's cells."""
    return re.sub(r"[\s|]", "", text)


def section(heading: str) -> str:
    return README.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def documented(name: str, heading: str) -> set[str]:
    """The fields that a section of the README gives a set; with several sets, a last column says which."""
    table = section(heading).split("| field |")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    mine = [
        row
        for row in rows
        if heading != PAGES
        or {name, "our own" if name in OWN else name} & {*row[-1].split(", ")}
        or (row[-1].startswith("all") and name not in row[-1])
    ]
    return {field for row in mine for field in re.findall(r"`(\w+)`", row[0])}


@pytest.mark.parametrize(
    ("path", "heading", "optional"),
    [
        (sets.HERE / "larkmoor.jsonl", "larkmoor.jsonl", {"history", "why_not", "premise_denied_at"}),
        (sets.CRISIS_LINES, "crisis_lines.jsonl", {"note"}),
        (sets.HERE / "dated.jsonl", "dated.jsonl", set()),
        (sets.HERE / "tables.jsonl", "tables.jsonl", set()),
        *((sets.HERE / f"{name}.jsonl", PAGES, {"cell", "day"} if name in CELLS else set()) for name in OWN),
        (sets.HERE / "handbook.jsonl", PAGES, set()),
        (sets.HERE / "government.jsonl", PAGES, set()),
        (sets.HERE / "uci_cmu.jsonl", PAGES, set()),
    ],
)
def test_a_file_has_the_fields_that_the_readme_tells_of(path: Path, heading: str, optional: set[str]) -> None:
    names = [set(row) for row in read_rows(path)]
    some, every = names[0].union(*names), names[0].intersection(*names)
    assert some == documented(path.stem, heading)
    assert some - every == optional


def test_ids_are_unique() -> None:
    pages = [row.id for name in NAMES for row in questions(name)]
    for ids in ([row.id for row in WORK + ASIDE], [line.id for line in CRISIS_WORK + CRISIS_ASIDE], pages):
        assert [name for name, count in Counter(ids).items() if count > 1] == []


def test_the_readme_counts_what_the_files_hold() -> None:
    for name in NAMES:
        rows = questions(name)
        counts = (len(rows), sum(not row.answerable for row in rows), len({row.url for row in rows}))
        assert f"| `{name}.jsonl` | {' | '.join(f'{count:,}' for count in counts)} |" in README
    unanswerable = sum(not row.answerable for row in WORK + ASIDE)
    pages = {url for row in WORK + ASIDE for url in row.gold_urls}
    assert f"| `larkmoor.jsonl` | {len(WORK + ASIDE)} | {unanswerable} | {len(pages)} |" in README
    work, aside = (
        Counter(value for row in half for value in (row.kind, row.voice)) for half in (WORK, ASIDE)
    )
    work["spanish"], aside["spanish"] = work["spanish"] // 2, aside["spanish"] // 2  # the kind and the voice
    said = section("larkmoor.jsonl")
    assert [name for name in work | aside if f"`{name}` | {work[name]} | {aside[name]} |" not in said] == []
    sorts = Counter(line.category or line.near for line in CRISIS_WORK + CRISIS_ASIDE)
    assert [name for name, count in sorts.items() if f"`{name}` {count}" not in README] == []


def test_the_halves_are_balanced() -> None:
    work, aside = Counter(row.kind for row in WORK), Counter(row.kind for row in ASIDE)
    assert len(WORK) == len(ASIDE)
    assert [kind for kind in work | aside if abs(work[kind] - aside[kind]) > 1] == []
    for half in (CRISIS_WORK, CRISIS_ASIDE):
        assert sum(line.crisis for line in half) * 2 == len(half)
        assert len(set(Counter(line.hand for line in half).values())) == 1
    assert len(CRISIS_WORK) == 2 * len(CRISIS_ASIDE)


def is_labelled(line: CrisisLine) -> bool:
    """Whether a crisis has a category, and any other line says what it is near."""
    return bool(line.text.strip()) and line.crisis == (line.category is not None) == (line.near is None)


def is_answered(row: LarkmoorQuestion, texts: Mapping[str, str]) -> bool:
    """Whether the pages that a question names hold its passages, and these what a right answer must have."""
    gold = [texts.get(url, "") for url in row.gold_urls]
    held = " ".join(row.passages).lower()
    return (
        {*row.gold_urls, *row.premise_denied_at} <= texts.keys()
        and row.answerable == bool(gold) == bool(row.passages) == bool(row.must_have) == (not row.why_not)
        and all(any(bare(passage) in text for text in gold) for passage in row.passages)
        and all(any(spelling.lower() in held for spelling in group) for group in row.must_have)
        and (row.kind == "dated") == (row.day is not None)
        and (row.kind == "followup") == bool(row.history)
    )


def test_a_crisis_has_a_category_and_any_other_line_says_what_it_is_near() -> None:
    assert [line.id for line in CRISIS_WORK + CRISIS_ASIDE if not is_labelled(line)] == []


def test_larkmoor_questions_are_answered_by_the_pages_they_name() -> None:
    texts = {url: bare(text) for url, text in page_texts.larkmoor().items()}
    assert [row.id for row in WORK + ASIDE if not is_answered(row, texts)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_question_of_a_page_is_whole(name: str) -> None:
    kinds = set(re.findall(r"`(\w+)`", section(PAGES).split("\n| `kind` |")[1].split("\n")[0]))
    for row in questions(name):
        assert row.question.strip(), row.id
        assert row.kind in kinds, row.id
        assert row.yes_no in ("yes", "no", None), row.id
        assert row.answerable == (row.quote_at is not None) == (not row.why_not), row.id
        assert bool(row.quote) == bool(row.answer) == (row.answerable and name in COPIED), row.id
        assert row.url not in row.other_urls + row.wrong_urls, row.id
        assert bare(row.cell) in bare(row.quote), row.id


def check_quotes(rows: Sequence[PageQuestion], texts: Mapping[str, str]) -> None:
    """Each quote stands where it is said to, on a page that is there."""
    for row in rows:
        assert {row.url, *row.other_urls, *row.wrong_urls} <= texts.keys(), row.id
        if row.quote_at:
            found = row.quote_at.of(texts[row.url])
            assert found == found.strip() != "", row.id
            assert fingerprint(found) == row.quote_at.fingerprint, row.id
            if row.quote:
                assert bare(found) == bare(row.quote), row.id


@pytest.mark.parametrize("name", OWN)
def test_quotes_of_our_own_sites_stand_on_their_pages(name: str) -> None:
    check_quotes(questions(name), page_texts.own_site(name))


def data(name: str) -> Path:
    """The folder of data sets, where it has one of that name; else the test is skipped."""
    if not (DATA / name).is_dir():
        pytest.skip(f"needs the data set {name} in {DATA} (LODGE_DATA)")
    return DATA


def test_quotes_of_the_handbook_stand_on_its_pages() -> None:
    check_quotes(questions("handbook"), page_texts.handbook(data("train")))


def test_quotes_of_government_pages_stand_where_they_are_pointed_at() -> None:
    check_quotes(questions("government"), page_texts.pages_file(data("doc2dial"), "doc2dial"))


@pytest.mark.parametrize("source", ["uci", "cmu-xiaobin", "cmu-sai"])
def test_quotes_of_other_universities_stand_where_they_are_pointed_at(source: str) -> None:
    rows = [row for row in questions("uci_cmu") if row.source == source]
    assert rows
    urls = frozenset(url for row in rows for url in (row.url, *row.other_urls, *row.wrong_urls))
    found = (
        page_texts.uci(data(source), urls) if source == "uci" else page_texts.pages_file(data(source), source)
    )
    check_quotes(rows, found)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<p>Open <b>8</b>.</p><script>x()</script><!-- no --><p>Shut</p>", "Open 8. Shut"),
        ("<table><tr><td>Dog<td> $5\n</table><title>no</title>", "Dog $5"),
        ("<ul><li>one<li>two</ul>a<br>b<style>p{}</style>c", "one two a bc"),
    ],
)
def test_the_visible_text_of_a_page(document: str, text: str) -> None:
    assert page_texts.visible_text(document) == text


def test_questions_over_tables_name_a_row_and_a_cell_of_their_page() -> None:
    rows = sets.read_tables()
    assert f"| `tables.jsonl` | {len(rows)} | 0 | {len({(row.site, row.url) for row in rows})} |" in README
    texts = {
        "larkmoor": {url.removeprefix(DEFAULT_ORIGIN): text for url, text in page_texts.larkmoor().items()},
        **{name: page_texts.own_site(name) for name in ("tamsettferry", "quennell", "marrowby")},
    }
    for row in rows:
        text = bare(texts[row.site][row.url])
        assert bare(row.row) in text, row.id
        assert bare(row.cell) in text, row.id


def test_dated_questions_are_of_three_days_and_what_is_right_is_not_wrong() -> None:
    rows = sets.read_dated()
    assert Counter(row.today for row in rows) == {"2026-11-19": 46, "2027-03-17": 42, "2026-11-25": 32}
    assert [row.id for row in rows] == [f"d-{i:03}" for i in range(1, 121)]
    assert sum(not row.must_have for row in rows) == 6
    told = [" ".join(group[0] for group in row.must_have) for row in rows]
    assert [
        row.id for row, text in zip(rows, told, strict=True) if row.must_have and not row.is_right(text)
    ] == []
