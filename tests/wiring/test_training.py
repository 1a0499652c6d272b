"""Questions from pages over a real snapshot and its own search, by a scripted server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError, LlmUnavailableError
from server.evaluate.questions import read_questions
from server.settings import Settings
from server.training.questions import QuestionReport, WritingOptions
from server.wiring.training import run_questions
from tests import small_site
from tests.llm.scripted import says, serving, status

REPLY = json.dumps(
    [
        {"question": "What does a commuter pay for a parking permit?", "answer": "$120 a year"},
        {"question": "Where do visitors park free of charge?", "answer": "Lot C behind the gymnasium"},
        {"question": "How tall is the tower?", "answer": "forty yards"},
    ]
)


def run(settings: Settings, file: Path, most_pages: int | None = None) -> QuestionReport:
    return run_questions(
        settings,
        file,
        small_site.write_pages(file.with_name("pages.jsonl"), small_site.kept_pages()[:5]),
        WritingOptions(),
        most_pages=most_pages,
        warn=lambda _: None,
        note=lambda _: None,
        on_progress=lambda *_: None,
    )


def test_the_parking_pages_questions_find_the_parking_page(small_home: Settings, tmp_path: Path) -> None:
    settings = replace(small_home, home=tmp_path)
    with serving(says(REPLY)) as server:
        report = run(replace(settings, llm_url=server.url), tmp_path / "q.jsonl")
    assert report.pages == len(server.chats) == 5
    asked = read_questions(tmp_path / "q.jsonl", lambda _, why: pytest.fail(why))
    assert {one.gold_urls for one in asked} == {(small_site.SITE + "/parking",)}
    assert report.questions == 2
    assert report.dropped == {"answer_not_on_page": 13}


def test_a_server_that_is_down_ends_it_with_its_own_words(small_home: Settings, tmp_path: Path) -> None:
    with serving(status(404)) as server, pytest.raises(LlmUnavailableError):
        run(replace(small_home, home=tmp_path, llm_url=server.url), tmp_path / "q.jsonl", 1)


def test_without_a_model_the_setting_is_named(small_home: Settings, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="LODGE_LLM_URL"):
        run(replace(small_home, llm_url=""), tmp_path / "q.jsonl")
