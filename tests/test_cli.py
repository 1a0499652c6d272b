"""The command line, as a person or a program meets it: results, exit statuses, sentences."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from corpus.demo_site import serve
from server.cli import main
from server.settings import Settings
from tests import small_site
from tests.wiring.question_files import write_questions

Lodge = Callable[..., Result]


@pytest.fixture
def lodge(tmp_path: Path) -> Lodge:
    """Runs a command in a home of its own; keyword arguments are settings."""

    def run(*arguments: str, **settings: str) -> Result:
        environ = {f"LODGE_{name.upper()}": value for name, value in settings.items()}
        environ.setdefault("LODGE_HOME", str(tmp_path / "home"))
        return CliRunner().invoke(main, list(arguments), env=environ)

    return run


@pytest.fixture
def on_small_site(lodge: Lodge, small_home: Settings, tmp_path: Path) -> Lodge:
    """The same over the small college's snapshot, with records of its own."""

    def run(*arguments: str, **settings: str) -> Result:
        records = f"sqlite:///{tmp_path / 'records.sqlite'}"
        # DuckDB wants every connection of one process to a file to have the same number of threads.
        settings.setdefault("duckdb_threads", str(small_home.duckdb_threads))
        return lodge(*arguments, home=str(small_home.home), records_url=records, **settings)

    return run


@pytest.fixture
def on_own_site(lodge: Lodge, small_home: Settings, tmp_path: Path) -> Lodge:
    """The same over a copy of that snapshot, in a home that may be written to."""
    own = tmp_path / "home"
    shutil.copytree(small_home.snapshots_dir, own / "snapshots", symlinks=True)
    threads = str(small_home.duckdb_threads)

    def run(*arguments: str, **settings: str) -> Result:
        return lodge(*arguments, home=str(own), duckdb_threads=threads, **settings)

    return run


def failed(result: Result) -> str:
    """The sentence of a command that failed as it should: status 1, one error, no traceback."""
    assert result.exit_code == 1, result.output
    assert "Error: " in result.stderr
    assert "Traceback" not in result.output
    return result.stderr


def test_ask_json_prints_the_contract_and_nothing_else(on_small_site: Lodge) -> None:
    result = on_small_site("ask", "--json", "When is the library open?")
    answer = json.loads(result.stdout)
    assert set(answer) == {
        "answer", "refused", "refusal_reason", "answerer", "degraded", "citations", "closest_pages",
        "strategy", "snapshot", "conversation_id", "message_id", "trace_id", "timings_ms",
        "notices", "contacts", "as_of", "cautions", "lang", "confidence", "tier",
        "quote_reason", "narrow", "blocks",
    }  # fmt: skip
    assert answer["timings_ms"]["total"] > 0


def test_ask_prints_the_sources_below_the_answer(on_small_site: Lodge) -> None:
    result = on_small_site("ask", "When is the library open?")
    assert result.exit_code == 0
    assert small_site.SITE in result.stdout


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("", "Please type a question."),
        ("\x00\x07\u200b ?!", "Please type a question."),
        ("a" * 100_000, "100,000 characters; 2,000 are the most"),
    ],
)
def test_ask_turns_away_what_is_no_question(on_small_site: Lodge, question: str, sentence: str) -> None:
    assert sentence in failed(on_small_site("ask", question))


def test_an_unknown_strategy_names_the_known_ones(on_small_site: Lodge) -> None:
    sentence = failed(on_small_site("ask", "library?", "--strategy", "magic"))
    assert "'magic'" in sentence
    assert "semantic, keyword, hybrid, any of rerank, topics" in sentence


def test_ask_before_any_snapshot_says_what_to_do(lodge: Lodge) -> None:
    assert "run `lodge crawl` and `lodge index`" in failed(lodge("ask", "library?"))


def test_a_missing_model_is_named(on_small_site: Lodge) -> None:
    assert "'bge-large'" in failed(on_small_site("ask", "library?", embedder="bge-large"))


def test_another_model_than_the_snapshots_is_refused(on_small_site: Lodge, tmp_path: Path) -> None:
    shipped = Settings().models_dir / "minilm-l6-int8"
    shutil.copytree(shipped, tmp_path / "models" / "other")
    card = tmp_path / "models" / "other" / "model.toml"
    card.write_text(card.read_text().replace('sha256 = "', 'sha256 = "f00'), encoding="utf-8")
    result = on_small_site(
        "ask", "library?", models_dir=str(tmp_path / "models"), embedder="other", reranker=""
    )
    sentence = failed(result)
    assert "'minilm-l6-int8'" in sentence
    assert "'other'" in sentence


def test_a_wrong_setting_says_what_it_takes(lodge: Lodge) -> None:
    assert "LODGE_PORT is 'eighty'; it takes a whole number." in failed(lodge("snapshots", port="eighty"))


@pytest.mark.parametrize("url", ["no url", "ftp://example.edu/", "http://", "http://[::1/"])
def test_crawl_turns_away_what_is_no_url(lodge: Lodge, url: str, tmp_path: Path) -> None:
    assert url.split(maxsplit=1)[0] in failed(lodge("crawl", url))
    assert not list(tmp_path.glob("home/crawl/*.sqlite"))


def test_crawl_is_not_sent_to_a_private_address(lodge: Lodge) -> None:
    assert "--private-host" in failed(lodge("crawl", "http://127.0.0.1:9/"))


def test_index_before_a_crawl_says_so(lodge: Lodge) -> None:
    assert "lodge crawl" in failed(lodge("index"))


def test_index_keeps_the_good_lines_of_a_pages_file(lodge: Lodge, tmp_path: Path) -> None:
    pages = small_site.write_pages(tmp_path / "pages.jsonl", small_site.kept_pages())
    with pages.open("a", encoding="utf-8") as file:
        file.write('{"url": "https://x.example/", broken\n')
    result = lodge("index", "--pages", str(pages), "--json")
    assert result.exit_code == 0
    assert f"line {len(small_site.kept_pages()) + 1} of the pages file is left out" in result.stderr
    assert json.loads(result.stdout)["pages"] == len(small_site.kept_pages())


def test_snapshots_are_listed_and_rolled_back(lodge: Lodge, tmp_path: Path) -> None:
    pages = small_site.write_pages(tmp_path / "pages.jsonl", small_site.kept_pages())
    names = [json.loads(lodge("index", "--pages", str(pages), "--json").stdout)["snapshot"] for _ in range(2)]
    assert lodge("rollback", names[0]).exit_code == 0
    listed = json.loads(lodge("snapshots", "--json").stdout)
    assert [(row["name"], row["current"]) for row in listed] == [(names[1], False), (names[0], True)]
    assert names[0] in failed(lodge("rollback", "nowhere"))


def test_a_token_is_shown_once_listed_and_revoked(lodge: Lodge) -> None:
    token = lodge("token", "create", "ada", "--role", "editor").stdout.strip()
    listed = lodge("token", "list", "--json").stdout
    assert token.startswith("lodge_")
    assert token not in listed
    assert json.loads(listed)[0] | {"name": "ada", "role": "editor"} == json.loads(listed)[0]
    assert lodge("token", "revoke", "ada").exit_code == 0
    assert "'queen'" in failed(lodge("token", "create", "bob", "--role", "queen"))


def questions_file(folder: Path, *more: str) -> Path:
    """Two questions about the small college, one of them none of its business; `more` as last lines."""
    gold = small_site.kept_pages()[0]
    rows = [
        {
            "id": "1",
            "question": gold["title"],
            "answers": ["x [/b] :smile:"],
            "gold_urls": [gold["url"], small_site.SITE + "/gone"],
            "answerable": True,
        },
        {
            "id": "2",
            "question": "best pizza in Chicago",
            "answers": [],
            "gold_urls": None,
            "answerable": False,
        },
    ]
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "".join(more), encoding="utf-8")
    return path


def test_eval_scores_and_counts_what_it_left_out(on_own_site: Lodge, tmp_path: Path) -> None:
    questions = questions_file(tmp_path, "broken\n")
    result = on_own_site("eval", "--questions", str(questions), "--strategies", "keyword,hybrid", "--json")
    assert "line 3" in result.stderr
    assert "1 line left out, 2 questions kept" in result.stderr
    assert "1 gold URL is not in the snapshot" in result.stderr
    report = json.loads(result.stdout)
    assert report.keys() == {"snapshot", "questions", "strategies", "comparisons"}
    assert [row["strategy"] for row in report["strategies"]] == ["keyword", "hybrid"]
    assert {"recall@1", "mrr", "rightly_refused"} <= set(report["strategies"][1]["metrics"])
    assert report["strategies"][1]["metrics"]["recall@1"]["value"] == 0.5


def test_eval_prints_tables_and_what_was_not_answered_right(on_own_site: Lodge, tmp_path: Path) -> None:
    questions = questions_file(tmp_path, "broken\n")
    result = on_own_site("eval", "--questions", str(questions), "--strategies", "keyword", "--failures")
    assert result.exit_code == 0
    assert "keyword, 2 questions (1 line of the file left out)" in result.stdout
    assert "keyword: 1 not right" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--strategies", ","], "strategies is empty"),
        (["--strategies", "keyword,magic"], "'magic'. There are: semantic"),
        (["--name", "a/b"], "'a/b' is no name for a run"),
        (["--html", "/none/report.html"], "report.html cannot be written"),
        (["--pages", "/none/pages.jsonl"], "no pages file /none/pages.jsonl"),
    ],
)
def test_eval_turns_away_what_cannot_be_used(
    on_own_site: Lodge, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    questions = questions_file(tmp_path)
    assert sentence in failed(on_own_site("eval", "--questions", str(questions), *arguments))
    assert json.loads(on_own_site("eval", "runs", "--json").stdout) == []


def test_eval_wants_a_questions_file(on_own_site: Lodge, tmp_path: Path) -> None:
    result = on_own_site("eval")
    assert (result.exit_code, "Missing option '--questions'" in result.stderr) == (2, True)
    assert "none.jsonl" in failed(on_own_site("eval", "--questions", str(tmp_path / "none.jsonl")))


def test_eval_keeps_its_runs_and_compares_them(on_own_site: Lodge, tmp_path: Path) -> None:
    run = ["eval", "--questions", str(questions_file(tmp_path)), "--strategies", "hybrid"]
    assert "No run yet" in on_own_site("eval", "runs").stdout
    assert "Kept as run baseline" in on_own_site(*run, "--name", "baseline").stderr
    assert "a run 'baseline' already" in failed(on_own_site(*run, "--name", "baseline"))
    on_own_site(*run, "--name", "strict", refusal_threshold="1", seems_threshold="1")
    listed = json.loads(on_own_site("eval", "runs", "--json").stdout)
    assert [(row["name"], row["strategies"]) for row in listed] == [
        ("strict", ["hybrid"]),
        ("baseline", ["hybrid"]),
    ]
    assert "strict" in on_own_site("eval", "runs").stdout
    comparison = json.loads(on_own_site("eval", "compare", "base", "latest", "--json").stdout)
    assert (comparison["a"], comparison["b"]) == ("baseline", "strict")
    assert comparison["differences"] == {
        "setting refusal_threshold": {"a": 0.5, "b": 1.0},
        "setting seems_threshold": {"a": 0.25, "b": 1.0},
    }
    [change] = comparison["changes"]
    assert (change["a"]["refused"], change["b"]["refused"]) == (False, True)
    told = on_own_site("eval", "compare", "base", "latest").stdout
    assert "1 came out differently" in told
    assert "[other] hybrid · 1 · Tuition and fees\n  gold at 1 → 1; wrong → wrongly refused" in told
    assert "--limit shows more" in on_own_site("eval", "compare", "base", "latest", "--limit", "0").stdout
    assert "There are: baseline, strict" in failed(on_own_site("eval", "compare", "base", "none"))


def test_scorecard_writes_a_page_and_one_json_document(on_own_site: Lodge, tmp_path: Path) -> None:
    page = tmp_path / "scorecard.html"
    named = ["--questions", str(questions_file(tmp_path)), "--asks", "2", "--strategy", "keyword"]
    result = on_own_site("scorecard", *named, "--html", str(page), "--json", today="2026-11-22")
    document = json.loads(result.stdout)
    command = document["made"]["command"]
    assert command.startswith("LODGE_TODAY=2026-11-22 lodge scorecard --questions ")
    assert command.endswith(" --asks 2 --strategy keyword")
    assert document["made"]["snapshot"] in page.read_text(encoding="utf-8")
    assert str(page) in result.stderr
    told = on_own_site("scorecard", *named).stdout
    assert "Off-scope questions refused" in " ".join(told.split())
    nowhere = tmp_path / "none" / "page.html"
    assert "cannot be written" in failed(on_own_site("scorecard", *named, "--html", str(nowhere)))


def test_scorecard_wants_questions(on_own_site: Lodge) -> None:
    assert "lodge golden import" in failed(on_own_site("scorecard"))


def test_eval_writes_a_report(on_own_site: Lodge, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    arguments = ["--strategies", "keyword,hybrid", "--html", str(report)]
    result = on_own_site("eval", "--questions", str(questions_file(tmp_path)), *arguments)
    assert result.exit_code == 0, result.output
    assert "<svg" in report.read_text(encoding="utf-8")


def test_calibrate_prints_and_writes_what_to_set(on_own_site: Lodge, tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "q.jsonl", "broken")
    file = tmp_path / "calibration.toml"
    arguments = ["calibrate", "--questions", str(questions), "--strategy", "hybrid", "--wrong-costs", "2"]
    result = on_own_site(*arguments, "--write", str(file), "--json")
    assert "1 line left out" in result.stderr
    document = json.loads(result.stdout)
    assert document["set"].keys() == {"LODGE_FUSION_ALPHA", "LODGE_REFUSAL_THRESHOLD"}
    lines = [f"{one['setting']} = {one['recommended']:g}" for one in document["parameters"]]
    assert file.read_text(encoding="utf-8").splitlines() == lines
    assert document["parameters"][1]["objective"] == "right − 2 × wrong"
    told = on_own_site(*arguments).stdout
    assert all(line in told for line in lines)
    assert "fusion_alpha: " in told


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--strategy", "magic"], "'magic'. There are: semantic"),
        ([], "at least 10 questions"),
        (["--write", "/none/lodge.env"], "lodge.env cannot be written"),
    ],
)
def test_calibrate_turns_away_what_cannot_be_used(
    on_own_site: Lodge, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    questions = questions_file(tmp_path)
    assert sentence in failed(on_own_site("calibrate", "--questions", str(questions), *arguments))


def test_sites_reads_the_table_as_the_server_would(lodge: Lodge, tmp_path: Path) -> None:
    [main] = json.loads(lodge("sites", "--json", frame_origins="https://a.example").stdout)
    assert (main["site"], main["origins"]) == ("main", ["https://a.example"])
    table = tmp_path / "sites.toml"
    table.write_text('[sites.main]\nname = "Finch"\n[sites.library.theme]\ncolour = "#ffff00"\n')
    sentence = failed(lodge("sites", sites_file=str(table)))
    assert f"{table}, site library: theme.colour is #ffff00" in sentence
    table.write_text('[sites.main]\nname = "Finch"\n')
    assert "Finch" in lodge("sites", sites_file=str(table)).stdout
    assert "sites.toml" in failed(lodge("serve", sites_file=str(tmp_path / "other" / "sites.toml")))


def test_serve_says_when_its_port_is_taken(on_small_site: Lodge) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert port in failed(on_small_site("serve", port=port))


def test_every_command_has_help(lodge: Lodge) -> None:
    for name in main.commands:
        result = lodge(name, "--help")
        assert result.exit_code == 0, name
        assert "Usage:" in result.stdout, name


def test_a_closed_folder_is_a_sentence(lodge: Lodge, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    assert os.fspath(blocked.name) in failed(lodge("token", "list", home=str(blocked / "home")))


def test_ctrl_c_ends_a_crawl_and_the_next_goes_on(tmp_path: Path) -> None:
    """Exit status 130, the report printed all the same, and nothing fetched twice."""
    site = serve.start()
    host = site.url.removeprefix("http://").rstrip("/")
    command = [sys.executable, "-m", "server.cli", "crawl", site.url, "--private-host", host, "--json"]
    environ = {**os.environ, "LODGE_HOME": str(tmp_path)}
    try:
        first = subprocess.Popen([*command, "--delay", "0.2"], env=environ, stdout=subprocess.PIPE, text=True)
        wait_for_pages(tmp_path / "crawl", at_least=3)
        first.send_signal(signal.SIGINT)
        report = json.loads(first.communicate(timeout=60)[0])
        assert (first.returncode, report["ended"]) == (130, "interrupted")
        again = subprocess.run(
            [*command, "--delay", "0", "--max-pages", "10"], env=environ, capture_output=True, check=True
        )
        assert json.loads(again.stdout)["resumed"] is True
    finally:
        site.close()


def wait_for_pages(folder: Path, at_least: int) -> None:
    """Until the one crawl store in the folder holds so many pages."""
    for _ in range(2400):
        for store in folder.glob("*.sqlite"):
            with contextlib.closing(sqlite3.connect(store)) as db, contextlib.suppress(sqlite3.Error):
                if db.execute("SELECT count(*) FROM copies").fetchone()[0] >= at_least:
                    return
        time.sleep(0.05)
    pytest.fail("the crawl never fetched anything")
