"""Writes the files that a new snapshot is searched by, and checks them before anyone can see it.

`index.duckdb` has pages, chunks, vectors with HNSW, full text and vocabulary; `vectors.f32` has the vectors
once more, as the exact scan reads them, `postings.bin` the weights of words, as the keyword search does, and
`tokens.i8` the vectors of words, as late interaction does.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types

from server.errors import SnapshotError, StorageError
from server.index.acronyms import Acronyms
from server.index.fields import COUNT, POSTINGS, WEIGH, address_words
from server.index.late_interaction import NONE, TokenVectors, TokenWriter
from server.index.search import Index
from server.index.snapshot import (
    INDEX_FILE,
    POSTING,
    POSTINGS_FILE,
    VECTORS_FILE,
    DatabaseError,
    Vectors,
    connect,
)
from server.index.text import Synonym, searchable, spanish_stop_words
from server.models import CalendarEntry, Chunk, Deadline, Document, Drop, OpeningHours

POSTINGS_AT_ONCE = 1_000_000

_PAGE_COLUMNS = ("url", "title", "lang", "published", "modified", "fetched_at")
_CHUNK_COLUMNS = ("title", "heading", "text")

_TABLES = """
CREATE TABLE pages (
    page_id INTEGER PRIMARY KEY, url VARCHAR, title VARCHAR, lang VARCHAR,
    published VARCHAR, modified VARCHAR, fetched_at VARCHAR, archived BOOLEAN, terms VARCHAR[],
    host VARCHAR, description VARCHAR, kind VARCHAR, audiences VARCHAR[],
    topic VARCHAR, subtopic VARCHAR, anchors VARCHAR[], nearer INTEGER
);
CREATE TABLE chunks (
    chunk_id INTEGER PRIMARY KEY, page_id INTEGER, ordinal INTEGER,
    title VARCHAR, heading VARCHAR, text VARCHAR, terms VARCHAR[], page INTEGER,
    line_kinds VARCHAR[]
);
CREATE TABLE vectors (chunk_id INTEGER, text_hash UBIGINT, embedding FLOAT[{dims}]);
CREATE TABLE calendar (
    "first" DATE, "last" DATE, name VARCHAR, url VARCHAR, terms VARCHAR[], chunk_id INTEGER, line VARCHAR
);
CREATE TABLE opening_hours (
    place VARCHAR, part VARCHAR, context VARCHAR, own BOOLEAN, weekdays INTEGER[], spans INTEGER[],
    "first" DATE, "last" DATE, conditions VARCHAR[], url VARCHAR, chunk_id INTEGER, line VARCHAR
);
CREATE TABLE deadlines (
    day DATE, kind VARCHAR, label VARCHAR, "column" VARCHAR, context VARCHAR,
    url VARCHAR, chunk_id INTEGER, line VARCHAR
);
CREATE TABLE synonyms (words VARCHAR[], asked VARCHAR);
CREATE TABLE dropped (url VARCHAR, reason VARCHAR, detail VARCHAR);
"""

# Of the extension's index only its tokeniser and its list of stop words are used (`server/index/fields.py`).
_TOKENISER = """
PRAGMA create_fts_index(
    'chunks', 'chunk_id', 'title', 'heading', 'text',
    stemmer = 'porter', stopwords = 'english', ignore = '[^a-z0-9]+'
)
"""

_WORDS = """
CREATE TABLE words AS
SELECT word, count(DISTINCT chunk_id) AS chunks, list_aggregate(list_transform(
    string_split(word, ''), lambda letter: (1 << ascii(letter) - ascii('a'))::UINTEGER), 'bit_or') AS letters
FROM (
    SELECT chunk_id, unnest(fts_main_chunks.tokenize(searchable(texts))) AS word
    FROM (SELECT chunk_id, concat_ws(' ', title, heading, text) AS texts FROM chunks)
)
WHERE length(word) >= 3 AND regexp_full_match(word, '[a-z]+') GROUP BY word ORDER BY word;
"""

# Twice the default connections and effort: with the defaults recall@10 of stored vectors was 0.93 at 15,000.
_HNSW = """
CREATE INDEX hnsw ON vectors USING HNSW (embedding)
WITH (metric = 'cosine', ef_construction = 256, M = 32, M0 = 64)
"""


def text_hash(text: str) -> int:
    """64 bits of a text, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


class SnapshotBuilder:
    """Fills the files, a batch at a time; `finish` comes last. Use it as a context manager.

    `seconds` says how long each index took to make, once it is made.
    """

    def __init__(self, folder: Path, dims: int, threads: int = 2) -> None:
        self.seconds: dict[str, float] = {}
        self._folder = folder
        self._connection = connect(folder / INDEX_FILE, read_only=False, threads=threads)
        self._connection.create_function("searchable", searchable, ["VARCHAR"], "VARCHAR")
        self._vectors = (folder / VECTORS_FILE).open("xb")
        self._tokens = TokenWriter(folder)
        self._run(_TABLES.format(dims=dims))
        self._run(_TOKENISER)
        self._dims = dims
        self._acronyms = Acronyms()
        self._pages = 0
        self._chunks = 0

    def __enter__(self) -> SnapshotBuilder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._vectors.close()
        self._tokens.close()

    def add(
        self,
        pages: Sequence[tuple[Document, Sequence[Chunk]]],
        vectors: Vectors,
        tokens: Sequence[TokenVectors] = (),
    ) -> None:
        """Some pages with their chunks, and a unit vector for each chunk in the same order.

        So are `tokens`, the vectors of their words; none given: they have none.
        """
        chunks = [
            (page_id, chunk)
            for page_id, (_, page_chunks) in enumerate(pages, self._pages)
            for chunk in page_chunks
        ]
        for _, page_chunks in pages:
            self._acronyms.add_page(chunk.text for chunk in page_chunks)
        ids = pa.array(range(self._chunks, self._chunks + len(chunks)), pa.int32())
        page_ids = pa.array(range(self._pages, self._pages + len(pages)), pa.int32())
        unknown = pa.nulls(len(pages), pa.string())  # all three are known once every page is
        documents = [document for document, _ in pages]
        columns = [
            *_columns(documents, _PAGE_COLUMNS),
            pa.array([document.archived for document in documents], pa.bool_()),
            _texts_of(document.terms for document in documents),
            pa.array([urlsplit(document.url).netloc for document in documents], pa.string()),
            *_columns(documents, ("description", "kind")),
            _texts_of(document.audiences for document in documents),
        ]
        anchors = pa.nulls(len(pages), pa.list_(pa.string()))
        nearer = pa.nulls(len(pages), pa.int32())
        self._insert("pages", [page_ids, *columns, unknown, unknown, anchors, nearer])
        self._insert(
            "chunks",
            [
                ids,
                pa.array([page_id for page_id, _ in chunks], pa.int32()),
                pa.array([chunk.ordinal for _, chunk in chunks], pa.int32()),
                *_columns([chunk for _, chunk in chunks], _CHUNK_COLUMNS),
                _texts_of(chunk.terms for _, chunk in chunks),
                pa.array([chunk.page for _, chunk in chunks], pa.int32()),
                _texts_of(chunk.line_kinds for _, chunk in chunks),
            ],
        )
        self._add_days(pages)
        hashes = pa.array([text_hash(chunk.indexed_text) for _, chunk in chunks], pa.uint64())
        flat = np.ascontiguousarray(vectors, dtype="<f4").reshape(-1)
        columns = [ids, hashes, pa.FixedSizeListArray.from_arrays(pa.array(flat), self._dims)]
        self._insert("vectors", columns)
        self._write(flat, tokens or [NONE] * len(chunks))
        self._pages += len(pages)
        self._chunks += len(chunks)

    def _add_days(self, pages: Sequence[tuple[Document, Sequence[Chunk]]]) -> None:
        """What calendars say, the opening hours and the deadlines of pages, each with its chunk's id in the
        snapshot."""
        told: list[CalendarEntry] = []
        hours: list[OpeningHours] = []
        deadlines: list[Deadline] = []
        first = self._chunks
        for document, chunks in pages:
            told += (
                one if one.chunk_id < 0 else replace(one, chunk_id=first + one.chunk_id)
                for one in document.calendar
            )
            hours += (replace(one, chunk_id=first + one.chunk_id) for one in document.hours)
            deadlines += (replace(one, chunk_id=first + one.chunk_id) for one in document.deadlines)
            first += len(chunks)
        self._insert(
            "calendar",
            [
                *(pa.array([getattr(one, end) for one in told], pa.date32()) for end in ("first", "last")),
                *_columns(told, ("name", "url")),
                _texts_of(one.terms for one in told),
                pa.array([one.chunk_id for one in told], pa.int32()),
                *_columns(told, ("line",)),
            ],
        )
        self._insert("opening_hours", hours_columns(hours))
        self._insert(
            "deadlines",
            [
                pa.array([one.day for one in deadlines], pa.date32()),
                *_columns(deadlines, ("kind", "label", "column", "context", "url")),
                pa.array([one.chunk_id for one in deadlines], pa.int32()),
                *_columns(deadlines, ("line",)),
            ],
        )

    def add_drops(self, drops: Sequence[Drop]) -> None:
        """Pages that were left out, with their reasons."""
        self._insert("dropped", _columns(drops, ("url", "reason", "detail")))

    def set_topics(self, topics: Mapping[str, tuple[str | None, str | None]]) -> None:
        """The topic and sub-topic of pages added before, by URL; None: of none."""
        pairs = list(topics.values())
        columns = (list(topics), [topic for topic, _ in pairs], [subtopic for _, subtopic in pairs])
        self._with_batch(
            [pa.array(column, pa.string()) for column in columns],
            "UPDATE pages SET topic = c1, subtopic = c2 FROM batch WHERE url = c0",
        )

    def set_anchors(self, anchors: Mapping[str, Sequence[str]]) -> None:
        """The link texts that point to pages added before, by URL, the most frequent first."""
        self._with_batch(
            [pa.array(list(anchors), pa.string()), _texts_of(anchors.values())],
            "UPDATE pages SET anchors = c1 FROM batch WHERE url = c0",
        )

    def set_nearer(self, nearer: Mapping[str, int]) -> None:
        """How many pages are nearer to the front door than pages added before, by URL."""
        self._with_batch(
            [pa.array(list(nearer), pa.string()), pa.array(nearer.values(), pa.int32())],
            "UPDATE pages SET nearer = c1 FROM batch WHERE url = c0",
        )

    def set_synonyms(self, synonyms: Sequence[Synonym]) -> None:
        """What the pages themselves say means the same: "grade point average (GPA)"."""
        words = _texts_of(synonym.words for synonym in synonyms)
        self._insert("synonyms", [words, pa.array([synonym.asked for synonym in synonyms], pa.string())])

    def finish(self) -> tuple[int, int]:
        """Index everything and write it all to the file; how many pages and chunks there are."""
        self.set_synonyms(self._acronyms.synonyms())
        if self._chunks:
            self._timed("full_text", self._index_words)
            self._timed("hnsw", lambda: self._run(_HNSW))
        self._run("CHECKPOINT")
        self._vectors.close()
        self._tokens.close()
        return self._pages, self._chunks

    def _timed(self, name: str, act: Callable[[], None]) -> None:
        start = time.perf_counter()
        act()
        self.seconds[name] = round(time.perf_counter() - start, 3)

    def _index_words(self) -> None:
        pages = self._connection.execute("SELECT page_id, url FROM pages").fetchall()
        self._with_batch(
            [
                pa.array([page for page, _ in pages], pa.int32()),
                _texts(address_words(url) for _, url in pages),
            ],
            "CREATE TEMP TABLE addresses AS SELECT c0 AS page_id, c1 AS words FROM batch",
        )
        self._with_batch(
            [_texts(spanish_stop_words())],
            "CREATE TEMP TABLE spanish_stop_words AS SELECT c0 AS word FROM batch",
        )
        self._run(COUNT + WEIGH + _WORDS)
        try:
            with (self._folder / POSTINGS_FILE).open("xb") as file:
                for batch in self._connection.execute(POSTINGS).to_arrow_reader(POSTINGS_AT_ONCE):
                    rows = np.empty(len(batch), POSTING)
                    for name in POSTING.names or ():
                        rows[name] = batch.column(name).to_numpy()
                    file.write(rows.data)
        except (DatabaseError, OSError) as error:
            raise StorageError(f"The new snapshot could not be written: {error}") from error

    def _write(self, flat: Vectors, tokens: Sequence[TokenVectors]) -> None:
        try:
            self._vectors.write(flat.data)
            self._tokens.add(tokens)
        except OSError as error:
            raise StorageError(f"The new snapshot could not be written: {error.strerror}.") from error

    def _insert(self, table: str, columns: list[pa.Array]) -> None:
        self._with_batch(columns, f"INSERT INTO {table} SELECT * FROM batch")  # noqa: S608 - our own names

    def _with_batch(self, columns: list[pa.Array], sql: str) -> None:
        """Run `sql` while the columns are at hand as the table `batch`: c0, c1, …"""
        batch = pa.table(columns, names=[f"c{i}" for i in range(len(columns))])
        self._connection.register("batch", batch)
        self._run(sql)
        self._connection.unregister("batch")

    def _run(self, sql: str) -> None:
        try:
            self._connection.execute(sql)
        except DatabaseError as error:
            raise StorageError(f"The new snapshot could not be written: {error}") from error


def _texts(items: Iterable[str]) -> pa.Array:
    return pa.array(list(items), pa.string())


def _texts_of(items: Iterable[Sequence[str]]) -> pa.Array:
    """A column whose every value is a list of texts."""
    return pa.array([list(item) for item in items], pa.list_(pa.string()))


def hours_columns(hours: Sequence[OpeningHours]) -> list[pa.Array]:
    """The columns of the table of opening hours; spans one after the other, start and end."""
    numbers = pa.list_(pa.int32())
    spans = [None if one.spans is None else [end for span in one.spans for end in span] for one in hours]
    return [
        *_columns(hours, ("place", "part", "context")),
        pa.array([one.own for one in hours], pa.bool_()),
        pa.array([list(one.weekdays) for one in hours], numbers),
        pa.array(spans, numbers),
        *(pa.array([getattr(one, end) for one in hours], pa.date32()) for end in ("first", "last")),
        _texts_of(one.when for one in hours),
        *_columns(hours, ("url",)),
        pa.array([one.chunk_id for one in hours], pa.int32()),
        *_columns(hours, ("line",)),
    ]


def _columns(records: Sequence[object], names: Sequence[str]) -> list[pa.Array]:
    return [pa.array([getattr(record, name) for record in records], pa.string()) for name in names]


SAMPLE = 50
OF_A_PAGE = 3  # of the sample; a page of thousands of odd passages says nothing about the others
TOP = 10


def verify(index: Index, *, min_hnsw_recall: float) -> dict[str, float]:
    """Counts, self-queries and HNSW recall of a finished snapshot; `SnapshotError` says which check failed.

    Shares are 0 to 1: `self_vector` and `self_keyword` of sampled chunks found among the top 10 for their own
    vector or text; `hnsw_recall` is recall@10 against the exact scan (Malkov & Yashunin 2016, section 5),
    which stops only a snapshot that is large enough to be searched by HNSW.
    """
    manifest, rows = index.snapshot.manifest, index.snapshot.rows
    for table, expected in (
        ("pages", manifest.pages),
        ("chunks", manifest.chunks),
        ("vectors", manifest.chunks),
    ):
        ((found,),) = rows(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own table names
        if found != expected:
            raise SnapshotError(
                f"The new snapshot has {found} rows of {table} where {expected} were written."
            )
    sample = rows(
        "SELECT chunk_id, text, embedding FROM chunks JOIN vectors USING (chunk_id) WHERE chunk_id IN ("
        "SELECT chunk_id FROM chunks "
        "QUALIFY row_number() OVER (PARTITION BY page_id ORDER BY hash(chunk_id)) <= ? "
        "ORDER BY hash(chunk_id) LIMIT ?) ORDER BY hash(chunk_id)",
        [OF_A_PAGE, SAMPLE],
    )
    by_vector, by_keyword, recalls = [], [], []
    for chunk_id, text, embedding in sample:
        vector = np.asarray(embedding, dtype=np.float32)
        exact = index.vector.exact(vector, TOP)
        near = {hit.chunk_id for hit in index.vector.hnsw(vector, TOP)}
        # A chunk that stands twice is found by either copy, hence the score and not the id.
        by_vector.append(exact[0].score > 0.999)
        by_keyword.append(chunk_id in {hit.chunk_id for hit in index.keyword.search(text, TOP)})
        recalls.append(len(near & {hit.chunk_id for hit in exact}) / len(exact))
    checks = {
        "self_vector": float(np.mean(by_vector)),
        "self_keyword": float(np.mean(by_keyword)),
        "hnsw_recall": float(np.mean(recalls)),
    }
    least = {
        "self_vector": 0.99,
        "self_keyword": 0.5,
        "hnsw_recall": min_hnsw_recall if index.vector.uses_hnsw else 0.0,
    }
    for name, value in checks.items():
        if value < least[name]:
            raise SnapshotError(
                f"The new snapshot failed its check {name}: {value:.3f}, at least {least[name]}."
            )
    return checks
