from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import (
    BadInputError,
    LlmUnavailableError,
    LodgeError,
    ModelError,
    NotReadyError,
    SnapshotError,
)
from server.models import Final, Question
from server.settings import PROJECT, Settings
from server.wiring import indexing, vitals
from server.wiring import serving as answering
from server.wiring.generation import build_writer
from server.wiring.snapshot_store import shelf
from server.workbench.records import open_records
from tests import small_site

QUESTION = Question("How much is tuition for residents of the state?", "c1", "m1", "t1")


@pytest.fixture
def home(small_home: Settings, tmp_path: Path) -> Settings:
    """The small college's snapshots in a home of this test's own."""
    settings = small_site.settings_for(tmp_path / "home")
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    return settings


@pytest.fixture
def serving(home: Settings) -> Iterator[answering.Serving]:
    serving = answering.build_serving(home)
    yield serving
    serving.close()


def other_embedder(settings: Settings, name: str = "other") -> Settings:
    """The shipped model as if it were another: under another name, and another hash on its card."""
    shipped, models = Settings().models_dir / settings.embedder, settings.home / "models"
    shutil.copytree(shipped, models / name, copy_function=lambda a, b: Path(b).symlink_to(a))
    card = models / name / "model.toml"
    text = card.read_text()
    card.unlink()
    card.write_text(
        "\n".join('sha256 = "ffff"' if line.startswith("sha256") else line for line in text.splitlines())
    )
    return replace(settings, models_dir=models, embedder=name, reranker="")


def test_serves_an_answer_that_is_in_the_records_by_its_last_event(serving: answering.Serving) -> None:
    assert serving.missing() == []
    *_, final = serving.asker.ask(QUESTION)
    assert isinstance(final, Final)
    assert "$9,240" in final.answer.answer
    stored = serving.records.conversations.trace("t1")
    assert (stored["question"], stored["strategy"]) == (QUESTION.text, "hybrid+rerank")
    assert {"embedder", "embedder_sha256"} <= set(stored["versions"])


def test_the_settings_reach_the_flow(home: Settings) -> None:
    strict = replace(
        home, strategy="keyword", refusal_threshold=1.1, seems_threshold=1.1, max_question_chars=50
    )
    serving = answering.build_serving(strict)
    try:
        *_, final = serving.asker.ask(replace(QUESTION, text="How much is tuition?"))
        assert isinstance(final, Final)
        assert (final.answer.strategy, final.answer.refused) == ("keyword", True)
        with pytest.raises(BadInputError, match="50 are the most"):
            next(serving.asker.ask(replace(QUESTION, text="x" * 51)))
    finally:
        serving.close()


def test_without_a_snapshot_the_server_starts_and_says_what_is_missing(tmp_path: Path) -> None:
    serving = answering.build_serving(small_site.settings_for(tmp_path))
    try:
        [missing] = serving.readiness.missing()
        assert "lodge index" in missing
        with pytest.raises(NotReadyError, match="lodge index"):
            next(serving.asker.ask(QUESTION))
        small_site.index_pages(small_site.settings_for(tmp_path), small_site.kept_pages()[:2])
        assert serving.missing() == []
        *_, final = serving.asker.ask(QUESTION)
        assert isinstance(final, Final)
    finally:
        serving.close()


def test_a_start_over_a_damaged_snapshot_answers_from_the_one_before_and_says_so(
    own_snapshots: Settings,
) -> None:
    first, second = shelf(own_snapshots).names()
    shelf(own_snapshots).publish(second)
    path = own_snapshots.snapshots_dir / second / "index.duckdb"
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 255
    path.write_bytes(data)
    serving = answering.build_serving(own_snapshots)
    try:
        *_, final = serving.asker.ask(QUESTION)
        assert isinstance(final, Final)
        assert final.answer.snapshot == first
        assert "$9,240" in final.answer.answer
        assert serving.missing() == []
        [told] = serving.degraded()
        assert told == (
            f"index.duckdb of the snapshot {second!r} is damaged: its hash is another. "
            f"The snapshot {first!r} answers in its place."
        )
    finally:
        serving.close()


def test_without_a_model_the_server_starts_and_says_what_is_missing(home: Settings) -> None:
    serving = answering.build_serving(replace(home, embedder="nowhere"))
    try:
        [missing] = serving.missing()
        assert "'nowhere' is incomplete: model.toml, model.onnx, tokenizer.json" in missing
        with pytest.raises(NotReadyError, match="'nowhere' is incomplete"):
            next(serving.asker.ask(QUESTION))
    finally:
        serving.close()


def with_own_reranker(settings: Settings, strategy: str) -> tuple[Settings, Path]:
    """Settings with a copy of the shipped models, and the file of the reranker among them."""
    models = settings.home / "models"
    for name in (settings.embedder, settings.reranker):
        shutil.copytree(settings.models_dir / name, models / name)
    return replace(settings, models_dir=models, strategy=strategy), models / settings.reranker / "model.onnx"


def test_a_reranker_is_ready_at_the_start_where_the_default_strategy_reranks(home: Settings) -> None:
    settings, file = with_own_reranker(home, "hybrid+rerank")
    serving = answering.build_serving(settings)
    try:
        file.unlink()
        *_, final = serving.asker.ask(QUESTION)
        assert isinstance(final, Final)
        assert final.answer.strategy == "hybrid+rerank"
    finally:
        serving.close()


def test_a_reranker_is_loaded_for_the_first_question_that_asks_for_it_elsewhere(home: Settings) -> None:
    settings, file = with_own_reranker(home, "hybrid")
    serving = answering.build_serving(settings)
    try:
        file.rename(file.with_name("away"))
        *_, final = serving.asker.ask(QUESTION)
        assert isinstance(final, Final)
        with pytest.raises(ModelError, match="cannot be loaded"):
            list(serving.asker.ask(replace(QUESTION, message_id="m2", trace_id="t2", strategy="cmu")))
        file.with_name("away").rename(file)
        *_, final = serving.asker.ask(replace(QUESTION, message_id="m3", trace_id="t3", strategy="cmu"))
        assert isinstance(final, Final)
        assert final.answer.strategy == "cmu"
    finally:
        serving.close()


@pytest.mark.parametrize("strategy", ["hybrid", "hybrid+rerank"])
def test_a_broken_reranker_is_known_at_the_start(home: Settings, strategy: str) -> None:
    settings, file = with_own_reranker(home, strategy)
    file.write_bytes(file.read_bytes()[:-1000])
    serving = answering.build_serving(settings)
    try:
        [missing] = serving.missing()
        assert "'reader-l6-int8' cannot be loaded" in missing
    finally:
        serving.close()


def test_what_answers_can_do_without_is_told_and_keeps_nothing_from_being_ready(
    home: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        nobody = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    serving = answering.build_serving(replace(home, llm_url=nobody, llm_breaker_failures=1, llm_retries=0))
    try:
        assert serving.degraded() == []
        *_, final = serving.asker.ask(QUESTION)
        assert isinstance(final, Final)
        assert final.answer.degraded == "down"
        [model] = serving.degraded()
        assert "language model" in model
        assert serving.missing() == []
        assert (serving.vitals().llm_resting, serving.vitals().chunks > 0) == (True, True)
        monkeypatch.setattr(vitals, "LOW_DISK_BYTES", 1 << 62)
        assert "disk" in serving.degraded()[1]
    finally:
        serving.close()


def test_another_embedder_than_the_snapshots_is_named_with_it(home: Settings) -> None:
    serving = answering.build_serving(other_embedder(home))
    try:
        with pytest.raises(SnapshotError, match=r"'minilm-l6-int8', but 'other'"):
            next(serving.asker.ask(QUESTION))
        assert len(serving.missing()) == 1
    finally:
        serving.close()


def test_vectors_of_another_embedder_are_not_reused(home: Settings) -> None:
    pages = small_site.kept_pages()[:2]
    assert small_site.index_pages(home, pages).reused == 4
    assert small_site.index_pages(other_embedder(home), pages).reused == 0


def test_ask_once_answers_and_records(home: Settings) -> None:
    answer = answering.ask_once(home, QUESTION.text, "keyword")
    assert (answer.refused, answer.strategy) == (False, "keyword")
    records = open_records(home.records_database_url)
    try:
        assert records.conversations.trace(answer.trace_id)["question"] == QUESTION.text
    finally:
        records.close()


@pytest.mark.parametrize(
    ("change", "error"),
    [({"embedder": "nowhere"}, ModelError), ({"records_url": "nonsense"}, BadInputError)],
)
def test_ask_once_with_a_part_that_cannot_be_built_is_an_error(
    home: Settings, change: dict[str, str], error: type[LodgeError]
) -> None:
    with pytest.raises(error):
        answering.ask_once(replace(home, **change), "library hours", None)  # type: ignore[arg-type]  # by name


def test_a_pages_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    settings = small_site.settings_for(tmp_path)
    with pytest.raises(BadInputError, match=r"no pages file .*nowhere\.jsonl"):
        indexing.run_index(
            settings, tmp_path / "nowhere.jsonl", on_broken=lambda line, why: None, on_progress=lambda _: None
        )


def test_a_broken_line_of_a_pages_file_is_told_and_the_rest_is_indexed(tmp_path: Path) -> None:
    settings = small_site.settings_for(tmp_path)
    path = small_site.write_pages(tmp_path / "some.jsonl", small_site.kept_pages()[:2])
    path.write_text("{broken\n" + path.read_text())
    told: list[tuple[int, str]] = []
    report = indexing.run_index(
        settings, path, on_broken=lambda line, why: told.append((line, why)), on_progress=lambda _: None
    )
    assert (report.pages, told) == (2, [(1, "not JSON")])


def test_asking_loads_neither_the_crawler_nor_the_web() -> None:
    """What a command does not need, it does not wait for."""
    heavy = "{'scrapy', 'twisted', 'trafilatura', 'litestar', 'streamlit', 'pyarrow', 'typesense', 'httpx'}"
    script = f"import sys, server.wiring.serving; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_a_language_model_that_is_down_keeps_nothing_from_starting() -> None:
    writer = build_writer(Settings(llm_url="http://127.0.0.1:9/v1"))
    with pytest.raises(LlmUnavailableError):
        writer.condense("When is it open?", [("user", "Where is the library?")])
    writer.close()


def test_a_wrong_setting_of_the_language_model_is_bad_input() -> None:
    with pytest.raises(BadInputError, match="LODGE_LLM_URL"):
        build_writer(Settings(llm_url="gpu-box"))
