from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.errors import SnapshotError
from server.index.build import text_hash
from server.index.search import Index
from server.index.snapshot import DatabaseError, connect
from server.inference.encoders import Embedder
from tests.index.small_index import build


def test_the_embedder_that_built_the_snapshot_is_accepted(index: Index, embedder: Embedder) -> None:
    index.require_embedder(embedder.name, embedder.sha256, embedder.projection_sha256)
    assert index.vector.tokens
    assert index.snapshot.manifest.embedder == embedder.name


def test_another_embedder_is_an_error_that_names_both(index: Index) -> None:
    with pytest.raises(
        SnapshotError, match=r"'minilm-l6-int8', but 'bge-small'.*LODGE_EMBEDDER.*lodge index"
    ):
        index.require_embedder("bge-small", "f" * 64)


def test_the_same_name_with_another_model_file_is_an_error(index: Index, embedder: Embedder) -> None:
    with pytest.raises(SnapshotError, match=r"another model file of it is here now.*lodge index"):
        index.require_embedder(embedder.name, "f" * 64)


def test_stored_vectors_are_found_by_the_hash_of_the_indexed_text(index: Index) -> None:
    rows = index.snapshot.rows("SELECT text_hash, embedding FROM vectors ORDER BY chunk_id LIMIT 2")
    stored = index.stored_vectors([rows[0][0], rows[1][0], text_hash("never indexed")])
    assert {key: vector.tolist() for key, (vector, _) in stored.items()} == {
        key: list(value) for key, value in rows
    }
    assert all(vector.dtype == np.float32 for vector, _ in stored.values())
    words = [tokens for _, tokens in stored.values()]
    assert [len(tokens) > 1 for tokens in words] == [True, True]
    assert [tokens.tolist() for tokens in words] == [index.vector.tokens.of(i).tolist() for i in (0, 1)]
    assert index.stored_vectors([]) == {}


def test_words_vectors_of_another_projection_are_left_aside(
    snapshot_folder: Path, embedder: Embedder
) -> None:
    index = Index(snapshot_folder, threads=1)
    question = embedder.encode_question("When is the library open?")[1]
    assert index.vector.late_interaction(question, [0, 1])
    index.require_embedder(embedder.name, embedder.sha256, "0" * 64)
    assert not index.vector.late_interaction(question, [0, 1])
    assert index.keyword.search("library", 1)
    index.close()


def test_its_name_is_the_manifests(tmp_path: Path) -> None:
    assert Index(build(tmp_path / "20260501-100000", ["a text"])).name == "20260501-100000"


def test_a_closed_one_cannot_be_asked(tmp_path: Path) -> None:
    index = Index(build(tmp_path / "s", ["a text"]))
    index.keyword.search("text", 1)
    index.close()
    with pytest.raises(DatabaseError):
        index.keyword.search("zeppelin", 1)


def test_one_without_its_tables_is_an_error_that_names_it(snapshot_folder: Path, tmp_path: Path) -> None:
    for name in ("manifest.json", "vectors.f32"):
        (tmp_path / name).write_bytes((snapshot_folder / name).read_bytes())
    connect(tmp_path / "index.duckdb", read_only=False, threads=1).close()
    with pytest.raises(SnapshotError, match=f"'{snapshot_folder.name}' does not hold"):
        Index(tmp_path)


@pytest.mark.parametrize("damage", ["missing", "cut short"])
def test_one_without_all_its_postings_is_an_error_that_names_it(tmp_path: Path, damage: str) -> None:
    folder = build(tmp_path / "s", ["a text of several words"])
    postings = (folder / "postings.bin").read_bytes()
    (folder / "postings.bin").unlink()
    if damage == "cut short":
        (folder / "postings.bin").write_bytes(postings[:-1])
    with pytest.raises(SnapshotError, match="'s' does not hold"):
        Index(folder)
