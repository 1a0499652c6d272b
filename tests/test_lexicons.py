"""Lexicons: word lists that people edit; what is wrong with one is told by its file and the entry's name."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from server.errors import BadInputError
from server.lexicons import FOLDER, Lexicon, any_of, lexicon, read_all, read_lexicon


def test_every_lexicon_can_be_read() -> None:
    read_all()
    assert {path.stem for path in FOLDER.glob("*.toml")} >= {"crisis", "injection", "turns", "words"}


@pytest.mark.parametrize("text", ['words = "open', "\x00", "a = 1\na = 2"])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "small.toml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"small\.toml cannot be read"):
        read_lexicon(path)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInputError, match=r"no_such\.toml cannot be read"):
        lexicon("no_such")


def test_what_is_missing_is_named_in_a_table_too() -> None:
    small = Lexicon({"names": {"titles": "dr prof"}}, "small.toml")
    assert small.part("names").words("titles") == {"dr", "prof"}
    with pytest.raises(BadInputError, match=r"small\.toml lacks 'openers'"):
        small.part("names").words("openers")


@pytest.mark.parametrize(
    ("entry", "message"),
    [("one two", "is no list of texts"), (["("], "has no pattern"), ([1], "is no list of texts")],
)
def test_what_is_no_pattern_is_named(entry: object, message: str) -> None:
    with pytest.raises(BadInputError, match=rf"small\.toml: 'no' {message}"):
        Lexicon({"no": entry}, "small.toml").pattern("no")


def test_a_list_is_no_text() -> None:
    with pytest.raises(BadInputError, match="'no' is no text"):
        Lexicon({"no": ["none"]}, "small.toml").words("no")


def test_a_group_stands_for_any_of_its_entries_and_of_those_before_it() -> None:
    groups = {"animal": ["cat", "dog"], "two": ["{animal}s", "pair"]}
    assert any_of(["a {two}", "x{2}"], groups) == "a (?:(?:cat|dog)s|pair)|x{2}"


def test_a_pattern_stands_where_its_braces_do() -> None:
    small = Lexicon({"no": ["never", "not {what}"], "groups": {"what": ["ever"]}}, "small.toml")
    assert small.pattern("no", r"\b(?:{})\b").search("NOT EVER")
    assert small.pattern("no", "(?:{})", flags=0).flags & re.IGNORECASE == 0


@pytest.mark.parametrize(
    "entries",
    [
        {"no": ["ever", "(never"]},
        {"rows": [{"words": ["ever"]}, {"words": ["(never"]}]},
        {"no": ["{what}"], "groups": {"what": ["(never"]}},
    ],
    ids=["a list", "a table in a list", "a group"],
)
def test_an_entry_that_is_no_pattern_is_found_wherever_it_stands(entries: dict[str, object]) -> None:
    with pytest.raises(BadInputError, match=r"unterminated subpattern, in '\(never'"):
        Lexicon(entries, "small.toml").check_patterns()


def test_entries_that_are_no_pattern_together_are_named() -> None:
    with pytest.raises(BadInputError, match="'no' has no pattern: redefinition of group name"):
        Lexicon({"no": ["(?P<a>x)", "(?P<a>y)"]}, "small.toml").check_patterns()


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        ("words", 'more = "open', "words.toml cannot be read: .* \\(at line \\d+, column 13\\)"),
        ("crisis", "more = ['(kill']", "crisis.toml: 'more' has no pattern: .*, in '\\(kill'"),
    ],
    ids=["no TOML", "no pattern"],
)
def test_a_command_tells_of_a_damaged_lexicon_in_a_sentence(
    tmp_path: Path, file: str, line: str, told: str
) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "lexicons")
    with (folder / f"{file}.toml").open("a", encoding="utf-8") as written:
        written.write(f"{line}\n")
    script = (
        "import pathlib, sys, server.lexicons; server.lexicons.FOLDER = pathlib.Path(sys.argv.pop(1));"
        "from server.cli import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, folder, "ask", "When is the library open?"],
        env={"LODGE_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert re.fullmatch(rf"Error: The lexicon .*{told}\.\n", ran.stderr)
    assert ran.stdout == ""
