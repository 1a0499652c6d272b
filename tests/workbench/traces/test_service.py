"""The page that should have answered, over the small college's live snapshot and crawl stores."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.errors import BadInputError, NotFoundError, NotReadyError
from server.ingest.crawl.nouns import CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore
from server.models import Question, Scope
from server.models.curation import LeaveOut, RuleSet
from server.settings import Settings
from server.wiring import serving as answering
from server.wiring.opening import build_records
from server.workbench.traces.service import Changes
from tests import small_site
from tests.small_site import SITE

TUITION = Question("How much is tuition for residents of the state?", "c1", "m1", "t1", strategy="hybrid")


@pytest.fixture
def home(small_home: Settings, tmp_path: Path) -> Settings:
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return replace(settings, reranker="")


@pytest.fixture
def serving(home: Settings) -> Iterator[answering.Serving]:
    serving = answering.build_serving(home)
    yield serving
    serving.close()


def asked(serving: answering.Serving, question: Question = TUITION) -> dict[str, Any]:
    """Its recorded trace."""
    assert list(serving.asker.ask(question))
    return serving.records.conversations.trace(question.trace_id)


def whereabouts(serving: answering.Serving, url: str, question: Question = TUITION) -> dict[str, Any]:
    return serving.traces.page(asked(serving, question), url)


def test_the_page_that_answered_is_cited(serving: answering.Serving) -> None:
    trace = asked(serving)
    url = trace["answer"]["citations"][0]["url"]
    found = serving.traces.page(trace, url + "#fees")
    assert (found["code"], found["told_by"]) == ("cited", "trace")
    assert found["passages"] > 0
    assert {row["url"] for row in found["tables"][0]["rows"]} == {url}


def test_a_page_that_fell_on_the_way_says_at_which_step_and_rank(serving: answering.Serving) -> None:
    trace = asked(serving)
    cited = {one["url"] for one in trace["answer"]["citations"]}
    other = next(
        hit for step in trace["steps"] if step["step"] == "boost" for hit in reversed(step["ranking"])
    )
    url = trace["passages"][str(other["chunk_id"])]["url"]
    assert url not in cited
    found = serving.traces.page(trace, url)
    assert found["code"] in ("fell_at_extract", "fell_at_cited")
    assert "rank" in found["sentence"]


def test_a_page_that_neither_search_brought_has_its_rank_further_down(home: Settings) -> None:
    serving = answering.build_serving(replace(home, candidates=2, passages=1))
    try:
        found = whereabouts(serving, SITE + "/library")
    finally:
        serving.close()
    assert (found["code"], found["told_by"]) == ("not_retrieved", "snapshot")
    assert found["semantic_rank"] > 2
    assert "The first 2 of each were looked at." in found["sentence"]


def test_a_page_outside_of_the_scope_says_so(serving: answering.Serving) -> None:
    within = replace(TUITION, within=Scope(prefix=SITE + "/parking"))
    assert whereabouts(serving, SITE + "/library", within)["code"] == "out_of_scope"


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/copy", "duplicate", "The same text as"),
        ("/staff/a-moor", "short", "characters of main text"),
        ("/archive/2019", "archive", "Left out by the rule"),
    ],
)
def test_a_page_that_a_filter_left_out_names_the_filter(
    serving: answering.Serving, path: str, code: str, words: str
) -> None:
    found = whereabouts(serving, SITE + path)
    assert (found["code"], found["told_by"], found["passages"]) == (code, "snapshot", 0)
    assert words in found["sentence"]


def test_where_nobody_knows_it_is_said(serving: answering.Serving) -> None:
    found = whereabouts(serving, SITE + "/nowhere")
    assert (found["code"], found["told_by"]) == ("unknown", "nobody")
    assert found["sentence"].startswith("Not known")


def test_the_crawl_store_knows_the_rest(serving: answering.Serving, home: Settings) -> None:
    store = CrawlStore(home.crawl_dir, SITE.removeprefix("https://"))
    store.begin()
    store.add([FoundUrl(SITE + "/gone", "/gone", 1), FoundUrl(SITE + "/later", "/later", 2)])
    store.add([FoundUrl(SITE + "/private", "/private", 1, skip="robots")])
    item = store.next()
    assert item is not None
    store.settle(item, CrawlOutcome("gone", "status", None, 404))
    store.close()
    trace = asked(serving)
    codes = {}
    for path in ("/gone", "/later", "/private", "/nowhere"):
        found = serving.traces.page(trace, SITE + path)
        codes[path] = found["code"]
        assert found["told_by"] == "crawl"
    assert codes == {"/gone": "status", "/later": "queued", "/private": "robots", "/nowhere": "never_crawled"}
    assert "robots.txt" in serving.traces.page(trace, SITE + "/private")["sentence"]


def test_what_is_no_address_is_refused(serving: answering.Serving) -> None:
    with pytest.raises(BadInputError, match="no address of a page"):
        serving.traces.page(asked(serving), "the tuition page")


def test_a_replay_runs_on_the_models_of_the_flow_and_leaves_no_record(serving: answering.Serving) -> None:
    trace = asked(serving)
    found = serving.traces.replay(trace, Changes())
    assert found["different"]["same"]
    assert found["different"]["versions"] == found["different"]["settings"] == []
    assert len(serving.records.search.conversations(limit=10)) == 1
    assert len(serving.records.conversations.conversation("c1")["messages"]) == 2


def test_what_editors_set_can_be_left_away_or_a_draft_tried(serving: answering.Serving) -> None:
    trace, shelf = asked(serving), serving.records.rulebooks
    cited = {page["url"] for page in trace["answer"]["citations"]}
    with pytest.raises(NotFoundError, match="no draft"):
        serving.traces.replay(trace, Changes(rules="draft"))
    shelf.put_draft(RuleSet("main", (LeaveOut("fees", "pages", "\n".join(cited)),)))
    tried = serving.traces.replay(trace, Changes(rules="draft"))["answer"]
    assert cited.isdisjoint(page["url"] for page in tried["citations"])
    shelf.publish("main")
    assert serving.traces.replay(trace, Changes(rules="none"))["different"]["same"]


def test_a_page_that_editors_leave_out_names_their_filter(home: Settings) -> None:
    records = build_records(home)
    records.rulebooks.put_draft(RuleSet("main", (LeaveOut("fees", "prefix", "/tuition"),)))
    records.rulebooks.publish("main")
    records.close()
    serving = answering.build_serving(home)
    try:
        trace = asked(serving)
        found = serving.traces.page(trace, SITE + "/tuition")
        assert "editors leave its page out" in found["sentence"]
        assert found["code"] == "fell_at_retrieve.excluded"
        elsewhere = serving.traces.page(trace | {"steps": []}, SITE + "/tuition")
        assert (elsewhere["code"], elsewhere["told_by"]) == ("left_out", "editors")
    finally:
        serving.close()


def test_without_a_model_it_says_which_is_missing(home: Settings) -> None:
    serving = answering.build_serving(replace(home, embedder="nowhere"))
    try:
        with pytest.raises(NotReadyError, match="'nowhere' is incomplete"):
            serving.traces.replay({}, Changes())
        with pytest.raises(NotReadyError, match="'nowhere' is incomplete"):
            serving.traces.page({}, SITE)
    finally:
        serving.close()
