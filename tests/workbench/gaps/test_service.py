"""Gaps and coverage over the small college's live snapshot, with the shipped embedder and the real flow."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.errors import BadInputError, NotFoundError, NotReadyError
from server.models import ALL_TURNS, GapFilter, GapKinds, GapStates, Placement, Question
from server.models.curation import CuratedAnswer, LeaveOut, RuleSet
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.gaps.service import GAP_WORK
from server.workbench.job_store import OPEN
from server.workbench.jobs import JobProgress
from tests import small_site
from tests.small_site import SITE
from tests.storage.exchanges import as_typed, exchange

ASKED = (
    "How much is tuition for residents of the state?",
    "what's the tuition for state residents",
    "Where can I park my car overnight?",
)


@pytest.fixture
def home(small_home: Settings, tmp_path: Path) -> Settings:
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return replace(settings, reranker="")


@pytest.fixture
def serving(home: Settings) -> Iterator[answering.Serving]:
    """With three questions that were refused some time ago."""
    serving = answering.build_serving(home)
    for number, text in enumerate(ASKED):
        asked = exchange(number, conversation=f"c{number}", question=text, refused=True)
        serving.records.conversations.record(as_typed(asked))
    yield serving
    serving.close()


def work(serving: answering.Serving) -> None:
    """As the admin API has it done aside."""
    serving.gaps.work(JobProgress(lambda **_now: None))


def test_questions_of_one_meaning_come_together_and_are_asked_again_when_mended(
    serving: answering.Serving,
) -> None:
    shelf = serving.records.gaps
    work(serving)
    everything = GapFilter(GapKinds, GapStates, ALL_TURNS)
    first, second = shelf.all(everything, limit=10)
    assert (first["questions"], second["questions"]) == (2, 1)
    assert second["question"] == ASKED[2]
    assert not serving.gaps.has_work()
    for gap in (first, second):
        shelf.change(gap["id"], "mended", "", snapshot="20000101-000000")
    assert serving.gaps.has_work()
    work(serving)
    assert not serving.gaps.has_work()
    mended = shelf.get(first["id"])
    assert (mended["state"], mended["again"]["refused"]) == ("answered", False)
    assert mended["again"]["citations"][0]["url"].startswith(SITE)
    assert len(serving.records.search.conversations(limit=10)) == len(ASKED)


def test_a_question_that_asks_something_else_is_set_apart_with_those_like_it(
    serving: answering.Serving,
) -> None:
    shelf = serving.records.gaps
    waiting = shelf.waiting(10)
    one_gap = Placement([(0, 1.0)] * len(waiting), {0: b"\0" * 4 * 384})
    shelf.place("main", [one.key for one in waiting], lambda _known: one_gap)
    [gap] = shelf.all(GapFilter(), limit=9)
    assert gap["questions"] == 3
    heading = next(one for one in gap["samples"] if one["question"] == gap["question"])
    with pytest.raises(BadInputError, match="called by"):
        serving.gaps.set_apart(gap["id"], heading["trace_id"], "ana")
    with pytest.raises(NotFoundError):
        serving.gaps.set_apart(gap["id"], "t77", "ana")
    is_parking = gap["question"] == ASKED[2]
    new = serving.gaps.set_apart(gap["id"], "t0" if is_parking else "t2", "ana")
    questions = [{one["question"] for one in shelf.get(own)["samples"]} for own in (gap["id"], new)]
    assert questions == ([{ASKED[2]}, {*ASKED[:2]}] if is_parking else [{*ASKED[:2]}, {ASKED[2]}])
    again = exchange(7, conversation="c7", question="where to park a car overnight", refused=True)
    serving.records.conversations.record(as_typed(again))
    work(serving)
    assert shelf.get(gap["id"] if is_parking else new)["questions"] == 2


def test_what_is_published_names_the_missing_answers_that_it_may_give(serving: answering.Serving) -> None:
    work(serving)
    assert serving.mending.met("main") == []
    books = serving.records.rulebooks
    answer = CuratedAnswer("night", "main", (ASKED[2], "parking overnight"), "In Lot C, with a permit.")
    books.put_draft(RuleSet("main", (LeaveOut("old", "prefix", "/old/"),), curated=(answer,)))
    books.publish("main")
    [met] = serving.mending.met("main")
    assert (met.question, met.questions) == (ASKED[2], 1)
    serving.gaps.ask_again(met.id, "ana")
    assert serving.records.gaps.get(met.id)["again"]["answerer"] == "curated"
    assert serving.mending.met("main") == []
    books.put_draft(replace(books.book("main"), leave_out=()))
    books.publish("main")
    assert serving.mending.met("main") == []


def test_the_servers_own_clock_begins_it(serving: answering.Serving) -> None:
    serving.start_due(datetime.now(UTC))
    [job] = serving.jobs.all(GAP_WORK)
    for _ in range(10_000):
        if serving.jobs.get(job.id).state not in OPEN:
            break
        threading.Event().wait(0.001)
    assert not serving.gaps.has_work()
    serving.start_due(datetime.now(UTC))
    assert len(serving.jobs.all(GAP_WORK)) == 1


def test_what_was_marked_over_the_live_snapshot_waits_for_the_next(serving: answering.Serving) -> None:
    shelf = serving.records.gaps
    work(serving)
    gap = shelf.all(GapFilter(), limit=1)[0]
    shelf.change(gap["id"], "mended", "", snapshot=serving.gaps.live)
    assert not serving.gaps.has_work()
    serving.gaps.ask_again(gap["id"], "ana")
    assert shelf.get(gap["id"])["state"] == "answered"


def test_every_page_of_the_snapshot_is_cited_or_not(serving: answering.Serving) -> None:
    list(serving.asker.ask(Question(ASKED[0], "c9", "m9", "t9")))
    found = serving.coverage.coverage(ALL_TURNS, 24)
    assert found["cited"] > 0
    never = serving.coverage.never_cited(ALL_TURNS, "")
    assert len(never) == found["never_cited"] == found["pages"] - found["cited"]
    assert sum(row["pages"] for row in found["topics"]) == found["pages"]
    [library] = serving.coverage.never_cited(ALL_TURNS, SITE + "/library")
    assert library["title"] == "Harbour Library"


def test_without_a_model_what_is_kept_can_be_read_and_nothing_is_done(tmp_path: Path) -> None:
    settings = replace(small_site.settings_for(tmp_path / "home"), models_dir=tmp_path / "nowhere")
    serving = answering.build_serving(settings)
    try:
        assert not serving.gaps.has_work()
        with pytest.raises(NotReadyError):
            serving.coverage.coverage(ALL_TURNS, 24)
    finally:
        serving.close()
