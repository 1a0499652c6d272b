from __future__ import annotations

import dataclasses
import json

import pytest

from server import models as records
from server.models import (
    Answer,
    Block,
    Chunk,
    Citation,
    Document,
    Hit,
    Passage,
    Section,
    Tier,
    Trace,
    TraceStep,
    heading_line,
    lead_line,
)


@pytest.mark.parametrize(
    ("title", "path", "line"),
    [
        ("Tuition", ("Tuition", "Graduate"), "Graduate"),
        ("Tuition | Larkmoor", ("TUITION", "Graduate", "Fees"), "Graduate › Fees"),
        ("Library", ("Opening hours", "", "Summer"), "Opening hours › Summer"),
        ("Library", ("Library",), ""),
        ("Library", (), ""),
        ("", ("Hours",), "Hours"),
    ],
)
def test_a_heading_line_does_not_repeat_the_title(title: str, path: tuple[str, ...], line: str) -> None:
    assert heading_line(title, path) == line


def test_a_lead_line_is_what_there_is_of_title_and_headings() -> None:
    leads = [lead_line("Fees", "Spring"), lead_line("Fees", ""), lead_line("", "Spring"), lead_line("", "")]
    assert leads == ["Fees · Spring", "Fees", "Spring", ""]


def test_what_is_indexed_of_a_chunk_begins_with_its_title_and_headings() -> None:
    assert Chunk("u", 0, "Fees", ("Fees", "Spring"), "$310").indexed_text == "Fees · Spring\n$310"
    assert Chunk("u", 0, "Fees", (), "$310").indexed_text == "Fees\n$310"
    described = Chunk("u", 0, "Fees", (), "$310", description="What a term costs.")
    assert described.indexed_text == "Fees\nWhat a term costs.\n$310"


def test_a_documents_text_is_its_blocks_without_headings() -> None:
    sections = (
        Section(("A",), (Block("paragraph", "one"), Block("list", "two"))),
        Section(("B",), (Block("table", "three"),)),
    )
    assert Document("u", "T", sections).text == "one\ntwo\nthree"


def test_an_answers_json_has_every_key_of_the_contract() -> None:
    citation = Citation(1, "https://e.example/", "Fees", "Spring", "$310", None, None)
    answer = Answer(
        "$310 [1]", False, None, "extractive", None, (citation,), (), "hybrid", "s", "c", "m", "t"
    )
    document = json.loads(json.dumps(answer.as_json()))
    assert " ".join(document) == (
        "answer refused refusal_reason answerer degraded citations closest_pages strategy snapshot "
        "conversation_id message_id trace_id timings_ms notices contacts as_of cautions lang "
        "confidence tier quote_reason narrow blocks"
    )
    [cited] = document["citations"]
    assert " ".join(cited) == "n url title heading quote last_modified fetched_at page table href"


def test_a_traces_json_has_its_passages_by_id_and_survives_json() -> None:
    passage = Passage(7, "https://e.example/", "Fees", "", "$310")
    trace = Trace("t", "Q?", "hybrid", "s", {}, (TraceStep("retrieve", 1.5, (Hit(7, 0.5),)),), {7: passage})
    document = json.loads(json.dumps(trace.as_json()))
    assert document["passages"]["7"]["text"] == "$310"
    assert document["steps"][0]["ranking"] == [{"chunk_id": 7, "score": 0.5}]


def test_every_record_is_frozen() -> None:
    nouns = [
        noun for noun in vars(records).values() if isinstance(noun, type) and dataclasses.is_dataclass(noun)
    ]
    assert len(nouns) > 15
    for noun in nouns:
        assert noun.__dataclass_params__.frozen, noun  # type: ignore[attr-defined]  # dataclasses keep it there


@pytest.mark.parametrize("tier", ["answer", "seems"])
def test_a_passages_name_is_no_item_where_another_question_is_answered_surely(tier: Tier) -> None:
    said = "It opens at six. [1]\nThis page seems to answer it:\n\nParking › Fines:\nPay within 14 days. [2]"
    sources = Citation(1, "u", "Pool", "", "It opens at six."), Citation(2, "v", "Parking", "Fines", "Pay.")
    answer = Answer(
        said, False, None, "extractive", None, sources, (), "hybrid", "s", "c", "m", "t", tier=tier
    )
    assert answer.names >= {"Parking › Fines:"}
    assert [block.kind for block in answer.blocks] == ["text"] * 4


def test_a_lead_that_is_called_as_its_page_keeps_its_list() -> None:
    source = Citation(1, "u", "Bring", "", "Bring:\ncard\nphoto")
    said = "Bring:\ncard\nphoto [1]"
    answer = Answer(said, False, None, "extractive", None, (source,), (), "hybrid", "s", "c", "m", "t")
    assert [block.kind for block in answer.blocks] == ["list"]


def test_the_name_of_one_section_is_no_lead_where_its_page_has_no_such_line() -> None:
    source = Citation(1, "u", "Calendar", "Spring 2027", "Tuesday, January 19: Classes begin")
    said = "Calendar › Spring 2027:\nTuesday, January 19: Classes begin [1]"
    for before in ("", "That has passed.\n"):
        answer = Answer(
            before + said, False, None, "extractive", None, (source,), (), "hybrid", "s", "c", "m", "t"
        )
        assert answer.names == {"Calendar › Spring 2027:"}
        assert {block.kind for block in answer.blocks} == {"text"}


def test_the_names_of_several_sections_are_no_leads() -> None:
    said = "Loans › Lost:\nIt costs $100. [1]\nBooks › Lost:\nWe bill $70. [2]"
    sources = (
        Citation(1, "u", "Loans", "Lost", "It costs $100."),
        Citation(2, "v", "Books", "Lost", "We bill $70."),
    )
    answer = Answer(said, False, None, "extractive", None, sources, (), "hybrid", "s", "c", "m", "t")
    assert answer.names == {"Loans › Lost:", "Books › Lost:"}
    assert [block.kind for block in answer.blocks] == ["text"] * 4
