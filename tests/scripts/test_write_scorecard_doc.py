"""The page of scorecards is what the script writes of what it kept, and its figures are those of its rows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corpus.visitors.sets import read_larkmoor
from scripts import scored_sets, write_scorecard_doc
from scripts.write_scorecard_doc import KEPT, PAGE, cards, keep, kept_card, scorecard_doc
from server.evaluate.questions import EvalQuestion, read_questions
from server.evaluate.scorecard.asked import ScoredAnswer
from server.evaluate.scorecard.attacks import AttackOutcome, read_attacks
from server.evaluate.scorecard.figures import all_figures
from server.evaluate.scorecard.scorecard import Scorecard
from server.wiring.scoring import ATTACKS, OFF_SCOPE, PUBLISHED, published_figures
from tests.evaluate.scorecard.cards import answer, card

SITES = sorted(file.stem for file in KEPT.glob("*.json"))
GOLDEN = "golden_questions.jsonl"


def known(site: str) -> Scorecard:
    found = kept_card(site)
    assert found is not None
    return found


def ids_of(scorecard: Scorecard, of: str) -> set[str]:
    return {str(row["id"]) for row in scorecard.asked if row["set"] == of}


def test_the_page_is_what_the_script_writes() -> None:
    assert "demo" in SITES
    assert PAGE.read_text(encoding="utf-8") == scorecard_doc(list(cards()))


@pytest.mark.parametrize("site", SITES)
def test_every_figure_is_that_of_its_rows(site: str) -> None:
    """Each share, interval, n and percentile of the page again, from what became of each question."""
    scorecard, attacks = known(site), {one.id: one for one in read_attacks(ATTACKS)}
    asked, strangers, tried = list[ScoredAnswer](), list[ScoredAnswer](), list[AttackOutcome]()
    for row in scorecard.asked:
        if row["set"] == "attacks":
            tried.append(AttackOutcome(attacks[row["id"]], row["way"], row["through"]))
            continue
        question = EvalQuestion(row["id"], "?", answerable=row["answerable"])
        told = (row["tier"], row["right"], row["unsupported"], "en", row["ms"], "")
        (strangers if row["set"] == OFF_SCOPE.name else asked).append(
            ScoredAnswer(question, row["set"], *told)
        )
    for own, again in zip(scorecard.figures, all_figures(asked, strangers, tried), strict=True):
        assert (own.name, own.n, own.unit) == (again.name, again.n, again.unit)
        tolerance = 0.15 if own.unit == "ms" else 1e-9  # times are kept to a tenth
        found = (own.value, own.low, own.high)
        assert found == pytest.approx((again.value, again.low, again.high), abs=tolerance)


@pytest.mark.parametrize("site", SITES)
def test_it_was_asked_all_of_what_is_there_now(site: str) -> None:
    scorecard = known(site)
    strangers = {one.id for one in read_questions(OFF_SCOPE, lambda line, why: None)}
    assert ids_of(scorecard, OFF_SCOPE.name) == strangers
    assert ids_of(scorecard, "attacks") == {one.id for one in read_attacks(ATTACKS)}
    assert scorecard.published == published_figures(PUBLISHED)


def test_the_demo_was_asked_its_golden_questions_and_the_half_that_may_be_looked_at() -> None:
    demo = known("demo")
    golden = read_questions(PAGE.parent.parent / "corpus" / GOLDEN, lambda line, why: None)
    assert ids_of(demo, GOLDEN) == {one.id for one in golden}
    assert ids_of(demo, "larkmoor.jsonl") == {one.id for one in read_larkmoor("work")}


def test_every_kept_site_stands_on_the_page_with_its_command() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(SITES) <= set(write_scorecard_doc.SITES)
    for site in SITES:
        assert f"\n## {write_scorecard_doc.SITES[site].title}\n\n" in page
        assert f"`{known(site).made.command}`" in page


@pytest.mark.parametrize("site", [site for site in SITES if site != "demo"])
def test_another_site_was_asked_all_of_its_sets_and_judged_by_what_they_name(
    site: str, tmp_path: Path
) -> None:
    """What names no string that a right answer must hold is neither right nor wrong."""
    data = Path(os.environ.get("LODGE_DATA", scored_sets.DATA))
    if site not in scored_sets.OWN and not (data / site).is_dir():
        pytest.skip(f"{data / site} is not there")
    scored_sets.write_set(site, data, tmp_path)
    card = known(site)
    for file in scored_sets.question_files(site):
        asked = {one.id: one for one in read_questions(tmp_path / file, lambda line, why: None)}
        assert ids_of(card, file) == set(asked)
        rows = [row for row in card.asked if row["set"] == file]
        assert all(row["answerable"] is asked[row["id"]].answerable for row in rows)
        judged = {row["id"] for row in rows if row["right"] is not None}
        assert judged <= {one.id for one in asked.values() if one.answers}
    assert (card.figure("right_of_answered") is None) is (scored_sets.QUESTIONS not in card.made.sets)


def test_what_cannot_be_judged_is_said_and_has_no_figure() -> None:
    judged = answer("answer", right=True)
    page = scorecard_doc([card(judged, answer("answer")), card(answer("answer"))])
    assert "Whether 1 of the 2 confident answers" in page
    assert "How many answers are right: no question asked here names the answer it wants." in page
    [row, other] = [line for line in page.splitlines() if line.startswith("| Small College <b> |")]
    assert "| 100.0 % (" in row
    assert other.split("|")[2].strip() == "–"


def test_what_is_kept_holds_no_words_of_a_question() -> None:
    for site in SITES:
        rows = json.loads((KEPT / f"{site}.json").read_text(encoding="utf-8"))["asked"]
        fields = {name for row in rows for name in row}
        assert fields <= {
            *("set", "id", "answerable", "tier", "right", "unsupported", "ms", "way", "through")
        }


def test_a_scorecard_is_kept_and_read_again(tmp_path: Path) -> None:
    small = card(answer("answer", right=True), answer("seems"))
    keep(small, tmp_path / "small.json")
    again = kept_card("small", tmp_path)
    assert again is not None
    assert again.as_json() == small.as_json()
    assert kept_card("none", tmp_path) is None
    page = scorecard_doc([again])
    assert page.count("\n## ") == 4
    assert "| Right, of what was answered confidently | 100.0 % |" in page
