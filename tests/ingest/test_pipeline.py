from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import BadInputError, SnapshotError
from server.index.search import Index
from server.index.snapshot import Manifest
from server.inference.encoders import Embedder, SnapshotClassifier
from server.ingest.crawl.nouns import Copy, CrawlOutcome, FoundUrl
from server.ingest.crawl.store import CrawlStore
from server.ingest.extract.charset import MOST_TAGS
from server.ingest.pages_file import read_pages_file
from server.ingest.pipeline import Indexer, IndexProgress, IndexReport
from server.ingest.topics.labels import LabelRules
from server.models import Drop, SourcePage
from server.settings import Settings
from server.wiring import indexing
from server.wiring import snapshot_store as shelving
from tests import small_site


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return small_site.settings_for(tmp_path)


def indexer(settings: Settings, embedder: Embedder) -> Indexer:
    return indexing.build_indexer(settings, shelving.shelf(settings), embedder)


def live(settings: Settings, report: IndexReport) -> str:
    """The snapshot of a report, live from now on."""
    shelving.shelf(settings).publish(report.snapshot)
    return report.snapshot


def source_pages(settings: Settings, pages: list[dict[str, str]]) -> list[SourcePage]:
    path = small_site.write_pages(settings.home / "some.jsonl", pages)
    return list(read_pages_file(path, lambda line, why: None))


def test_a_report_says_what_was_kept_and_dropped_and_where_the_time_went(
    settings: Settings, embedder: Embedder
) -> None:
    pages = source_pages(settings, small_site.kept_pages() + small_site.dropped_pages())
    crawled = [Drop("https://www.brackwater.example/private", "robots", "robots.txt disallows it.")]
    report = indexer(settings, embedder).index(pages, crawled)
    assert (report.pages, report.chunks, report.reused) == (14, 28, 0)
    assert report.dropped == {"robots": 1, "duplicate": 1, "short": 1, "archive": 1}
    assert report.checks == {"self_vector": 1.0, "self_keyword": 1.0, "hnsw_recall": 1.0}
    assert {"extract", "chunk", "embed", "write", "index", "verify", "total"} <= set(report.seconds)
    assert json.loads(json.dumps(report.as_json()))["snapshot"] == report.snapshot


def test_link_texts_of_all_pages_are_kept_with_the_page_they_point_to(
    settings: Settings, embedder: Embedder
) -> None:
    first, *others = small_site.kept_pages()[:3]
    link = f'<a href="{first["url"]}/">The {{}} way in</a><a href="{first["url"]}">here</a>'
    linking = [{**one, "html": link.format("old") + one["html"]} for one in others]
    copied = {**linking[-1], "url": small_site.SITE + "/copy"}
    moved = f'<a href="{small_site.SITE}/moved">Moved here</a>'
    linking[0]["html"] += moved
    pages = source_pages(settings, [first, *linking, copied])
    report = indexer(settings, embedder).index(
        pages, leads=lambda: {small_site.SITE + "/moved": first["url"]}
    )
    index = Index(settings.snapshots_dir / report.snapshot, threads=1)
    try:
        rows = index.snapshot.rows("SELECT anchors FROM pages WHERE url = ?", [first["url"]])
    finally:
        index.close()
    assert rows == [(["The old way in", "Moved here"],)]


def test_a_short_page_with_a_fact_is_a_passage(settings: Settings, embedder: Embedder) -> None:
    short = small_site.page("/exam", "Examination in knots", "## When\nTuesday at 8, Quarry Hall 12")
    pages = source_pages(settings, [*small_site.kept_pages()[:2], short])
    report = indexer(settings, embedder).index(pages)
    assert (report.pages, report.dropped) == (3, {})


def test_a_page_that_raises_is_left_out_with_the_reason_and_the_run_goes_on(
    settings: Settings, embedder: Embedder
) -> None:
    pages = source_pages(settings, small_site.kept_pages()[:3])
    broken = SourcePage("https://www.brackwater.example/odd", 5)  # type: ignore[arg-type]  # raises whoever reads it
    report = indexer(settings, embedder).index([pages[0], broken, *pages[1:]])
    assert (report.pages, report.dropped) == (3, {"unreadable": 1})
    index = Index(settings.snapshots_dir / report.snapshot, threads=1)
    try:
        [(said,)] = index.snapshot.rows("SELECT detail FROM dropped")
    finally:
        index.close()
    assert said.startswith("The page could not be read: TypeError: ")


def test_a_stored_copy_that_is_damaged_is_left_out_and_the_run_goes_on(settings: Settings) -> None:
    store = CrawlStore(settings.crawl_dir, "h")
    store.begin()
    for name in ("fine", "damaged"):
        body = f"<p>The {name} library is open to all who can read. ".encode() * 20
        store.add([FoundUrl(f"http://h/{name}", "/", 1)])
        item = store.next()
        assert item is not None
        copy = Copy("text/html", "{}", None, None, body, name, name, None, False, "2026-05-01T10:00:00+00:00")
        store.settle(item, CrawlOutcome("fetched", status=200), copy=copy)
    store.finish(mark_gone=False)
    store.close()
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE copies SET body = substr(body, 1, 20) WHERE body_hash = 'damaged'")
    report = indexing.run_index(settings, None, on_broken=lambda *_: None, on_progress=lambda _: None)
    assert (report.pages, report.dropped) == (1, {"unreadable": 1})
    index = Index(settings.snapshots_dir / report.snapshot, threads=1)
    try:
        [(url, said)] = index.snapshot.rows("SELECT url, detail FROM dropped")
    finally:
        index.close()
    assert url == "http://h/damaged"
    assert said.startswith("The stored copy is damaged: ")


def test_a_page_and_a_site_have_no_more_passages_than_are_taken(
    settings: Settings, embedder: Embedder
) -> None:
    few = dataclasses.replace(settings, max_page_passages=3, max_site_passages=4)
    long = [
        SourcePage(
            f"http://long.example/{word}",
            "".join(f"<p>The {word}{number} hall opens at noon and closes late." for number in range(100)),
        )
        for word in ("north", "south", "west")
    ]
    report = indexer(few, embedder).index([*long, *source_pages(settings, small_site.kept_pages()[:2])])
    assert (report.cut, report.dropped) == ({"passages": 2}, {"site_full": 1})
    assert report.chunks == 3 + 3 + 4


def test_one_page_of_many_passages_without_words_keeps_no_snapshot_from_its_checks(
    settings: Settings, embedder: Embedder
) -> None:
    """They do not find themselves by their words: a page has no more of a voice in that than any other."""
    few = dataclasses.replace(settings, max_page_passages=40)
    letters = SourcePage("http://long.example/", "<p>a" * 12_000)
    report = indexer(few, embedder).index([*source_pages(settings, small_site.kept_pages()), letters])
    assert (report.pages, report.chunks) == (15, 28 + 40)


def test_a_page_of_more_tags_than_are_read_is_counted(settings: Settings, embedder: Embedder) -> None:
    body = "<p>" + "The library is open to all. " * 20 + "<b>a" * MOST_TAGS
    report = indexer(settings, embedder).index([SourcePage("http://long.example/", body)])
    assert (report.pages, report.cut) == (1, {"tags": 1})


def test_the_manifest_says_what_the_snapshot_was_made_with(small_home: Settings, embedder: Embedder) -> None:
    manifest = Manifest.read(small_home.snapshots_dir / "current")
    assert (manifest.embedder, manifest.embedder_sha256) == (embedder.name, embedder.sha256)
    assert (manifest.pages, manifest.chunks, manifest.dims) == (14, 28, 384)
    assert manifest.parameters == {
        "chars": 500,
        "overlap_chars": 0,
        "min_words": 10,
        "late_interaction": embedder.projection_sha256,
    }
    assert manifest.dropped == {"duplicate": 1, "short": 1, "archive": 1}
    assert manifest.checks["self_vector"] == 1.0
    assert manifest.name == (small_home.snapshots_dir / "current").readlink().name


def test_a_second_run_reuses_the_vectors_of_what_has_not_changed(
    settings: Settings, embedder: Embedder
) -> None:
    pages = small_site.kept_pages()
    run = indexer(settings, embedder)
    first = run.index(source_pages(settings, pages))
    live(settings, first)
    pages[0]["html"] = pages[0]["html"].replace("$9,240", "$9,990")
    second = run.index(source_pages(settings, pages))
    assert (first.reused, second.reused, second.chunks) == (0, first.chunks - 1, first.chunks)
    old, new = (_vectors(settings, report) for report in (first, second))
    changed = [chunk for chunk in old if old[chunk] != new[chunk]]
    assert len(changed) == 1


def _vectors(settings: Settings, report: IndexReport) -> dict[int, tuple[float, ...]]:
    index = Index(settings.snapshots_dir / report.snapshot, threads=1)
    try:
        return {
            chunk: tuple(v) for chunk, v in index.snapshot.rows("SELECT chunk_id, embedding FROM vectors")
        }
    finally:
        index.close()


def test_vectors_of_another_model_file_are_not_reused(settings: Settings, embedder: Embedder) -> None:
    pages = source_pages(settings, small_site.kept_pages()[:3])
    run = indexer(settings, embedder)
    first = run.index(pages)
    live(settings, first)
    manifest = settings.snapshots_dir / first.snapshot / "manifest.json"
    manifest.write_text(manifest.read_text().replace(embedder.sha256, "f" * 64))
    assert run.index(pages).reused == 0


@pytest.mark.parametrize(("left_out", "reasons"), [(0, "no pages at all"), (2, "2 short")])
def test_when_nothing_is_left_the_live_snapshot_stays(
    settings: Settings, embedder: Embedder, left_out: int, reasons: str
) -> None:
    run = indexer(settings, embedder)
    before = live(settings, run.index(source_pages(settings, small_site.kept_pages()[:2])))
    short = [
        page | {"html": f"<p>Page {i}.</p>"} for i, page in enumerate(small_site.kept_pages()[:left_out])
    ]
    with pytest.raises(
        SnapshotError, match=rf"Nothing is left to index \({reasons}\); the live snapshot stays"
    ):
        run.index(source_pages(settings, short))
    shelf = shelving.shelf(settings)
    assert shelf.current_name == before
    assert [entry.name for entry in shelf.entries()] == [before]


def test_what_is_built_is_shelved_and_the_golden_questions_alone_let_it_go_live(
    settings: Settings, embedder: Embedder
) -> None:
    pages = source_pages(settings, small_site.kept_pages()[:2])
    run, shelf = indexer(settings, embedder), shelving.shelf(settings)
    first = run.index(pages).snapshot
    assert (shelf.current_name, shelf.names()) == (None, [first])
    shelf.publish(first)
    second = run.index(pages).snapshot
    assert (shelf.current_name, shelf.names()) == (first, [first, second])


def test_a_snapshot_that_fails_its_checks_is_never_seen(settings: Settings, embedder: Embedder) -> None:
    pages = source_pages(settings, small_site.kept_pages()[:2])
    before = live(settings, indexer(settings, embedder).index(pages))
    strict = replace(settings, hnsw_from_chunks=0, hnsw_min_recall=1.1)
    with pytest.raises(SnapshotError, match="failed its check hnsw_recall"):
        indexer(strict, embedder).index(pages)
    shelf = shelving.shelf(settings)
    assert [(entry.name, entry.current) for entry in shelf.entries()] == [(before, True)]
    assert [path.name for path in shelf.folder.glob(".*")] == []


def test_pages_that_break_off_leave_the_live_snapshot(settings: Settings, embedder: Embedder) -> None:
    pages = source_pages(settings, small_site.kept_pages()[:3])
    run = indexer(settings, embedder)
    before = live(settings, run.index(pages))

    def broken() -> Iterator[SourcePage]:
        yield pages[0]
        raise BadInputError("The pages file cannot be read to its end.")

    with pytest.raises(BadInputError):
        run.index(broken())
    assert shelving.shelf(settings).current_name == before


def test_progress_counts_up_to_what_the_report_says(settings: Settings, embedder: Embedder) -> None:
    seen: list[IndexProgress] = []
    pages = source_pages(settings, small_site.kept_pages() + small_site.dropped_pages())
    report = indexer(settings, embedder).index(pages, on_progress=seen.append)
    assert seen[-1] == IndexProgress(pages=17, kept=report.pages, chunks=report.chunks)


def test_a_page_of_fewer_words_than_a_chunk_holds_is_dropped(settings: Settings, embedder: Embedder) -> None:
    words = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 4
    pages = [
        *source_pages(settings, small_site.kept_pages()[:1]),
        SourcePage("https://e.example/", words, False),
    ]
    report = indexer(settings, embedder).index(pages)
    assert report.dropped == {"too_short": 1}


def test_pages_are_labelled_and_the_classifiers_learnt_of_them_are_in_the_snapshot(
    settings: Settings, embedder: Embedder
) -> None:
    pages = small_site.kept_pages()
    sections = ("costs", "life")
    for i, page in enumerate(pages):
        page["url"] = f"{small_site.SITE}/{sections[i % 2]}/{i}.html" if i else page["url"]
    plain = indexer(settings, embedder)
    assert plain.learning is not None
    learning = replace(plain.learning, rules=LabelRules(2, 2, 2))
    report = replace(plain, learning=learning).index(source_pages(settings, pages))
    assert report.topics == {"life": 7, "costs": 6}
    assert report.seconds["learn"] > 0
    folder = settings.snapshots_dir / report.snapshot
    index = Index(folder, threads=1)
    try:
        assert index.snapshot.topics() == {"life": 7, "costs": 6, None: 1}
    finally:
        index.close()
    classifier = SnapshotClassifier(folder, embedder.dims)
    assert set(classifier.topics(embedder.embed_question("a room in the halls"))) == {"life", "costs"}


def test_a_site_without_topics_has_the_gate_alone(small_home: Settings, embedder: Embedder) -> None:
    """All of the small college's pages lie directly under its root."""
    classifier = SnapshotClassifier((small_home.snapshots_dir / "current").resolve(), embedder.dims)
    own, other = (
        classifier.in_scope(embedder.embed_question(text))
        for text in (
            "What is the deposit for a room in the residence halls?",
            "who won the world cup in 1998",
        )
    )
    assert classifier.topics(embedder.embed_question("library hours")) == {}
    assert own is not None
    assert other is not None
    assert own > 0.5 > other


def test_without_learning_a_snapshot_has_no_classifiers(settings: Settings, embedder: Embedder) -> None:
    run = replace(indexer(settings, embedder), learning=None)
    report = run.index(source_pages(settings, small_site.kept_pages()[:2]))
    assert report.topics == {}
    assert {path.name for path in (settings.snapshots_dir / report.snapshot).iterdir()} == {
        "index.duckdb", "manifest.json", "postings.bin", "token_offsets.i64", "tokens.i8", "vectors.f32",
    }  # fmt: skip
