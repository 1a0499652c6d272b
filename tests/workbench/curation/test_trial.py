"""A draft tried over the small college: which pages go, which answers change, what breaks."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from server.ask.curated import LiveRules
from server.models import Question
from server.models.curation import CuratedAnswer, Favour, LeaveOut, PageLabel, RuleSet, Wording
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.jobs import JobProgress
from tests import small_site
from tests.small_site import SITE

TUITION, PARKING = "How much is tuition for residents of the state?", "Where can visitors park their campers?"
NO_TUITION = RuleSet("main", (LeaveOut("fees", "prefix", "/tuition"),))


@pytest.fixture(scope="module")
def serving(small_home: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[answering.Serving]:
    settings = small_site.settings_for(tmp_path_factory.mktemp("home"))
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    serving = answering.build_serving(replace(settings, reranker=""))
    for n, text in enumerate((TUITION, TUITION.upper(), PARKING)):
        list(serving.asker.ask(Question(text, f"c{n}", f"m{n}", f"t{n}", strategy="hybrid")))
    serving.records.golden.put(GoldenQuestion("tuition", "main", TUITION, (SITE + "/tuition",)))
    yield serving
    serving.close()


def progress() -> JobProgress:
    return JobProgress(lambda **_: None, threading.Event())


def test_the_pages_that_go_are_counted_with_the_most_cited_first(serving: answering.Serving) -> None:
    found = serving.previews.pages(
        replace(NO_TUITION, leave_out=(*NO_TUITION.leave_out, LeaveOut("d", "pattern", "*/d*")))
    )
    assert (found["total"], found["left_out_now"], found["goes"]) == (14, 0, 3)
    assert next((row["url"], row["rule"], row["cited"]) for row in found["sample"]) == (
        SITE + "/tuition",
        "fees",
        2,
    )


def test_it_says_which_answers_change_and_which_golden_questions_break(serving: answering.Serving) -> None:
    found = serving.previews.preview(NO_TUITION, progress())
    assert (found["questions"], found["golden"], found["asked_twice"]) == (2, 1, 2)
    assert (found["changed"], found["loses_page"], found["broken"]) == (1, 1, 1)
    golden, past = found["changes"]
    assert (golden["golden"], golden["failed_before"]) == ("tuition", None)
    assert golden["failed_after"]
    assert (past["question"], past["times"], past["lost"]) == (TUITION.upper(), 2, [SITE + "/tuition"])
    assert SITE + "/tuition" in {page["url"] for page in past["before"]["pages"]}
    assert found["pages"]["goes"] == 1
    assert (golden["verdict"], past["verdict"]) == ("breaks", "breaks")  # it has the golden one's words
    [broken] = serving.previews.breaks(NO_TUITION)
    assert (broken["id"], broken["failure"]) == ("tuition", golden["failed_after"])


@pytest.mark.parametrize(
    ("book", "touched"),
    [
        ({}, 0),
        ({"favours": (Favour("p", "pin", SITE + "/parking", topic="nothing"),)}, 0),
        ({"labels": (PageLabel("l", SITE + "/parking", "news"),)}, 3),
        ({"wordings": (Wording("w", ("visitors",), "guests"),)}, 1),
        ({"favours": (Favour("p", "pin", SITE + "/parking", phrase="visitors park"),)}, 1),
        ({"curated": (CuratedAnswer("c", "main", (PARKING,), "In Lot C."),)}, 1),
    ],
)
def test_only_what_could_be_otherwise_is_asked_again(
    serving: answering.Serving, book: dict[str, object], touched: int
) -> None:
    found = serving.previews.preview(replace(RuleSet("main"), **book), progress())  # type: ignore[arg-type]
    assert found["asked_twice"] == touched
    if "curated" in book:
        assert [change["after"]["answer"] for change in found["changes"]] == ["In Lot C."]


def test_what_comes_back_is_seen_too_and_a_published_draft_changes_nothing_more(
    serving: answering.Serving,
) -> None:
    previews = serving.previews
    parts = previews.answering()
    rules = LiveRules(serving.records.rulebooks.live, serving.records.rulebooks.version, look_every_s=0)
    site_config = replace(parts.asker.site_config, rules=rules)
    asker = parts.asker.otherwise(parts.asker.options, site_config=site_config)
    at_once = replace(previews, answering=lambda: replace(parts, asker=asker))
    serving.records.rulebooks.put_draft(NO_TUITION)
    serving.records.rulebooks.publish("main")
    assert at_once.preview(NO_TUITION, progress())["changes"] == []
    assert at_once.preview(RuleSet("main"), progress())["mended"] == 1
    serving.records.rulebooks.go_back("main")
