from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.errors import StorageError
from server.index.build import SnapshotBuilder, text_hash
from server.index.fields import address_words
from server.index.search import Index
from server.index.snapshot import connect
from server.models import Drop
from tests.index.small_index import DIMS, a_page, opened, unit_vectors


def test_pages_added_in_several_batches_count_on(tmp_path: Path) -> None:
    vectors = unit_vectors(3)
    with SnapshotBuilder(tmp_path, DIMS, threads=1) as builder:
        builder.add([a_page(1, "a first chunk", "a second chunk")], vectors[:2])
        builder.add([a_page(2, "a third chunk")], vectors[2:])
        assert builder.finish() == (2, 3)
    with connect(tmp_path / "index.duckdb", read_only=True, threads=1) as connection:
        rows = connection.execute(
            "SELECT chunk_id, url, ordinal, text, embedding FROM chunks JOIN pages USING (page_id) "
            "JOIN vectors USING (chunk_id) ORDER BY chunk_id"
        ).fetchall()
    assert [row[:4] for row in rows] == [
        (0, "https://example.edu/1", 0, "a first chunk"),
        (1, "https://example.edu/1", 1, "a second chunk"),
        (2, "https://example.edu/2", 0, "a third chunk"),
    ]
    assert np.array_equal([row[4] for row in rows], vectors)


def test_topics_are_set_by_url_and_pages_not_named_have_none(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path, DIMS, threads=1) as builder:
        builder.add([a_page(i, "a chunk") for i in range(3)], unit_vectors(3))
        builder.set_topics(
            {"https://example.edu/0": ("life", "dining"), "https://example.edu/1": ("library", None)}
        )
        builder.set_topics({})
        builder.finish()
    with connect(tmp_path / "index.duckdb", read_only=True, threads=1) as connection:
        rows = connection.execute("SELECT topic, subtopic FROM pages ORDER BY page_id").fetchall()
    assert rows == [("life", "dining"), ("library", None), (None, None)]


def test_dropped_pages_are_kept_with_their_reasons(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path, DIMS, threads=1) as builder:
        builder.add([a_page(1, "a chunk")], unit_vectors(1))
        builder.add_drops([Drop("https://example.edu/x", "short", "Only 12 characters.")])
        builder.add_drops([])
        builder.finish()
    with connect(tmp_path / "index.duckdb", read_only=True, threads=1) as connection:
        assert connection.execute("FROM dropped").fetchall() == [
            ("https://example.edu/x", "short", "Only 12 characters.")
        ]


def test_the_small_colleges_dropped_pages_are_in_its_snapshot(index: Index) -> None:
    rows = index.snapshot.rows("SELECT url, reason FROM dropped ORDER BY url")
    assert [(url.rpartition("example")[2], reason) for url, reason in rows] == [
        ("/archive/2019", "archive"), ("/copy", "duplicate"), ("/staff/a-moor", "short"),
    ]  # fmt: skip


def test_the_vocabulary_counts_chunks_and_leaves_out_numbers_and_short_words(tmp_path: Path) -> None:
    index = opened(tmp_path / "s", ["Libraries, libraries of 2026", "no libraries", "ox"])
    rows = dict(index.snapshot.rows("SELECT word, chunks FROM words"))
    assert rows == {"libraries": 2, "page": 3}


def test_the_letters_of_a_word_are_a_bit_each(tmp_path: Path) -> None:
    """Another order of letters, or one more often, is the same set."""
    index = opened(tmp_path / "s", ["abba baba azure"])
    letters = dict(index.snapshot.rows("SELECT word, letters FROM words"))
    assert letters["abba"] == letters["baba"] == 0b11
    assert letters["azure"] == sum(1 << "abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "azure")


def test_every_term_has_its_own_postings_in_order(index: Index) -> None:
    """One after the other, together the whole file, each by chunk, and of chunks that have the word, or whose
    page is said to have it."""
    terms = index.snapshot.rows("SELECT first, chunks, term FROM terms ORDER BY first")
    postings = index.snapshot.postings
    assert [first for first, _, _ in terms] == np.cumsum([0, *(n for _, n, _ in terms)])[:-1].tolist()
    assert terms[-1][0] + terms[-1][1] == len(postings)
    rows = index.snapshot.rows(
        "SELECT url, concat_ws(' ', chunks.title, heading, text, array_to_string(anchors, ' '), description) "
        "FROM chunks JOIN pages USING (page_id) ORDER BY chunk_id"
    )
    stems = index.text.stems([f"{text} {address_words(url)}" for url, text in rows])
    for first, chunks, term in terms:
        ids = postings[first : first + chunks]["chunk_id"].tolist()
        assert ids == sorted(set(ids))
        assert all(term in stems[i] for i in ids)


def test_a_snapshot_of_nothing_is_finished_without_indexes(tmp_path: Path) -> None:
    with SnapshotBuilder(tmp_path, DIMS, threads=1) as builder:
        assert builder.finish() == (0, 0)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be written"):
        SnapshotBuilder(tmp_path / "nowhere", DIMS)


def test_a_texts_hash_is_the_same_in_every_process() -> None:
    assert text_hash("library hours") == 17629170680938341843
    assert text_hash("library hours") != text_hash("library hour")
