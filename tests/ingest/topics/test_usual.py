"""The usual questions: as their file has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import BadInputError
from server.ingest.topics.train import load_questions
from server.ingest.topics.usual import load_usual
from server.models.usual import UsualQuestion
from server.settings import PROJECT, Settings


def test_those_that_ship_are_many_and_no_general_ones() -> None:
    usual = load_usual(Settings().usual_questions_file)
    said = {words.casefold() for one in usual for words in one.says}
    assert len(said) >= 300
    assert not said & {one.casefold() for one in load_questions(PROJECT / "corpus" / "general_questions.txt")}
    assert all(one.asks.endswith("?") for one in usual if one.asks and one.language == "en")
    assert len({one.asks for one in usual if one.asks}) >= 150


def test_wordings_are_set_apart_and_what_says_it_all_asks_no_more(tmp_path: Path) -> None:
    assert load_usual(_file(tmp_path, 'says = "tuition | cost "\nasks = "How much?"')) == (
        UsualQuestion(("tuition", "cost"), "How much?"),
    )
    assert load_usual(_file(tmp_path, 'says = "is it safe"')) == (UsualQuestion(("is it safe",)),)
    spanish = 'says = "precio"\nlanguage = "es"\nasks = "How much?"'
    assert load_usual(_file(tmp_path, spanish)) == (UsualQuestion(("precio",), "How much?", "es"),)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ('asks = "How much?"', "says nothing"),
        ('says = " | "', "says nothing"),
        ('says = "cost | Cost"', "twice"),
        ("says = 3", "not a table of strings"),
        ('said = "cost"', "it takes: asks, language, says"),
        ("says =", "not TOML"),
        ('says = "precio"\nlanguage = "pt"\nasks = "How much?"', "no language that is known: 'pt'"),
        ('says = "precio"\nlanguage = "es"', "needs what it asks in English"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, entry: str, why: str) -> None:
    with pytest.raises(BadInputError, match=why):
        load_usual(_file(tmp_path, entry))


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_usual(tmp_path / "none.toml")


def _file(folder: Path, entry: str) -> Path:
    path = folder / "usual.toml"
    path.write_text(f"[[usual]]\n{entry}\n", encoding="utf-8")
    return path
