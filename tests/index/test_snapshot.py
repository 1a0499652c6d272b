from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from server.errors import SnapshotError
from server.index import snapshot as snapshot_module
from server.index.search import Index
from server.index.snapshot import INDEX_FILE, DatabaseError, Manifest, Snapshot, connect
from tests.index.small_index import DIMS, build, manifest

TEXTS = ["The library opens at eight.", "The pool opens at six."]

# Opens the snapshot, says so, and holds it until its standard input ends.
HOLDER = """
import sys
from pathlib import Path
from server.index.search import Index
index = Index(Path(sys.argv[1]), threads=1)
print(index.keyword.search("library", 5)[0].chunk_id, flush=True)
sys.stdin.read()
print(index.keyword.search("pool", 5)[0].chunk_id, flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build(tmp_path / "one", TEXTS)


def open_files(path: Path) -> int:
    return sum(link.resolve() == path for link in Path("/proc/self/fd").iterdir() if link.is_symlink())


def test_the_manifest_says_what_the_file_says(folder: Path) -> None:
    table = json.loads((folder / "manifest.json").read_text())
    assert Manifest.read(folder).as_json() == table


@pytest.mark.parametrize("content", [None, "not json", "[]", '{"format": 1}', '{"surprise": 1}', b"\xff"])
def test_a_manifest_that_cannot_be_read_is_a_snapshot_error(
    folder: Path, content: str | bytes | None
) -> None:
    path = folder / "manifest.json"
    path.unlink()
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SnapshotError, match=r"'one' has no readable manifest\.json"):
        Snapshot(folder)


def test_another_format_asks_for_a_new_index(folder: Path) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest(folder, format=99)))
    with pytest.raises(SnapshotError, match=r"format 99; this Lodge reads 4\. Run `lodge index` again"):
        Snapshot(folder)


@pytest.mark.parametrize("damage", ["missing", "no database"])
def test_an_index_file_that_is_missing_or_none_is_a_snapshot_error(folder: Path, damage: str) -> None:
    (folder / "index.duckdb").unlink()
    if damage == "no database":
        (folder / "index.duckdb").write_bytes(b"something else" * 1000)
    with pytest.raises(SnapshotError, match=r"index\.duckdb in 'one' cannot be opened"):
        Snapshot(folder)


@pytest.mark.parametrize("rows", [None, 1, 3])
def test_a_vectors_file_that_is_missing_or_of_another_length_is_a_snapshot_error(
    folder: Path, rows: int | None
) -> None:
    path = folder / "vectors.f32"
    row = path.read_bytes()[: 4 * DIMS]
    path.unlink()
    if rows:
        path.write_bytes(row * rows)
    with pytest.raises(SnapshotError, match=r"vectors\.f32 in 'one' does not have 2 rows"):
        Snapshot(folder)


def test_vectors_are_those_of_the_table_and_cannot_be_written_to(index: Index) -> None:
    rows = index.snapshot.rows("SELECT embedding FROM vectors ORDER BY chunk_id")
    assert np.array_equal(index.snapshot.vectors, np.array([row for (row,) in rows], dtype=np.float32))
    with pytest.raises(ValueError, match="read-only"):
        index.snapshot.vectors[0, 0] = 1


def test_a_column_of_numbers_comes_as_an_array(folder: Path) -> None:
    snapshot = Snapshot(folder, threads=1)
    found = snapshot.column("SELECT chunk_id FROM chunks WHERE chunk_id >= ? ORDER BY chunk_id", [1])
    assert found.dtype == np.int32
    assert found.tolist() == [1]
    assert snapshot.column("SELECT chunk_id FROM chunks WHERE chunk_id > 9").tolist() == []


def test_every_cursor_has_the_connections_settings(folder: Path) -> None:
    """A cursor is a connection of its own: what is set for the session alone does not reach it."""
    snapshot = Snapshot(folder, threads=1)
    sql = "SELECT current_setting('hnsw_ef_search')"
    with ThreadPoolExecutor(1) as pool:
        assert snapshot.rows(sql) == pool.submit(snapshot.rows, sql).result() == [(500,)]


def test_a_search_does_not_look_for_pandas_again_at_every_value(folder: Path) -> None:
    """DuckDB's client would, most of all where pandas is not installed: so it is not, here."""
    script = """
import sys
from pathlib import Path
from server.index.search import Index

class NoPandas:
    asked = 0
    def find_spec(self, name, *_):
        if name == "pandas":
            NoPandas.asked += 1
            raise ModuleNotFoundError(name="pandas")

sys.meta_path.insert(0, NoPandas())
index = Index(Path(sys.argv[1]), threads=1)
print(len(index.snapshot.passages([0, 1])), NoPandas.asked)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["2", "0"]


def test_a_search_does_not_import_pandas(folder: Path) -> None:
    """DuckDB's client would, at its first parameter; afterwards there is no trace of what kept it away."""
    script = (
        "import sys; from pathlib import Path; from server.index.search import Index\n"
        "print([hit.chunk_id for hit in Index(Path(sys.argv[1]), threads=1).keyword.search('pool', 5)])\n"
        "print('pandas' in sys.modules, 'pyarrow' in sys.modules)\n"
        "import pandas; print(pandas.DataFrame({'a': [1]}).a.sum())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["[1]", "False False", "1"]


def test_passages_carry_their_page_and_an_unknown_id_is_left_out(index: Index) -> None:
    passages = index.snapshot.passages([0, 1, 9999])
    assert sorted(passages) == [0, 1]
    first = passages[0]
    assert (first.chunk_id, first.url, first.title) == (
        0,
        "https://www.brackwater.example/tuition",
        "Tuition and fees",
    )
    assert first.heading == "Undergraduate tuition"
    assert first.text.startswith("Undergraduate tuition for residents")
    assert (first.lang, first.fetched_at) == ("en", "2026-05-01T10:00:00+00:00")


def test_passages_say_how_near_their_page_is_to_the_front_door(folder: Path) -> None:
    with connect(folder / INDEX_FILE, read_only=False, threads=1) as database:
        database.execute("UPDATE pages SET nearer = 2 WHERE page_id = 0")
    passages = Snapshot(folder, threads=1).passages([0, 1])
    assert [passages[0].nearer, passages[1].nearer] == [2, None]


def test_of_a_snapshot_made_before_distances_were_counted_none_is_known(folder: Path) -> None:
    with connect(folder / INDEX_FILE, read_only=False, threads=1) as database:
        database.execute("ALTER TABLE pages DROP COLUMN nearer")
    assert Snapshot(folder, threads=1).passages([0])[0].nearer is None


def test_urls_are_those_of_the_pages(folder: Path) -> None:
    assert Snapshot(folder, threads=1).urls() == {"https://example.edu/0", "https://example.edu/1"}


def test_a_snapshot_cannot_be_written_to(folder: Path) -> None:
    with pytest.raises(DatabaseError, match="read-only"):
        Snapshot(folder, threads=1).rows("DELETE FROM chunks")


def test_nothing_is_fetched_or_loaded_that_did_not_come_as_a_package(folder: Path) -> None:
    with connect(folder / "index.duckdb", read_only=True, threads=1) as connection:
        loaded = connection.execute(
            "SELECT extension_name FROM duckdb_extensions() "
            "WHERE loaded AND install_mode IS DISTINCT FROM 'STATICALLY_LINKED'"
        ).fetchall()
    assert {name for (name,) in loaded} == {"fts", "vss"}
    with (
        pytest.raises(DatabaseError),
        connect(folder / "index.duckdb", read_only=True, threads=1) as connection,
    ):
        connection.execute("SELECT * FROM read_xlsx('x.xlsx')")


def test_an_extension_that_was_tampered_with_is_not_loaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tampered(name: str) -> Path:
        file = tmp_path / f"{name}.duckdb_extension"
        data = bytearray(its_own(name).read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        return file

    its_own = snapshot_module._extension_file
    monkeypatch.setattr(snapshot_module, "_extension_file", tampered)
    snapshot_module._signed_extensions.cache_clear()
    with pytest.raises(SnapshotError, match="cannot be opened") as error:
        connect(folder / "index.duckdb", read_only=True, threads=1)
    assert "signature" in str(error.value.__cause__)


def test_many_threads_ask_one_snapshot_at_once(folder: Path) -> None:
    snapshot = Snapshot(folder, threads=1)
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda i: snapshot.passages([i % 2])[i % 2].text, range(200)))
    assert texts == TEXTS * 100


def test_two_processes_have_the_same_snapshot_open_at_once(folder: Path) -> None:
    index = Index(folder, threads=1)
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdin
        assert other.stdout.readline() == "0\n"
        assert index.keyword.search("pool", 5)[0].chunk_id == 1
        other.stdin.close()
        assert other.stdout.readline() == "1\n"
    assert other.returncode == 0


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files in /proc")
def test_close_lets_go_of_the_file_whichever_threads_used_it(folder: Path) -> None:
    snapshot = Snapshot(folder, threads=1)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(snapshot.passages, [[0]] * 20))
        assert open_files(folder / "index.duckdb") > 0
        snapshot.close()
        assert open_files(folder / "index.duckdb") == 0


def test_no_query_draws_its_progress_on_standard_output(tmp_path: Path) -> None:
    asked = "SELECT value FROM duckdb_settings() WHERE name = 'enable_progress_bar'"
    with connect(tmp_path / "new.duckdb", read_only=False, threads=1) as connection:
        for one in (connection, connection.cursor()):
            assert one.execute(asked).fetchall() == [("false",)]
