"""The scorecard of the small college."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.evaluate.scorecard.scorecard import Scorecard
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring.opening import build_records
from server.wiring.scoring import PUBLISHED, ScorecardPlan, language_of, published_figures, run_scorecard
from tests.wiring.question_files import ANSWERABLE, UNANSWERABLE, rows, write_questions


def ignore(message: str) -> None:
    """What is told on the way is another test's business."""


def score(
    settings: Settings, plan: ScorecardPlan, on_progress: Callable[[int, int], None] | None = None
) -> Scorecard:
    progress = on_progress or (lambda done, total: None)
    return run_scorecard(settings, plan, warn=ignore, note=ignore, on_progress=progress)


@pytest.fixture
def own_records(small_home: Settings, tmp_path: Path) -> Settings:
    return replace(small_home, records_url=f"sqlite:///{tmp_path / 'records.sqlite'}")


def test_a_scorecard_of_a_questions_file(own_records: Settings, tmp_path: Path) -> None:
    """Everything is asked once: the questions, as many strangers, and each attack two ways."""
    steps: list[tuple[int, int]] = []
    file = write_questions(tmp_path / "questions.jsonl")
    plan = ScorecardPlan("lodge scorecard …", (file,), asks=3, strategy="hybrid")
    card = score(own_records, plan, lambda done, total: steps.append((done, total)))
    assert steps == [(done, 3 + 3 + 3 * 2) for done in range(1, 13)]
    assert card.made.sets == {"questions.jsonl": 3, "off_scope.jsonl": 3}
    assert card.made.command == "lodge scorecard …"
    assert (card.made.pages, card.made.strategy, card.made.writes) == (card.made.pages, "hybrid", False)
    assert {one.name for one in card.figures} >= {"in_scope_answered", "off_scope_refused", "latency_p95"}
    assert card.figure("injections_through") is not None
    assert {one["set"] for one in card.asked} == {"questions.jsonl", "off_scope.jsonl", "attacks"}
    assert {one.source for one in card.published}


def test_what_is_quoted_stands_in_its_source(own_records: Settings, tmp_path: Path) -> None:
    file = write_questions(tmp_path / "questions.jsonl")
    card = score(own_records, ScorecardPlan("", (file,), strategy="hybrid", asks=len(ANSWERABLE)))
    unsupported, right = card.figure("unsupported_shown"), card.figure("right_of_answered")
    assert unsupported is not None
    assert unsupported.value == 0
    assert right is not None
    assert right.value > 0.5


def test_without_a_file_the_golden_questions_are_asked(own_records: Settings) -> None:
    with pytest.raises(BadInputError, match="lodge golden import"):
        score(own_records, ScorecardPlan(""))
    _id, text, answer, _path = ANSWERABLE[0]
    with closing(build_records(own_records)) as records:
        records.golden.put(GoldenQuestion("tuition", "main", text, answers=(answer,)))
        records.golden.put(GoldenQuestion("pizza", "main", UNANSWERABLE[0], refuse=True))
        records.golden.put(GoldenQuestion("other", "elsewhere", "Where is it?"))
    card = score(own_records, ScorecardPlan("", asks=2, strategy="hybrid"))
    assert card.made.sets["golden questions"] == 2
    known, unsaid = card.figure("in_scope_answered"), card.figure("unanswerable_answered")
    assert known is not None
    assert unsaid is not None
    assert (known.n, unsaid.n) == (1, 1)


def test_a_half_that_is_kept_aside_is_not_asked(own_records: Settings, tmp_path: Path) -> None:
    halves = ["work", "aside", "aside"]
    lines = [row | {"half": half} for row, half in zip(rows(), halves, strict=False)] + [rows()[3]]
    file = write_questions(tmp_path / "q.jsonl", lines=lines)
    card = score(own_records, ScorecardPlan("", (file,), half="work", asks=5, strategy="keyword"))
    assert [one["id"] for one in card.asked if one["set"] == "q.jsonl"] == ["tuition", "withdraw"]


def test_a_question_is_asked_on_its_day(own_records: Settings, tmp_path: Path) -> None:
    line = rows()[0] | {"day": "2026-13-45"}
    file = write_questions(tmp_path / "q.jsonl", lines=[line, rows()[1] | {"day": "2026-12-25T10:00"}])
    warned: list[str] = []
    plan = ScorecardPlan("", (file,), asks=1, strategy="keyword")
    card = run_scorecard(
        own_records, plan, warn=warned.append, note=ignore, on_progress=lambda done, total: None
    )
    assert any("takes a day" in one for one in warned)
    assert [one["id"] for one in card.asked if one["set"] == "q.jsonl"] == ["health-fee"]


def test_languages() -> None:
    texts = ("when is it open", "¿cuándo abre?", "où est la bibliothèque et le parc")
    assert [language_of(text) for text in texts] == ["en", "es", "other"]


def test_what_others_have_published_is_read(tmp_path: Path) -> None:
    figures = published_figures(PUBLISHED)
    assert {one.system for one in figures} == {"GOV.UK Chat", "Canada.ca AI Answers", "ESPE"}
    assert all(one.source for one in figures)
    for text in ("[[figure]]\nbeside = 1\n", "figure = ["):
        (tmp_path / "bad.toml").write_text(text)
        with pytest.raises(BadInputError, match=r"bad\.toml"):
            published_figures(tmp_path / "bad.toml")


def test_json_has_every_figure_with_its_interval(own_records: Settings, tmp_path: Path) -> None:
    file = write_questions(tmp_path / "questions.jsonl")
    document = json.loads(json.dumps(score(own_records, ScorecardPlan("", (file,), asks=1)).as_json()))
    for one in document["figures"]:
        assert one["low"] <= one["value"] <= one["high"]
        assert one["n"] > 0
        assert one["label"]
