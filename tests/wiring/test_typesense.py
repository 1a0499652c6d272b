"""server/wiring/typesense.py: serving, indexing, rolling back and `lodge typesense sync`."""

from __future__ import annotations

import itertools
import json
import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli import main
from server.errors import BadInputError, NotReadyError
from server.index.typesense.connection import TypesenseError
from server.models import Final, Question
from server.settings import Settings
from server.wiring import indexing
from server.wiring import measuring as evaluating
from server.wiring import serving as answering
from server.wiring import snapshot_store as shelving
from server.wiring.typesense import SyncReport, run_sync
from tests import small_site
from tests.index.test_manager import askers
from tests.index.typesense.rig import Rig
from tests.index.typesense.stand_in import StandIn

PAGES = small_site.kept_pages()
WELL = {"engine": "typesense"}


@pytest.fixture
def settings(rig: Rig, tmp_path: Path) -> Settings:
    """A home of this test's own that has the cluster, for both engines."""
    return replace(
        small_site.settings_for(tmp_path / "home"),
        typesense_urls=" ".join(rig.cluster.urls),
        typesense_key=rig.cluster.key,
        typesense_alias=rig.names.alias,
        typesense_engine="keyword+vector",
        typesense_timeout_s=5.0,
        typesense_rest_s=0.0,
        reranker="",
    )


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def index(settings: Settings, warnings: list[str]) -> Callable[..., str]:
    """Builds and publishes a snapshot of some pages; its name."""

    def run(pages: int = 2, **changes: Any) -> str:
        path = small_site.write_pages(settings.home / "pages.jsonl", PAGES[:pages])
        report = indexing.run_index(
            replace(settings, **changes),
            path,
            on_broken=lambda line, why: None,
            on_progress=lambda _: None,
            warn=warnings.append,
        )
        return report.snapshot

    return run


@pytest.fixture
def sync(settings: Settings, warnings: list[str]) -> Callable[..., SyncReport]:
    def run(rebuild: bool = False) -> SyncReport:
        return run_sync(settings, rebuild=rebuild, warn=warnings.append, on_progress=lambda done, of: None)

    return run


@pytest.fixture
def serving(settings: Settings) -> Iterator[answering.Serving]:
    serving = answering.build_serving(settings)
    yield serving
    serving.close()


def ask(serving: answering.Serving, text: str = "How much is tuition?", trace_id: str = "t1") -> Final:
    *_, final = serving.asker.ask(Question(text, "c1", f"m-{trace_id}", trace_id))
    assert isinstance(final, Final)
    return final


def engines(final: Final) -> dict[str, dict[str, Any]]:
    """What the two searches' steps note."""
    return {step.step: dict(step.notes) for step in final.trace.steps if step.step in SEARCHES}


SEARCHES = ("retrieve.semantic", "retrieve.keyword")


def test_a_published_snapshot_is_behind_the_alias(
    rig: Rig, index: Callable[..., str], warnings: list[str]
) -> None:
    name = index()
    assert rig.behind_the_alias() == rig.names.collection(name)
    assert warnings == []


def test_a_question_is_answered_by_typesense_and_the_trace_says_so(
    index: Callable[..., str], serving: answering.Serving
) -> None:
    index(pages=len(PAGES))
    final = ask(serving, "How much is tuition for residents of the state?")
    assert engines(final) == dict.fromkeys(SEARCHES, WELL)
    assert "$9,240" in final.answer.answer
    stored = serving.records.conversations.trace("t1")
    assert [step["notes"] for step in stored["steps"] if step["step"] in SEARCHES] == [WELL, WELL]


def test_the_answer_is_the_one_that_duckdb_would_have_given(
    settings: Settings, index: Callable[..., str], serving: answering.Serving
) -> None:
    index(pages=len(PAGES))
    alone = answering.build_serving(replace(settings, typesense_urls=""))
    for number, page in enumerate(PAGES):
        question = f"What should I know about {page['title']}?"
        with_it, without = ask(serving, question, f"a{number}"), ask(alone, question, f"b{number}")
        assert with_it.answer.answer == without.answer.answer
        assert not any("engine" in notes for notes in engines(without).values())
    alone.close()


def test_while_it_is_down_duckdb_answers_and_afterwards_typesense_again(
    stand_in: StandIn, index: Callable[..., str], serving: answering.Serving
) -> None:
    index(pages=len(PAGES))
    well = ask(serving)
    stand_in.stop()
    ask(serving, trace_id="t2")
    down = ask(serving, trace_id="t3")
    stand_in.start()
    back = ask(serving, trace_id="t4")
    ill = {"engine": "duckdb", "degraded": "typesense: cannot be reached"}
    assert [engines(final) for final in (well, down, back)] == [
        dict.fromkeys(SEARCHES, notes) for notes in (WELL, ill, WELL)
    ]
    assert well.answer.answer == down.answer.answer == back.answer.answer


def test_while_it_flaps_everybody_gets_the_same_answer_and_it_is_used_again(
    stand_in: StandIn, index: Callable[..., str], serving: answering.Serving
) -> None:
    index(pages=len(PAGES))
    well, numbers = ask(serving).answer, itertools.count()
    used: queue.Queue[str] = queue.Queue()

    def go_on() -> None:
        final = ask(serving, trace_id=f"f{next(numbers)}")
        assert (final.answer.answer, final.answer.citations) == (well.answer, well.citations)
        used.put(str(engines(final)[SEARCHES[0]]["engine"]))

    def wait_for(engine: str) -> None:
        while used.get(timeout=30) != engine:
            pass

    with askers(go_on, 2):
        for _ in range(3):
            stand_in.stop()
            wait_for("duckdb")
            stand_in.start()
            wait_for("typesense")


def test_by_the_setting_only_words_are_looked_for_there(
    settings: Settings, index: Callable[..., str]
) -> None:
    index(typesense_engine="keyword")
    serving = answering.build_serving(replace(settings, typesense_engine="keyword"))
    assert engines(ask(serving)) == {"retrieve.semantic": {}, "retrieve.keyword": WELL}
    serving.close()


def test_a_rollback_switches_the_alias_back(
    rig: Rig, settings: Settings, index: Callable[..., str], warnings: list[str]
) -> None:
    first, second = index(), index()
    assert rig.behind_the_alias() == rig.names.collection(second)
    shelving.shelf(settings, warnings.append).publish(first)
    assert rig.behind_the_alias() == rig.names.collection(first)
    assert warnings == []


def test_a_rollback_to_a_snapshot_that_typesense_lost_imports_it_again(
    rig: Rig, settings: Settings, index: Callable[..., str]
) -> None:
    first, second = index(), index()
    rig.publisher().drop([first])
    shelving.shelf(settings).publish(first)
    assert rig.behind_the_alias() == rig.names.collection(first)
    assert rig.publisher().leftovers([second]) == [first]


def test_collections_go_with_their_snapshots(rig: Rig, settings: Settings, index: Callable[..., str]) -> None:
    names = [index(keep_snapshots=2) for _ in range(3)]
    assert shelving.shelf(settings).names() == names[1:]
    assert rig.publisher().leftovers([]) == names[1:]


def test_while_it_is_down_a_snapshot_is_published_with_a_warning_and_brought_later(  # noqa: PLR0917
    stand_in: StandIn,
    rig: Rig,
    settings: Settings,
    index: Callable[..., str],
    sync: Callable[..., SyncReport],
    warnings: list[str],
) -> None:
    first = index(keep_snapshots=1)
    stand_in.stop()
    second = index(keep_snapshots=1)
    assert settings.current_snapshot.readlink().name == second
    not_brought, not_dropped = warnings
    assert "Typesense: cannot be reached." in not_brought
    assert f"Until `lodge typesense sync` has brought it the snapshot {second}" in not_brought
    assert "still there; `lodge typesense sync` drops them" in not_dropped
    stand_in.start()
    assert rig.behind_the_alias() == rig.names.collection(first)
    report = sync()
    assert (report.collection, report.made, report.dropped) == (rig.names.collection(second), True, (first,))
    assert rig.behind_the_alias() == rig.names.collection(second)
    again = sync()
    assert (again.made, again.dropped, again.documents) == (False, (), report.documents)
    assert sync(rebuild=True).made
    assert len(warnings) == 2


def test_a_server_that_was_running_uses_it_as_soon_as_it_is_brought(
    stand_in: StandIn,
    index: Callable[..., str],
    sync: Callable[..., SyncReport],
    serving: answering.Serving,
) -> None:
    index()
    stand_in.stop()
    index(pages=3)
    stand_in.start()
    before = engines(ask(serving))["retrieve.keyword"]
    assert before["engine"] == "duckdb"
    assert "404" in before["degraded"]
    sync()
    assert engines(ask(serving, trace_id="t2")) == dict.fromkeys(SEARCHES, WELL)


def test_every_refused_document_is_told_and_the_alias_stays(
    stand_in: StandIn,
    rig: Rig,
    index: Callable[..., str],
    sync: Callable[..., SyncReport],
    warnings: list[str],
) -> None:
    first = index()
    stand_in.store.refused_documents = {"0": "Out of memory.", "2": "Out of memory."}
    second = index()
    assert [w for w in warnings if "refused document" in w] == [
        f"Typesense refused document {i} ({PAGES[i // 2]['url']}): Out of memory." for i in (0, 2)
    ]
    assert "2 of 4 documents were refused" in warnings[-1]
    assert rig.behind_the_alias() == rig.names.collection(first)
    with pytest.raises(TypesenseError, match="2 of 4 documents were refused"):
        sync()
    stand_in.store.refused_documents = {}
    assert sync().made
    assert rig.behind_the_alias() == rig.names.collection(second)


def test_snapshots_are_swapped_under_questions_without_mixing_them(
    settings: Settings, index: Callable[..., str], serving: answering.Serving
) -> None:
    """Every answer is of one snapshot, found by Typesense in that snapshot's own collection."""
    names = [index(pages=pages, typesense_alias=settings.typesense_alias) for pages in (2, len(PAGES))]
    counter = iter(range(10_000))
    seen: list[str] = []

    def one() -> None:
        final = ask(serving, "How much is tuition?", f"t{next(counter)}")
        assert engines(final) == dict.fromkeys(SEARCHES, WELL)
        urls = {passage.url for passage in final.trace.passages.values()}
        if final.answer.snapshot == names[0]:
            assert urls <= {page["url"] for page in PAGES[:2]}
        seen.append(final.answer.snapshot)

    shelf = shelving.shelf(settings)
    with askers(one, 3):
        for name in (names[0], names[1], names[0]):
            shelf.publish(name)
            while seen[-1:] != [name]:
                pass
    assert set(seen) == set(names)


def test_questions_asked_at_once_wait_for_one_failure_not_for_each_other(
    stand_in: StandIn, settings: Settings, index: Callable[..., str]
) -> None:
    index()
    serving = answering.build_serving(replace(settings, typesense_timeout_s=2.0, typesense_rest_s=600.0))
    ask(serving)
    stand_in.fail("slow", on="multi_search", delay_s=60.0)
    with ThreadPoolExecutor(4) as pool:
        finals = list(pool.map(lambda i: ask(serving, trace_id=f"s{i}"), range(8)))
    notes = [note for final in finals for note in engines(final).values()]
    assert notes == [{"engine": "duckdb", "degraded": "typesense: timed out"}] * 16
    assert stand_in.sent("POST /multi_search") <= 2 + 4  # those of the first question, then one a thread
    serving.close()


def test_an_evaluation_on_a_pages_file_leaves_typesense_out_of_it(
    stand_in: StandIn, settings: Settings, tmp_path: Path
) -> None:
    pages = small_site.write_pages(tmp_path / "pages.jsonl", PAGES[:2])
    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "1", "question": "tuition", "answers": ["x"], "gold_urls": null}\n')
    evaluating.run_eval(
        settings, questions, pages, ["hybrid"], warn=print, note=print, on_progress=lambda a, b: None
    )
    assert stand_in.requests == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"typesense_urls": "search1"}, "LODGE_TYPESENSE_URLS has 'search1'"),
        ({"typesense_key": ""}, "LODGE_TYPESENSE_KEY is empty"),
        ({"typesense_alias": "a/b"}, "LODGE_TYPESENSE_ALIAS is 'a/b'"),
        ({"typesense_weights": "3 2"}, "LODGE_TYPESENSE_WEIGHTS is '3 2'"),
        ({"typesense_weights": "3 2 1 1"}, "three, for title, heading and text, or six"),
        ({"typesense_weights": "3 2 -1"}, "LODGE_TYPESENSE_WEIGHTS"),
        ({"typesense_weights": "3 2 128"}, "from 0 to 127"),
        ({"typesense_weights": "a b c"}, "LODGE_TYPESENSE_WEIGHTS"),
        ({"synonyms_file": Path("/nowhere/synonyms.toml")}, "cannot be read"),
    ],
)
def test_a_wrong_setting_is_told_when_the_server_starts(
    settings: Settings, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadInputError, match=sentence):
        answering.build_serving(replace(settings, **change))


def test_a_broken_synonyms_file_does_not_hold_up_a_rollback(
    settings: Settings, index: Callable[..., str], warnings: list[str], tmp_path: Path
) -> None:
    first, _ = index(), index()
    broken = tmp_path / "synonyms.toml"
    broken.write_text("[[synonym]", encoding="utf-8")
    shelving.shelf(replace(settings, synonyms_file=broken), warnings.append).publish(first)
    assert settings.current_snapshot.readlink().name == first
    assert "are not TOML" in warnings[0]


def test_there_must_be_something_to_bring(sync: Callable[..., SyncReport], settings: Settings) -> None:
    with pytest.raises(NotReadyError, match="lodge index"):
        sync()
    with pytest.raises(BadInputError, match="LODGE_TYPESENSE_URLS is empty"):
        run_sync(
            replace(settings, typesense_urls=""),
            rebuild=False,
            warn=print,
            on_progress=lambda done, of: None,
        )


def test_the_key_is_in_no_text_about_the_settings(settings: Settings) -> None:
    assert settings.typesense_key not in repr(settings)


def test_the_command_line_brings_it_and_prints_one_document(
    settings: Settings, index: Callable[..., str], stand_in: StandIn
) -> None:
    name = index()
    environ = {
        "LODGE_HOME": str(settings.home),
        "LODGE_DUCKDB_THREADS": "1",
        "LODGE_TYPESENSE_URLS": settings.typesense_urls,
        "LODGE_TYPESENSE_KEY": settings.typesense_key,
        "LODGE_TYPESENSE_ALIAS": settings.typesense_alias,
        "LODGE_TYPESENSE_ENGINE": "keyword+vector",
    }
    run = CliRunner()
    again = run.invoke(main, ["typesense", "sync", "--json"], env=environ)
    assert json.loads(again.stdout) == {
        "alias": settings.typesense_alias,
        "collection": f"{settings.typesense_alias}-{name}",
        "documents": 4,
        "made": False,
        "dropped": [],
    }
    rebuilt = run.invoke(main, ["typesense", "sync", "--rebuild"], env=environ)
    assert (rebuilt.exit_code, "True" in rebuilt.stdout) == (0, True)
    stand_in.fail(503)
    failed = run.invoke(main, ["typesense", "sync"], env=environ)
    assert failed.exit_code == 1
    assert "Error: Typesense: answered 503" in failed.stderr
    back = run.invoke(main, ["rollback", name], env=environ)
    assert (back.exit_code, back.stdout) == (0, f"{name} is live.\n")
    assert "Warning: Typesense: answered 503" in back.stderr
    for result in (again, rebuilt, failed, back):
        assert settings.typesense_key not in result.output
