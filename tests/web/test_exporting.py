"""What is exported opens as it was written, and nothing in it is a formula."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships no types
import pytest

from server.web.exporting import COLUMNS, FORMATS, export_row
from tests.records_db.exchanges import DEADLINE, exchange


def row(question: str = "When does add/drop end?", comment: str = "") -> dict[str, Any]:
    """A row as the API makes it."""
    asked = exchange(question=question)
    feedback = {
        "helpful": False,
        "reason": "wrong",
        "comment": comment,
        "given_at": "2026-03-04T00:00:00+00:00",
    }
    return export_row(
        {
            "conversation_id": "c1",
            "site": "main",
            "at": asked.asked_at,
            "question": question,
            "answer": json.loads(json.dumps(asked.answer.as_json())),
            "topic": None,
            "feedback": feedback if comment else None,
        }
    )


def exported(form: str, *batches: list[dict[str, Any]]) -> bytes:
    write, _ = FORMATS[form]
    return b"".join(write(batches))


def test_a_row_has_every_column() -> None:
    assert list(row()) == list(COLUMNS)
    assert row()["citations"] == [DEADLINE.url]
    assert row()["total_ms"] == 16.0


def test_json_lines_and_parquet_read_back_as_they_were() -> None:
    rows = [row(), row('Ünïcode, "quotes"\nand lines', "No."), row("=1+1")]
    lines = exported("jsonl", rows[:2], rows[2:]).decode().splitlines()
    assert [json.loads(line) for line in lines] == rows
    assert pq.read_table(io.BytesIO(exported("parquet", rows[:2], rows[2:]))).to_pylist() == rows


def test_csv_reads_back_with_its_heads() -> None:
    body = exported("csv", [row()], [row("Two\nlines", 'Wrong, "all" of it')]).decode("utf-8-sig")
    first, second = csv.DictReader(io.StringIO(body, newline=""))
    assert (first["question"], first["helpful"], first["refused"]) == ("When does add/drop end?", "", "False")
    assert (second["question"], second["comment"]) == ("Two\nlines", 'Wrong, "all" of it')


@pytest.mark.parametrize(
    "formula",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "  =1",
        "\n=1",
        "＝1",
        "|calc",
        '=HYPERLINK("http://x")',
    ],
)
def test_no_cell_of_a_csv_is_a_formula(formula: str) -> None:
    [read] = csv.DictReader(
        io.StringIO(exported("csv", [row(formula, formula)]).decode("utf-8-sig"), newline="")
    )
    assert read["question"] == f"'{formula}"
    assert read["comment"] == f"'{formula}"
    assert read["total_ms"] == "16.0"


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_found_is_a_file_with_its_heads(form: str) -> None:
    body = exported(form)
    if form == "csv":
        assert body.decode("utf-8-sig").strip().split(",")[0] == '"conversation_id"'
    elif form == "parquet":
        assert pq.read_table(io.BytesIO(body)).column_names == list(COLUMNS)
    else:
        assert body == b""


@pytest.mark.parametrize("form", FORMATS)
def test_it_comes_in_pieces_as_the_batches_do(form: str) -> None:
    """The second batch is not asked for before the first has been handed on."""
    taken = []

    def batches() -> Any:
        for number in range(3):
            taken.append(number)
            yield [row()]

    write, _ = FORMATS[form]
    pieces = write(batches())
    if form == "csv":
        next(pieces)
    assert next(pieces)
    assert taken == [0]
