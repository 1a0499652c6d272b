"""What is not asked again under a draft would have been answered the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from server.ask.context import RerankOptions, ScopeOptions
from server.ask.curated import FixedRules, SiteConfig
from server.inference.encoders import Embedder
from server.models import Citation
from server.models.curation import LeaveOut, RuleSet
from server.models.golden import GoldenQuestion
from server.wiring.opened import OpenedSnapshot
from server.workbench.curation.preview import (
    PastQuestion,
    PreviewedAnswer,
    change_of,
    difference,
    said_by,
)
from tests.ask.asking import Flow
from tests.small_site import SITE

QUESTIONS = (
    "How much is tuition for residents of the state?",
    "when does the library open on weekdays",
    "Where can visitors park?",
    "Who is the president?",
)
# Few enough that most of the small college's passages are further down.
OPTIONS = {"gate": ScopeOptions(threshold=-100.0), "rerank": RerankOptions(3), "passages": 3}
TODAY = date(2026, 11, 22)


def drafted(path: str) -> RuleSet:
    return RuleSet("main", (LeaveOut("one", "pages", SITE + path),))


@pytest.mark.parametrize("text", QUESTIONS)
def test_every_page_that_may_be_taken_away_untried_changes_nothing(
    opened: OpenedSnapshot, embedder: Embedder, text: str
) -> None:
    flow = Flow(opened, embedder)
    before = said_by(flow.final(text, "hybrid", **OPTIONS))
    live = FixedRules(RuleSet("main")).ruling("main", "s", opened.snapshot, TODAY)
    untried = 0
    for page in opened.snapshot.page_facts:
        rules = FixedRules(drafted(page.url.removeprefix(SITE)))
        draft = rules.ruling("main", "s", opened.snapshot, TODAY)
        if difference(live, draft, opened.snapshot.chunk_pages.tolist()).may_touch(text, before):
            continue
        untried += 1
        after = said_by(replace(flow, site_config=SiteConfig(rules=rules)).final(text, "hybrid", **OPTIONS))
        assert change_of(PastQuestion(text), before, after) is None
    assert untried >= 8


def test_a_golden_question_says_why_it_breaks(opened: OpenedSnapshot, embedder: Embedder) -> None:
    flow, text = Flow(opened, embedder), QUESTIONS[2]
    golden = PastQuestion(text, 0, GoldenQuestion("park", "main", text, (SITE + "/parking",)))
    before = said_by(flow.final(text, "hybrid", **OPTIONS))
    rules = SiteConfig(rules=FixedRules(drafted("/parking")))
    after = said_by(replace(flow, site_config=rules).final(text, "hybrid", **OPTIONS))
    change = change_of(golden, before, after)
    assert change
    assert (change.breaks, change.mends, change.lost) == (True, False, (SITE + "/parking",))
    back = change_of(golden, after, before)
    assert back
    assert (back.breaks, back.mends) == (False, True)


def test_what_an_editor_means_is_no_lost_page_and_mended_is_said_of_what_is_right() -> None:
    before = PreviewedAnswer(
        "In Lot A.", False, "extractive", (cited("/parking"),), "", (), frozenset(), "answer"
    )
    after = replace(before, answer="In Lot C.", citations=(cited("/visitors"),))
    past = PastQuestion("Where can visitors park?")
    lost = change_of(past, before, after)
    first = change_of(past, before, after, lambda url: url == SITE + "/visitors")
    words = change_of(past, before, replace(after, answerer="curated", citations=()))
    assert [change and (change.verdict, change.loses_page) for change in (lost, first, words)] == [
        ("loses_page", True),
        ("put_first", False),
        ("in_your_words", False),
    ]
    right = GoldenQuestion("park", "main", past.text, (SITE + "/visitors",), ("Lot C",))
    judged = [
        change_of(replace(past, twin=golden), before, after)
        for golden in (right, replace(right, answers=("Lot D",)))
    ]
    assert [change and (change.verdict, change.loses_page) for change in judged] == [
        ("mended", False),
        ("still_wrong", True),
    ]


def cited(path: str) -> Citation:
    return Citation(1, SITE + path, path, "", "…", None, None)
