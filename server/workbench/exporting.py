"""Exchanges as a table in a file: CSV, JSON lines or Parquet, written piece by piece."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from litestar.openapi.datastructures import ResponseSpec

Row = Mapping[str, Any]
Rows = Sequence[Row]

# Column → its type in Parquet. `citations` are the addresses that the answer cites.
COLUMNS: Mapping[str, str] = {
    "conversation_id": "string",
    "site": "string",
    "asked_at": "string",
    "question": "string",
    "answer": "string",
    "refused": "bool",
    "refusal_reason": "string",
    "answerer": "string",
    "degraded": "string",
    "topic": "string",
    "citations": "list",
    "helpful": "bool",
    "reason": "string",
    "comment": "string",
    "strategy": "string",
    "snapshot": "string",
    "trace_id": "string",
    "total_ms": "double",
}

# With these, in any width or height, a cell begins that a spreadsheet takes for a formula; the others may
# move one into its neighbour.
_SIGNS = frozenset("=+-@|%\N{MINUS SIGN}")
_MOVING = "\t\r\n"
# Letters and a symbol by their category, blank to the eye: fillers of Hangul, the empty pattern of Braille.
_BLANK = "\u115f\u1160\u2800\u3164\uffa0"


def file_of(media_type: str, kind: Any, says: str) -> dict[int, ResponseSpec]:
    """A file that a route sends, for its description at `/schema`."""
    return {200: ResponseSpec(kind, generate_examples=False, media_type=media_type, description=says)}


def export_row(exchange: Row) -> dict[str, Any]:
    """A question and answer, as the records store gives them, by `COLUMNS`."""
    answer, given = exchange["answer"], exchange["feedback"] or {}
    row = {
        **dict.fromkeys(("helpful", "reason", "comment")),
        **exchange,
        **given,
        **{key: answer[key] for key in COLUMNS if key in answer},
        "asked_at": exchange["at"],
        "citations": [citation["url"] for citation in answer["citations"]],
        "total_ms": answer["timings_ms"].get("total"),
    }
    return {column: row[column] for column in COLUMNS}


def csv_file(columns: Sequence[str], rows: Rows) -> bytes:
    """A whole CSV file of these columns, as `as_csv` writes it."""
    lines = [list(columns), *([_cell(row[column]) for column in columns] for row in rows)]
    return b"\xef\xbb\xbf" + _csv_lines(lines)


def as_csv(batches: Iterable[Rows]) -> Iterator[bytes]:
    """UTF-8 with a byte order mark, which spreadsheets need to know it by; no cell is a formula."""
    yield b"\xef\xbb\xbf" + _csv_lines([list(COLUMNS)])
    for rows in batches:
        yield _csv_lines([_cell(value) for value in row.values()] for row in rows)


def as_jsonl(batches: Iterable[Rows]) -> Iterator[bytes]:
    """A JSON object a line."""
    for rows in batches:
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode(errors="replace")


def as_parquet(batches: Iterable[Rows]) -> Iterator[bytes]:
    """A row group a batch; what is written is handed on at once."""
    # A server that exports no Parquet need not load it. It ships no types.
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    types = {"string": pa.string(), "bool": pa.bool_(), "double": pa.float64(), "list": pa.list_(pa.string())}
    schema = pa.schema([(column, types[kind]) for column, kind in COLUMNS.items()])
    sink = _Pieces()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for rows in batches:
            writer.write_table(pa.Table.from_pylist(list(rows), schema=schema))
            yield sink.taken()
    yield sink.taken()


# Format → how it is written, and its media type.
FORMATS: Mapping[str, tuple[Callable[[Iterable[Rows]], Iterator[bytes]], str]] = {
    "csv": (as_csv, "text/csv"),  # Litestar adds the charset
    "jsonl": (as_jsonl, "application/jsonl"),
    "parquet": (as_parquet, "application/vnd.apache.parquet"),
}


class _Pieces(io.RawIOBase):
    """A file that only grows; what has been written is taken out of it piece by piece."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        """It is written to."""
        return True

    def write(self, data: Any) -> int:
        """Keep a copy: the buffer is the writer's."""
        self._pieces.append(bytes(data))
        self._written += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        """How much has been written in all."""
        return self._written

    def taken(self) -> bytes:
        """What has been written since the last time."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _csv_lines(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue().encode(errors="replace")


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if isinstance(value, list):
        value = "\n".join(value)
    return f"'{value}" if isinstance(value, str) and _may_run(value) else value


def _may_run(text: str) -> bool:
    """Whether the first sign that is seen begins a formula: a program may drop what stands before it."""
    for sign in text:
        if sign in _MOVING:
            return True
        if not _shows_nothing(sign):
            return unicodedata.normalize("NFKC", sign)[0] in _SIGNS
    return False


def _shows_nothing(sign: str) -> bool:
    """Blanks, control and format characters, marks without the letter they stand on."""
    return sign.isspace() or sign in _BLANK or unicodedata.category(sign)[0] in "CM"
