from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError, NotReadyError
from server.evaluate.evaluate import ask_once
from server.evaluate.questions import EvalQuestion, GoldChunk
from server.settings import Settings
from server.wiring.flow import require_strategies
from server.wiring.measuring import (
    Ground,
    cached_snapshot,
    open_ground,
    read_question_set,
    warn_of_unknown_gold,
)
from tests import small_site
from tests.wiring.question_files import write_questions


@pytest.fixture
def ground(small_home: Settings) -> Iterator[Ground]:
    with open_ground(small_home, None) as ground:
        yield ground


def told_of(ground: Ground, *questions: EvalQuestion) -> list[str]:
    """The warnings about their gold."""
    told: list[str] = []
    warn_of_unknown_gold(questions, ground.live, told.append)
    return told


def test_broken_lines_are_named_and_counted_and_the_rest_is_kept(tmp_path: Path) -> None:
    told: list[str] = []
    asked = read_question_set(write_questions(tmp_path / "q.jsonl", "broken", "{}"), told.append)
    assert (len(asked.questions), asked.broken_lines) == (13, 2)
    assert told[0].startswith("q.jsonl, line 14: This line is not JSON")
    assert told[1:] == [
        'q.jsonl, line 15: "question" is missing or empty.',
        "q.jsonl: 2 lines left out, 13 questions kept.",
    ]


def test_a_whole_file_has_nothing_to_be_told_of(tmp_path: Path) -> None:
    told: list[str] = []
    assert read_question_set(write_questions(tmp_path / "q.jsonl"), told.append).broken_lines == 0
    assert told == []


def test_gold_urls_outside_the_snapshot_are_counted(ground: Ground) -> None:
    urls = (small_site.SITE + "/library", small_site.SITE + "/gone")
    assert told_of(ground, EvalQuestion("1", "q", gold_urls=urls)) == [
        "1 gold URL is not in the snapshot; what they belong to counts as missed."
    ]


def test_gold_chunks_that_no_passage_holds_are_counted(ground: Ground) -> None:
    held = GoldChunk("Visitors park free of charge in lot C")
    elsewhere = replace(held, url=small_site.SITE + "/library")
    told = told_of(ground, EvalQuestion("1", "q", gold_chunks=(held, elsewhere, GoldChunk("park in lot D"))))
    assert told == ["2 gold chunks are not in the snapshot; what they belong to counts as missed."]


def test_known_gold_is_nothing_to_be_told_of(ground: Ground) -> None:
    gold = GoldChunk("park free of charge", small_site.SITE + "/parking")
    assert told_of(ground, EvalQuestion("1", "q", gold_chunks=(gold,))) == []


def test_a_pages_file_is_indexed_once_and_asked_over(small_home: Settings, tmp_path: Path) -> None:
    settings = replace(small_home, home=tmp_path / "home")
    pages = small_site.write_pages(tmp_path / "p.jsonl", small_site.kept_pages()[:2])
    pages.write_text(pages.read_text(encoding="utf-8") + "broken\n", encoding="utf-8")
    told: list[str] = []
    with open_ground(settings, pages) as ground:
        asker = ground.asker(settings)
        with pytest.raises(NotReadyError):
            ask_once(asker, "tuition?", "keyword")
        ground.prepare(told.append, told.append)
        first = ask_once(asker, "How much is tuition?", "keyword").trace.snapshot
        ground.prepare(told.append, told.append)
        assert cached_snapshot(settings, pages, ground.embedder, told.append).readlink().name == first
    assert told == ["Indexing p.jsonl, once; this may take minutes.", "p.jsonl, line 3: not JSON"]
    assert not settings.snapshots_dir.exists()


def test_a_pages_file_that_is_not_there_is_bad_input(small_home: Settings, tmp_path: Path) -> None:
    with (
        pytest.raises(BadInputError, match=r"no pages file .*none\.jsonl"),
        open_ground(small_home, tmp_path / "none.jsonl"),
    ):
        pass


def test_a_strategy_is_known_or_not_before_there_is_a_snapshot(small_home: Settings, tmp_path: Path) -> None:
    settings = replace(small_home, home=tmp_path, reranker="")
    with open_ground(settings, None) as ground:
        asker = ground.asker(settings)
        require_strategies(asker, ["hybrid", "keyword+topics"])
        with pytest.raises(BadInputError, match=r"no strategy 'magic'. There are: semantic, .*keyword"):
            require_strategies(asker, ["hybrid", "magic"])


def test_a_question_of_a_set_may_be_of_any_length(ground: Ground) -> None:
    asker = ground.asker(replace(ground.settings, max_question_chars=10))
    assert ask_once(asker, "How much is tuition for residents of the state?", "keyword").answer
