"""One published snapshot, opened read-only: the only import of duckdb.

A snapshot is a folder that never changes: `index.duckdb`, `vectors.f32`, `postings.bin`, `manifest.json`, and
the classifiers made of its pages. Several processes and threads may have it open at once.
"""

from __future__ import annotations

import importlib.util
import json
import math
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from server.errors import SnapshotError, StorageError
from server.models import CalendarEntry, Deadline, OpeningHours, PageFacts, Passage

DatabaseError = duckdb.Error

Vectors = npt.NDArray[np.float32]

FORMAT = 4
INDEX_FILE = "index.duckdb"
VECTORS_FILE = "vectors.f32"  # little-endian float32, a row of the manifest's `dims` for each chunk id from 0
POSTINGS_FILE = (
    "postings.bin"  # rows of `POSTING`, term after term as the table `terms` has them, by chunk id
)
POSTING = np.dtype([("chunk_id", "<i4"), ("weight", "<f4")])
MANIFEST_FILE = "manifest.json"


# The first ten characters of an ISO 8601 time are its day.
_PAGE_FACTS = """
SELECT page_id, url, any_value(pages.title), left(any_value(coalesce(modified, published)), 10),
       sum(length(text))::INTEGER, any_value(topic)
FROM pages JOIN chunks USING (page_id) GROUP BY page_id, url ORDER BY page_id
"""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot was made of and with; `manifest.json` to the letter.

    `files`: the SHA-256 of each other file (`fingerprints.py`).
    """

    format: int
    name: str
    created_at: str
    embedder: str
    embedder_sha256: str
    dims: int
    parameters: Mapping[str, Any]
    pages: int
    chunks: int
    dropped: Mapping[str, int]
    checks: Mapping[str, float]
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of the snapshot in `folder`; `SnapshotError` when it is missing or not ours."""
        try:
            table = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
            manifest = cls(**table)
        except (OSError, ValueError, TypeError) as error:
            raise SnapshotError(f"The snapshot {folder.name!r} has no readable {MANIFEST_FILE}.") from error
        if manifest.format != FORMAT:
            raise SnapshotError(
                f"The snapshot {folder.name!r} has format {manifest.format}; this Lodge reads {FORMAT}. "
                "Run `lodge index` again."
            )
        return manifest

    def as_json(self) -> dict[str, Any]:
        """The JSON object that `read` takes."""
        return asdict(self)


# Nothing but the two extensions is loaded, and nothing is fetched.
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def connect(path: Path, *, read_only: bool, threads: int) -> duckdb.DuckDBPyConnection:
    """A connection with both extensions loaded from their packages: no network, nothing written elsewhere."""
    config = {**_CLOSED, "threads": threads, "allow_unsigned_extensions": True}
    try:
        extensions = _signed_extensions()
        connection = duckdb.connect(str(path), read_only=read_only, config=config)
        # It would be drawn on standard output, which is for results (`--json`).
        connection.execute("SET enable_progress_bar = false")
        for extension in extensions:
            connection.execute(f"LOAD '{extension}'")
        # An HNSW index in a file is experimental while the file is written to; ours is finished first.
        connection.execute("SET hnsw_enable_experimental_persistence = true")
        # The default of 64 finds half of a question's true neighbours; this finds most, in a few ms more.
        connection.execute("SET GLOBAL hnsw_ef_search = 500")
        with _no_pandas():
            connection.execute("SELECT ?", [0])
    except duckdb.Error as error:
        if read_only:
            raise SnapshotError(f"{path.name} in {path.parent.name!r} cannot be opened.") from error
        raise StorageError(f"The new snapshot could not be written: {error}") from error
    return connection


@contextmanager
def _no_pandas() -> Iterator[None]:
    """Let DuckDB's client believe that pandas is loaded while it meets its first parameter.

    It compares every parameter, and every item of a list, with pandas' two missing values. Where pandas is
    installed it imports it for that, 66 MB and a second or two; where it is not, it searches the path for it
    again at each of them, 40 ms for a list of 200. It looks once in a process and keeps what it found, so
    data frames cannot be fetched afterwards. No setting and no kind of parameter keeps it from looking.
    """
    if "pandas" in sys.modules:
        yield
        return
    stand_in = ModuleType("pandas")
    stand_in.__dict__.update(NaT=object(), NA=object())
    sys.modules["pandas"] = stand_in
    try:
        yield
    finally:
        if sys.modules.get("pandas") is stand_in:
            del sys.modules["pandas"]


@cache
def _signed_extensions() -> Sequence[Path]:
    """The files of both extensions, signed by DuckDB's makers.

    That is looked at once a process: it takes a fifth of a second, more than all else in opening a snapshot.
    """
    files = [_extension_file(name) for name in ("fts", "vss")]
    with duckdb.connect(config=_CLOSED) as connection:
        for file in files:
            connection.execute(f"LOAD '{file}'")
    return files


def _extension_file(name: str) -> Path:
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        raise SnapshotError(f"The package duckdb-extension-{name} is not installed.")
    return Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"


def _map_file(path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """A file's rows, mapped: read when looked at, and held once for all processes."""
    size = path.stat().st_size if path.is_file() else None
    if size != math.prod(shape) * np.dtype(dtype).itemsize:
        raise SnapshotError(f"{path.name} in {path.parent.name!r} does not have {shape[0]} rows.")
    if not size:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, dtype, mode="r", shape=shape))


def _entry(first: date, last: date, name: str, url: str, *of_line: Any) -> CalendarEntry:
    """`of_line`: its terms, chunk and line, where the snapshot has them."""
    terms, chunk_id, line = of_line or ((), -1, "")
    return CalendarEntry(first, last, name, url, tuple(terms), chunk_id, line)


def _hours(*row: Any) -> OpeningHours:
    """A row of the table of opening hours; its spans stand one after the other."""
    place, part, context, own, weekdays, ends, first, last, when, url, chunk_id, line = row
    spans = None if ends is None else tuple(zip(ends[::2], ends[1::2], strict=True))
    days = (tuple(weekdays), spans, first, last, tuple(when))
    return OpeningHours(place, part, context, own, *days, url, chunk_id, line)


def placeholders(values: Sequence[object]) -> str:
    """A question mark for each value, to stand behind IN: for such a list a table is not read whole."""
    return ", ".join("?" * len(values)) or "NULL"


class Snapshot:
    """A snapshot open for reading. Thread-safe: each thread has its own cursor.

    `vectors` are the chunks' unit vectors of shape (chunks, dims), row i that of chunk i.
    """

    def __init__(self, folder: Path, threads: int = 2) -> None:
        self.folder = folder
        self.manifest = Manifest.read(folder)
        shape = (self.manifest.chunks, self.manifest.dims)
        self.vectors: Vectors = _map_file(folder / VECTORS_FILE, "<f4", shape)
        self._connection = connect(folder / INDEX_FILE, read_only=True, threads=threads)
        self._cursors = threading.local()

    @cached_property
    def postings(self) -> npt.NDArray[np.void]:
        """Rows of `POSTING`; `SnapshotError` when there are fewer or more than the terms say."""
        ((rows,),) = self.rows("SELECT coalesce(sum(chunks), 0)::BIGINT FROM terms")
        return _map_file(self.folder / POSTINGS_FILE, POSTING, (rows,))

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.manifest.name

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of one query."""
        return self._execute(sql, parameters).fetchall()

    def column(self, sql: str, parameters: Sequence[Any] = ()) -> npt.NDArray[np.int32]:
        """The one column of a query for whole numbers, without a Python object for each."""
        [column] = self._execute(sql, parameters).fetchnumpy().values()
        return np.asarray(column, dtype=np.int32)

    def passages(self, chunk_ids: Sequence[int]) -> dict[int, Passage]:
        """The passages of these chunks, by id; an unknown id is left out.

        Asked of one table after the other: a join would read every text there is. Of a list, for `IN` would
        make a join of it, too, whose blocks DuckDB's buffer pool remembers for long after they were freed.
        """
        columns = f"chunk_id, page_id, title, heading, text, terms, {self._page}, {self._line_kinds}"
        of_chunks = f"SELECT {columns} FROM chunks"  # noqa: S608 - our own names
        of_pages = f"SELECT page_id, url, lang, modified, fetched_at{self._sorts}, {self._nearer} FROM pages"  # noqa: S608 - our own names
        chunks = self.rows(f"{of_chunks} WHERE list_contains(?::INTEGER[], chunk_id)", [list(chunk_ids)])
        page_ids = list({page_id for _, page_id, *_ in chunks})
        found = self.rows(f"{of_pages} WHERE list_contains(?::INTEGER[], page_id)", [page_ids])
        pages = {page_id: row for page_id, *row in found}
        passages = {}
        for chunk_id, page_id, title, heading, text, terms, page, line_kinds in chunks:
            url, lang, modified, fetched_at, kind, audiences, nearer = pages[page_id]
            passages[chunk_id] = Passage(
                chunk_id=chunk_id,
                url=url,
                title=title,
                heading=heading,
                text=text,
                lang=lang,
                last_modified=modified,
                fetched_at=fetched_at,
                terms=tuple(terms),
                kind=kind,
                audiences=tuple(audiences),
                page=page,
                line_kinds=tuple(line_kinds),
                nearer=nearer,
            )
        return passages

    @cached_property
    def _page(self) -> str:
        """The column of a document's page; a snapshot made before there was any has none."""
        return "page" if "page" in self._columns("chunks") else "NULL"

    @cached_property
    def _nearer(self) -> str:
        """The column of the pages nearer to the front door; a snapshot made before there was any has none."""
        return "nearer" if "nearer" in self._columns("pages") else "NULL"

    @cached_property
    def _line_kinds(self) -> str:
        """The column of the blocks that lines are of; a snapshot made before there was any has none."""
        return "line_kinds" if "line_kinds" in self._columns("chunks") else "[]::VARCHAR[]"

    @cached_property
    def _sorts(self) -> str:
        """The columns of a page's kind and audiences; a snapshot made before there were any has none."""
        return ", kind, audiences" if self._describes_pages else ", 'reference', []::VARCHAR[]"

    @cached_property
    def page_fields(self) -> str:
        """The columns of what is said of a page, by links and by itself; older snapshots have none."""
        return ", anchors, description" if self._describes_pages else ", []::VARCHAR[], ''"

    @cached_property
    def _describes_pages(self) -> bool:
        return "kind" in self._columns("pages")

    def _columns(self, table: str) -> set[str]:
        return {name for (name,) in self.rows(f"SELECT column_name FROM (DESCRIBE {table})")}  # noqa: S608 - our own names

    def _has_table(self, name: str) -> bool:
        """Whether the snapshot has it: one that was made before there was any has not."""
        return bool(self.rows("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [name]))

    @cached_property
    def synonyms(self) -> tuple[tuple[tuple[str, ...], str | None], ...]:
        """What its own pages say means the same, as `Synonym` takes it; older snapshots have none."""
        is_there = self._has_table("synonyms")
        rows = self.rows("SELECT words, asked FROM synonyms ORDER BY rowid") if is_there else []
        return tuple((tuple(words), asked) for words, asked in rows)

    @cached_property
    def stems_by_language(self) -> bool:
        """Whether words were weighed by fields and stemmed by language; in older ones they were not."""
        return "frequency" in {name for (name,) in self.rows("SELECT column_name FROM (DESCRIBE terms)")}

    @cached_property
    def stems_spanish(self) -> bool:
        """Whether it has words that were stemmed as Spanish ones."""
        [(pages,)] = self.rows("SELECT count(*) FROM pages WHERE lang = 'es'")
        return self.stems_by_language and pages > 0

    @cached_property
    def hosts(self) -> Mapping[str, int]:
        """How many pages each host has."""
        return dict(self.rows("SELECT host, count(*) FROM pages WHERE host IS NOT NULL GROUP BY host"))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Every term that a page speaks of, by its name."""
        return frozenset(name for (name,) in self.rows("SELECT DISTINCT unnest(terms) FROM pages"))

    @cached_property
    def calendar(self) -> tuple[CalendarEntry, ...]:
        """What the site's own calendars say of days, the first days first.

        A snapshot made before any was learnt has none, and one of before their lines were kept no lines.
        """
        if not self._has_table("calendar"):
            return ()
        return tuple(sorted(_entry(*row) for row in self.rows("SELECT * FROM calendar")))

    @cached_property
    def hours(self) -> tuple[OpeningHours, ...]:
        """What its pages say of when places are open, as `OpeningHours`, page after page.

        A snapshot made before any were read has none.
        """
        if not self._has_table("opening_hours"):
            return ()
        return tuple(_hours(*row) for row in self.rows("SELECT * FROM opening_hours ORDER BY rowid"))

    @cached_property
    def deadlines(self) -> tuple[Deadline, ...]:
        """Days by which something is due, page after page; a snapshot made before any were read has none."""
        if not self._has_table("deadlines"):
            return ()
        return tuple(Deadline(*row) for row in self.rows("SELECT * FROM deadlines ORDER BY rowid"))

    @cached_property
    def page_facts(self) -> tuple[PageFacts, ...]:
        """What is known of each page, by page id."""
        return tuple(PageFacts(*row) for row in self.rows(_PAGE_FACTS))

    @cached_property
    def chunk_pages(self) -> npt.NDArray[np.int32]:
        """The page id of each chunk; shape (chunks,)."""
        return self.column("SELECT page_id FROM chunks ORDER BY chunk_id")

    def topics(self) -> dict[str | None, int]:
        """How many pages each topic has, the largest first; None: those without one."""
        return dict(self.rows("SELECT topic, count(*) AS n FROM pages GROUP BY topic ORDER BY n DESC, topic"))

    def link_texts(self, most: int) -> list[str]:
        """What links to its pages say, each text once; a snapshot made before there were any has none."""
        if not self._describes_pages:
            return []
        rows = self.rows("SELECT DISTINCT unnest(anchors) AS text FROM pages ORDER BY text LIMIT ?", [most])
        return [text for (text,) in rows]

    def urls(self) -> set[str]:
        """Every page's URL."""
        return {url for (url,) in self.rows("SELECT url FROM pages")}

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _execute(self, sql: str, parameters: Sequence[Any]) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._cursors, "cursor", None)
        if cursor is None:
            cursor = self._cursors.cursor = self._connection.cursor()
        return cursor.execute(sql, parameters)
