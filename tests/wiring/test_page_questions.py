"""Questions that pages are known to answer: from a file, from editors, and from golden questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.index.page_questions import SampleQuestion
from server.models.curation import CuratedAnswer
from server.models.golden import GoldenQuestion
from server.wiring.page_questions import of_file, of_records
from server.workbench.records import Records, open_records

PAGE = "https://www.brackwater.example/parking"


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")
    yield opened
    opened.close()


def test_a_file_has_a_question_for_each_of_its_gold_pages(tmp_path: Path) -> None:
    lines = [
        {"question": "where may guests park", "gold_urls": [PAGE, PAGE + "/visitors"]},
        {"question": "no page is known for this"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join([*map(json.dumps, lines), "{broken"]), encoding="utf-8")
    assert [*of_file(str(file))] == [
        SampleQuestion("where may guests park", PAGE),
        SampleQuestion("where may guests park", PAGE + "/visitors"),
    ]


def test_no_file_is_none_and_a_missing_one_is_named(tmp_path: Path) -> None:
    assert [*of_file("")] == []
    with pytest.raises(BadInputError, match=r"gone\.jsonl"):
        [*of_file(str(tmp_path / "gone.jsonl"))]


def test_editors_phrasings_ask_for_what_their_answers_link_to(records: Records) -> None:
    records.curation.put_curated(
        CuratedAnswer(
            "park", "main", ("Where do I park?", "parking for guests"), "In Lot C.", (("Parking", PAGE),)
        )
    )
    assert [*of_records(records)] == [
        SampleQuestion("Where do I park?", PAGE),
        SampleQuestion("parking for guests", PAGE),
    ]


def test_golden_questions_ask_for_their_pages_unless_they_are_to_be_refused(records: Records) -> None:
    records.golden.add(GoldenQuestion("", "main", "What is a permit?", pages=(PAGE,)))
    records.golden.add(GoldenQuestion("", "main", "Who won the match?", refuse=True))
    assert [*of_records(records)] == [SampleQuestion("What is a permit?", PAGE)]
