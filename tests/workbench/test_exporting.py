"""What is exported opens as it was written, and nothing in it is a formula."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships no types
import pytest

from server.workbench.exporting import COLUMNS, FORMATS, export_row
from tests.storage.exchanges import DEADLINE, exchange


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


# What shows nothing at the beginning of a cell: blanks of Unicode, and what has no width.
UNSEEN = (
    "\u00a0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000"  # spaces and line ends
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u061c\u200e\u202e\u2066\U000e0020"  # without width
    "\u034f\u115f\u17b4\u180b\u180e\u2800\u3164\ufe0f\uffa0\U000e0100"  # blank to the eye
    "\x00\x0b\x0c\x1f\x7f\x85"
)


@pytest.mark.parametrize("unseen", [*UNSEEN, "\u200b\u00a0\u2003", " \ufeff "])
def test_nor_is_one_that_begins_with_what_is_not_seen(unseen: str) -> None:
    for sign in ("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹢", "﹣", "﹦", "﹫", "−"):
        formula = f"{unseen}{sign}1+1"
        body = exported("csv", [row(formula)]).decode("utf-8-sig")
        [read] = csv.DictReader(io.StringIO(body, newline=""))
        assert read["question"] == f"'{formula}", (unseen, sign)


@pytest.mark.parametrize(
    "harmless", ["a=b", "\u200bWhen?", "\u00a0When?", "", "\u200b", "¿When?", "1-2", "²=4"]
)
def test_other_cells_are_left_as_they_are(harmless: str) -> None:
    body = exported("csv", [row(harmless)]).decode("utf-8-sig")
    [read] = csv.DictReader(io.StringIO(body, newline=""))
    assert read["question"] == harmless


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
