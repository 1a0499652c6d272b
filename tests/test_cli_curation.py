"""`lodge curated` and `lodge notice`, as an editor or a script meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli import main
from server.workbench.records import open_records

Lodge = Callable[..., Result]

CODE = {
    "phrasings": ["What is the FAFSA code?", "fafsa code"],
    "text": "It is 003696.",
    "links": [{"label": "Aid", "url": "https://example.edu/aid"}],
}


@pytest.fixture
def lodge(tmp_path: Path) -> Lodge:
    """Runs a command in a home of its own."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments), env={"LODGE_HOME": str(tmp_path / "home")})

    return run


def write(folder: Path, *rows: Any) -> str:
    path = folder / "answers.jsonl"
    path.write_text("\n\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows), encoding="utf-8")
    return str(path)


def failed(result: Result) -> str:
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    return result.stderr


def test_what_is_imported_is_listed_and_exported_as_it_came(lodge: Lodge, tmp_path: Path) -> None:
    assert "No curated answers yet" in lodge("curated", "list").stdout
    file = write(tmp_path, CODE, CODE | {"id": "two", "site": "library", "valid_until": "2027-06-30"})
    result = lodge("curated", "import", file, "--json")
    assert json.loads(result.stdout) == {"imported": ["what-is-the-fafsa-code", "two"]}
    assert "what-is-the-fafsa-code" in lodge("curated", "list").stdout
    listed = json.loads(lodge("curated", "list", "--json").stdout)
    assert [row["id"] for row in listed] == ["two", "what-is-the-fafsa-code"]
    assert json.loads(lodge("curated", "export", "--json", "--site", "library").stdout) == listed[:1]
    exported = lodge("curated", "export").stdout
    assert [json.loads(line) for line in exported.splitlines()] == listed
    again = tmp_path / "again.jsonl"
    again.write_text(exported, encoding="utf-8")
    assert lodge("curated", "import", str(again)).stdout == "2 curated answers imported.\n"
    assert lodge("curated", "export").stdout == exported


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("{", "it is not JSON"),
        ("[]", "it is not a JSON object"),
        (CODE | {"valid_til": "2027-06-30"}, "it has valid_til; it takes: id, site"),
        (CODE | {"phrasings": "fafsa code"}, "Expected `array`, got `str` - at `$.phrasings`"),
        (CODE | {"phrasings": [1]}, "Expected `str`, got `int` - at `$.phrasings[0]`"),
        (CODE | {"phrasings": []}, "id is ''"),
        (CODE | {"links": ["https://example.edu"]}, "Expected `object`, got `str` - at `$.links[0]`"),
        (CODE | {"topic": 3}, "got `int` - at `$.topic`"),
        (CODE | {"text": " "}, "answer is empty"),
        (CODE, "stands in an earlier line"),
    ],
)
def test_a_line_that_cannot_be_kept_is_named_and_none_is_kept(
    lodge: Lodge, tmp_path: Path, row: Any, sentence: str
) -> None:
    error = failed(lodge("curated", "import", write(tmp_path, CODE, row)))
    assert "Line 3 of" in error
    assert sentence in error
    assert json.loads(lodge("curated", "list", "--json").stdout) == []


def test_a_file_that_cannot_be_read_is_named(lodge: Lodge, tmp_path: Path) -> None:
    assert "nowhere.jsonl" in failed(lodge("curated", "import", str(tmp_path / "nowhere.jsonl")))
    (tmp_path / "latin.jsonl").write_bytes(b"\xff")
    assert "no UTF-8 text" in failed(lodge("curated", "import", str(tmp_path / "latin.jsonl")))


def test_an_answer_is_removed_by_its_id(lodge: Lodge, tmp_path: Path) -> None:
    lodge("curated", "import", write(tmp_path, CODE | {"id": "code"}))
    assert lodge("curated", "remove", "code").stdout == "code is removed.\n"
    assert "no curated answer" in failed(lodge("curated", "remove", "code", "--json"))


def test_a_notice_is_set_listed_and_cleared(lodge: Lodge) -> None:
    assert "No notices" in lodge("notice", "list").stdout
    result = lodge("notice", "set", "Campus is closed.", "--until", "2999-02-01T13:00-05:00", "--json")
    kept = json.loads(result.stdout)
    assert kept == {
        "id": kept["id"], "site": "main", "text": "Campus is closed.", "url": "",
        "until": "2999-02-01T18:00:00+00:00",
    }  # fmt: skip
    url = "https://example.edu/snow"
    changed = ("Still closed.", "--until", "2999-02-02T18:00", "--id", kept["id"], "--url", url)
    assert "until 2999-02-02T18:00:00+00:00" in lodge("notice", "set", *changed).stdout
    [row] = json.loads(lodge("notice", "list", "--json", "--site", "main").stdout)
    assert (row["text"], row["url"], row["shown"]) == ("Still closed.", url, True)
    assert kept["id"] in lodge("notice", "list").stdout
    assert json.loads(lodge("notice", "clear", kept["id"], "--json").stdout) == {"removed": kept["id"]}
    assert "no notice" in failed(lodge("notice", "clear", kept["id"]))


@pytest.mark.parametrize(
    ("until", "sentence"), [("tonight", "no time such as"), ("2020-01-01T00:00", "past")]
)
def test_a_notice_must_end_and_not_have_ended(lodge: Lodge, until: str, sentence: str) -> None:
    assert sentence in failed(lodge("notice", "set", "Closed.", "--until", until))


def test_what_the_commands_change_is_in_the_audit_log(lodge: Lodge, tmp_path: Path) -> None:
    lodge("curated", "import", write(tmp_path, CODE | {"id": "code"}))
    lodge("curated", "remove", "code")
    lodge("notice", "set", "Closed.", "--until", "2999-01-01T00:00Z", "--id", "snow")
    lodge("notice", "clear", "snow")
    lodge("token", "create", "ana")
    lodge("token", "revoke", "ana")
    assert lodge("notice", "clear", "snow").exit_code == 1
    store = open_records(f"sqlite:///{tmp_path / 'home' / 'records.sqlite'}")
    rows = [(row.who, row.kind, row.id) for row in reversed(store.audit.changes(limit=99))]
    store.close()
    kinds = ("curated", "code"), ("notice", "snow"), ("token", "ana")
    assert rows == [("command line", *kind) for kind in kinds for _ in range(2)]
