"""`lodge golden`, as an editor or a nightly script meets it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.settings import Settings
from server.workbench.records import open_records
from tests.small_site import SITE

Lodge = Callable[..., Result]
TUITION = {
    "id": "tuition",
    "question": "How much is tuition for residents of the state?",
    "answers": ["$9,240"],
    "gold_urls": [SITE + "/tuition"],
    "answerable": True,
}
CHESS = {"id": "chess", "question": "Who won the chess world championship?", "answerable": False}


@pytest.fixture
def lodge(small_home: Settings, tmp_path: Path) -> Lodge:
    """Runs a command in a home with the small college's snapshot."""
    home = tmp_path / "home"
    home.mkdir()
    # A copy: this process may have the original open already, with another number of threads.
    shutil.copytree(small_home.snapshots_dir, home / "snapshots", symlinks=True)
    env = {"LODGE_HOME": str(home), "LODGE_RERANKER": "", "LODGE_REFUSAL_THRESHOLD": "0.2"}

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments), env=env)

    return run


def write(folder: Path, *rows: Any) -> str:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), encoding="utf-8")
    return str(path)


def test_what_is_imported_is_exported_as_it_came(lodge: Lodge, tmp_path: Path) -> None:
    assert "No golden questions yet" in lodge("golden", "list").stdout
    file = write(tmp_path, TUITION | {"topic": "costs"}, CHESS | {"answers": ["nobody"]})
    assert lodge("golden", "import", file).stdout == "2 golden questions imported.\n"
    exported = lodge("golden", "export").stdout
    chess, tuition = (json.loads(line) for line in exported.splitlines())
    assert tuition == TUITION | {"topic": "costs"}
    assert chess == CHESS | {"answers": [], "gold_urls": None, "topic": None}
    assert json.loads(lodge("golden", "export", "--json").stdout) == [chess, tuition]
    (tmp_path / "again.jsonl").write_text(exported, encoding="utf-8")
    again = lodge("golden", "import", str(tmp_path / "again.jsonl"), "--site", "library", "--json")
    assert json.loads(again.stdout) == {"imported": ["chess", "tuition"]}
    rows = json.loads(lodge("golden", "list", "--json").stdout)
    assert [(row["id"], row["site"], row["record"]) for row in rows] == [
        ("chess", "library", None),
        ("tuition", "library", None),
    ]
    assert lodge("golden", "export", "--site", "main").stdout == ""
    store = open_records(f"sqlite:///{tmp_path / 'home' / 'records.sqlite'}")
    rows = [(row.who, row.kind, row.id) for row in store.audit.changes(limit=9)]
    store.close()
    newest_first = ("tuition", "chess", "chess", "tuition")
    assert rows == [("command line", "golden", own) for own in newest_first]


def test_what_cannot_be_kept_is_named_and_the_rest_is_kept(lodge: Lodge, tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "no JSON",
        {"id": "A b.c", "question": "Where is it?", "history": [["user", "The pool?"]]},
        TUITION | {"id": "Line 3"},
        TUITION | {"id": "line-3"},
        TUITION | {"id": "no-page", "gold_urls": ["/tuition"]},
    )
    result = lodge("golden", "import", file)
    assert result.stdout == "1 golden question imported.\n"
    for sentence in (
        "line 1: This line is not JSON",
        "A b.c: it follows",
        "line-3: another",
        "no-page: '/tui",
    ):
        assert sentence in result.stderr
    assert "line-3  main, not asked yet" in lodge("golden", "list").stdout
    nothing = lodge("golden", "import", write(tmp_path, "{}"))
    assert nothing.exit_code == 1
    assert "no question that can be kept" in nothing.stderr


def test_a_run_is_kept_and_fails_when_a_question_does(lodge: Lodge, tmp_path: Path) -> None:
    assert "no golden questions yet" in lodge("golden", "run").stderr
    lodge("golden", "import", write(tmp_path, TUITION, CHESS))
    good = lodge("golden", "run")
    assert (good.exit_code, good.stdout) == (0, "Run 1: 2 passed, 0 failed.\n"), good.stderr
    assert "tuition  main, ✓ passed" in lodge("golden", "list").stdout
    lodge("golden", "import", write(tmp_path, TUITION | {"gold_urls": [SITE + "/library"]}))
    bad = lodge("golden", "run", "--strategy", "keyword", "--json")
    run = json.loads(bad.stdout)
    assert (bad.exit_code, run["number"], run["strategy"], run["by"]) == (1, 2, "keyword", "command line")
    assert [one["golden_id"] for one in run["failures"]] == ["tuition"]
    assert "✕ tuition: None of its right pages" in lodge("golden", "run").stdout


def test_the_export_is_what_lodge_eval_reads(lodge: Lodge, tmp_path: Path) -> None:
    lodge("golden", "import", write(tmp_path, TUITION, CHESS))
    file = tmp_path / "golden.jsonl"
    file.write_text(lodge("golden", "export").stdout, encoding="utf-8")
    found = lodge("eval", "--questions", str(file), "--strategies", "hybrid", "--json")
    assert not found.exit_code, found.stderr
    metrics = json.loads(found.stdout)["strategies"][0]["metrics"]
    assert metrics["recall@1"]["value"] == metrics["rightly_refused"]["value"] == 1.0
