"""Tables in plain text, by separators and by spacing, and what is none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from server.ingest.extract import tables, typed_tables
from server.ingest.extract.typed_tables import text_parts

SHEET = """\
term,course,title,days,room
Fall 2026,CMP 447,"Language, Natural",W,Hall 205
Fall 2027,CMP 447,"Language, Natural",M,
"""
CSV_OF_LISTS = ',Fall,Spring\nYear 1,"Grammars\nAlgorithms","Search\nTranslation"\n'
RATES = """\
HOUSING RATES   2026-27

3. MEAL PLANS (per term)

Plan          Meals             Guest   Price
Open Water    unlimited            10   $2,395
Channel 14    14 per week           6   $2,210
              (none on Sunday)
Block 90      90 per term         n/a   $1,380
First-year residents must take Open Water or Channel 14.
"""
APARTMENTS = """\
                         10-month     12-month
Causeway Apts 4-bedroom  $640         $585
Heron Court studio       $890         $825
"""
CALENDAR = """\
Date            Day      Event                          Semester
August 28       Monday   Classes Begin                  Fall 2023
September 1     Friday   Add & tuition adjustment deadline (1) Fall 2023
October 13 - October 14 F-Sa Family Weekend             Fall 2023
"""


def rows_of(text: str) -> list[str]:
    """The rows of all tables in a text, as lines."""
    return [row.text for part in text_parts(text) if part.grid for row in tables.rows(part.grid)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            SHEET,
            [
                "term: Fall 2026 — course: CMP 447; title: Language, Natural; days: W; room: Hall 205",
                "term: Fall 2027 — course: CMP 447; title: Language, Natural; days: M",
            ],
        ),
        (CSV_OF_LISTS, ["Year 1 — Fall: Grammars, Algorithms; Spring: Search, Translation"]),
        (
            "a_name\tPhone\tRoom\nAnn\t0171\t12\nBo\t0172\t14",
            ["a name: Ann — Phone: 0171; Room: 12", "a name: Bo — Phone: 0172; Room: 14"],
        ),
        (
            RATES,
            [
                "Plan: Open Water — Meals: unlimited; Guest: 10; Price: $2,395",
                "Plan: Channel 14 — Meals: 14 per week (none on Sunday); Guest: 6; Price: $2,210",
                "Plan: Block 90 — Meals: 90 per term; Guest: n/a; Price: $1,380",
            ],
        ),
        (
            APARTMENTS,
            [
                "Causeway Apts 4-bedroom — 10-month: $640; 12-month: $585",
                "Heron Court studio — 10-month: $890; 12-month: $825",
            ],
        ),
        (
            CALENDAR,
            [
                "Date: August 28 — Day: Monday; Event: Classes Begin; Semester: Fall 2023",
                "Date: September 1 — Day: Friday; Event: Add & tuition adjustment deadline (1) Fall 2023",
                "Date: October 13 - October 14 F-Sa Family Weekend — Semester: Fall 2023",
            ],
        ),
    ],
)
def test_a_row_says_the_names_of_its_columns(text: str, rows: list[str]) -> None:
    assert rows_of(text) == rows


@pytest.mark.parametrize(
    "text",
    [
        "We sell apples, pears, and plums\nWe buy cherries, figs, and dates\nWe eat bread, cheese, and ham\n",
        "Aug 27  Th    Move-in, first-year students\nAug 29  Sa    Move-in, returning students\n",
        "E   MWF  02:00PM 04:50PM  Schmidt\nF   MWF  02:00PM 04:50PM  Yang\nG   MWF  02:00PM 04:50PM  Lee\n",
        "Email:   ann@u.example\nPostal:  Box 12\nPhone:   555 0171\n",
        "|        |\nv        v\nthe 2    girls 3\n",
        'name,"phone,room\nAnn,1,2\nBo,3,4\n',
        "one,two,three\nAnn,1\nBo,3\n",
    ],
)
def test_what_only_looks_like_a_table_stays_text(text: str) -> None:
    [part] = text_parts(text)
    assert (part.grid, "\n".join(part.lines)) == (None, text)


def test_the_line_above_a_table_is_its_caption_where_it_stands_alone() -> None:
    above, table, below = text_parts(RATES)
    assert above.lines[0] == "HOUSING RATES   2026-27"
    assert table.caption == "3. MEAL PLANS (per term)"
    assert below.lines[0].startswith("First-year residents")
    joined = RATES.replace("term)\n\n", "term)\n").replace("2026-27\n\n", "2026-27\n")
    assert [part.caption for part in text_parts(joined)] == ["", "", ""]


def test_lines_and_tables_keep_their_order_whatever_ends_a_line() -> None:
    text = f"Before.\n{SHEET}\nAfter.\n".replace("\n", "\r\n")
    assert [bool(part.grid) for part in text_parts(text)] == [False, True, False]


@pytest.mark.parametrize(
    "line", ["a  b  c", "Plan   Meals   Price\nA      1       $2", "Plan   Meals   Price"]
)
def test_a_long_text_is_not_read_again_for_each_of_its_lines(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[object] = []

    def counted(
        words: Sequence[tuple[str, int, int]], columns: Sequence[tuple[int, int]]
    ) -> list[str] | None:
        places.append(words)
        return cells(words, columns)

    cells = typed_tables._cells
    monkeypatch.setattr(typed_tables, "_cells", counted)
    text = f"{line}\n" * 400
    text_parts(text)
    assert len(places) <= 15 * text.count("\n")
