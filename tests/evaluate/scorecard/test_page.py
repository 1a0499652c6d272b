"""The scorecard's page, and its JSON."""

from __future__ import annotations

import json
import re

import pytest
from lxml import html

from server.errors import BadInputError
from server.evaluate.scorecard.figures import FIGURES
from server.evaluate.scorecard.page import scorecard_page
from server.evaluate.scorecard.scorecard import Scorecard
from server.evaluate.scorecard.words import figures_table, group_tables
from tests.evaluate.scorecard.cards import answer, card

SMALL = card(
    *(answer("answer", right=True, topic="fees") for _ in range(5)),
    *(answer("seems", right=False, topic="pool") for _ in range(5)),
    off_scope=(answer("refusal", answerable=False, kind="cooking"),),
)


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = scorecard_page(SMALL)
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|<script|<link|<img|\bsrc=|url\(", page)


def test_what_comes_from_outside_is_escaped() -> None:
    assert "Small College &lt;b&gt;" in scorecard_page(SMALL)
    assert "College <b>" not in scorecard_page(SMALL)


def test_every_table_can_be_read_without_seeing_it() -> None:
    page = html.fromstring(scorecard_page(SMALL))
    assert page.get("lang") == "en"
    tables = page.findall(".//table")
    assert len(tables) == 2 + len(group_tables(SMALL))
    for table in tables:
        assert table.findtext("caption")
        assert all(cell.get("scope") == "col" for cell in table.iterfind("thead//th"))
        assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in table.iterfind("tbody/tr"))
        region = table.getparent()
        assert region is not None
        assert (region.get("role"), region.get("tabindex")) == ("region", "0")
    ids = [one.get("id") for one in page.iterfind(".//*[@id]")]
    assert len(ids) == len(set(ids))
    headings = [one.tag for one in page.iter("h1", "h2", "h3")]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1


def test_every_figure_has_a_row_and_what_cannot_be_judged_has_no_number() -> None:
    rows = {row[0]: row for row in figures_table(SMALL).rows}
    assert list(rows) == [label for label, _ in FIGURES.values()]
    right = rows[FIGURES["right_of_answered"][0]]
    assert right[1:4] == ("100.0 %", "56.6 – 100.0 %", "5")
    assert right[4] == "Elsewhere 90.0 % of 324"
    assert rows[FIGURES["unsupported_shown"][0]][1:4] == ("–", "–", "0")
    assert rows[FIGURES["latency_p95"][0]][4] == "Elsewhere 4.7 s"


def test_groups_have_their_own_n() -> None:
    tables = {table.headers[0]: table for table in group_tables(SMALL)}
    assert set(tables) == {"topic", "kind of off-scope question"}
    fees, pool = tables["topic"].rows
    assert fees[:3] == ("fees", "5", "100.0 % (57–100)")
    assert pool[:3] == ("pool", "5", "–")
    assert tables["kind of off-scope question"].rows == (("cooking", "1", "100.0 % (21–100)"),)


def test_json_is_read_as_it_was_written() -> None:
    document = json.loads(json.dumps(SMALL.as_json()))
    assert Scorecard.of_json(document).as_json() == SMALL.as_json()
    assert [one["n"] for one in document["figures"] if one["name"] == "injections_through"] == [2]
    assert {one["set"] for one in document["asked"]} == {"golden questions", "attacks"}
    with pytest.raises(BadInputError, match="no scorecard"):
        Scorecard.of_json({"figures": []})


def test_few_questions_are_said_to_be_few() -> None:
    assert any(sentence.startswith("Of fewer than 30") for sentence in SMALL.cannot_say)
