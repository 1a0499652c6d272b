"""Two snapshots side by side, of a few made-up pages."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import NotFoundError
from server.index.build import SnapshotBuilder
from server.index.compare import SnapshotComparison, compare, compare_page
from server.index.snapshot import Snapshot
from server.models import Chunk, Document, Drop
from tests.index.small_index import DIMS, a_page, manifest, unit_vectors

Page = tuple[Document, list[Chunk]]
PAGES = [a_page(0, "one", "two"), a_page(1, "three"), a_page(2, "four", "four")]
URLS = [document.url for document, _ in PAGES]


def opened(folder: Path, pages: list[Page], *drops: Drop) -> Snapshot:
    folder.mkdir()
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        builder.add(pages, unit_vectors(sum(len(chunks) for _, chunks in pages)))
        builder.add_drops(drops)
        counts = builder.finish()
    table = manifest(folder, pages=counts[0], chunks=counts[1])
    (folder / "manifest.json").write_text(json.dumps(table), encoding="utf-8")
    return Snapshot(folder, threads=1)


def compared(folder: Path, pages: list[Page], *drops: Drop) -> SnapshotComparison:
    """What became of `PAGES`."""
    with closing(opened(folder / "a", PAGES)) as old, closing(opened(folder / "b", pages, *drops)) as new:
        return compare(old, new)


def test_the_same_pages_in_another_order_are_the_same(tmp_path: Path) -> None:
    found = compared(tmp_path, PAGES[::-1])
    assert (found.same, [list(rows) for rows in found.changes.values()]) == (3, [[], [], []])


def test_what_differs_is_title_or_text_and_the_order_of_passages_counts(tmp_path: Path) -> None:
    titled = replace(PAGES[1][0], title="Other"), PAGES[1][1]
    fewer = a_page(2, "four")
    found = compared(tmp_path, [a_page(0, "two", "one"), titled, fewer])
    rows = [(row.url, row.title_differs, row.text_differs) for row in found.changes["changed"]]
    assert rows == [(URLS[0], False, True), (URLS[1], True, False), (URLS[2], False, True)]
    assert (found.changes["changed"][2].passages_before, found.changes["changed"][2].passages_after) == (2, 1)
    assert found.changes["changed"][1].title_after == "Other"


def test_a_page_that_went_out_says_why_where_that_was_noted(tmp_path: Path) -> None:
    found = compared(tmp_path, PAGES[:1], Drop(URLS[1], "archive", "Old years mislead."))
    told = [(row.url, row.why) for row in found.changes["out"]]
    assert told == [(URLS[1], "archive: Old years mislead."), (URLS[2], None)]


def test_a_page_that_neither_has_is_named_so(tmp_path: Path) -> None:
    with closing(opened(tmp_path / "a", PAGES)) as old:
        assert compare_page(old, old, URLS[0]).only_after == ()
        with pytest.raises(NotFoundError, match="Neither of the two"):
            compare_page(old, old, "https://example.edu/none")
