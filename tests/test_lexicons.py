"""Lexicons: word lists that people edit; what is wrong with one is told by its file and the entry's name."""

from __future__ import annotations

import re
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
