from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import BadInputError
from server.index.search import Index
from server.index.text import MOST_WORDINGS, Synonym, Wordings, load_synonyms, usable
from server.settings import Settings


def load(tmp_path: Path, text: str) -> tuple[Synonym, ...]:
    path = tmp_path / "synonyms.toml"
    path.write_text(text, encoding="utf-8")
    return load_synonyms(path)


def stems(text: str) -> list[str]:
    """Words without their s, "the" and "of" being stop words."""
    return [word.rstrip("s") for word in text.lower().split() if word not in ("the", "of")]


def test_groups_both_ways_and_one_way(tmp_path: Path) -> None:
    text = (
        '[[synonym]]\nwords = ["dorm", " residence  hall "]\nwhy = "old"\n'
        '[[synonym]]\nasked = "aid"\nalso = ["grant", "loan"]\n'
    )
    both, one = load(tmp_path, text)
    assert both == Synonym(("dorm", "residence hall"))
    assert both.pairs() == [("dorm", "residence hall"), ("residence hall", "dorm")]
    assert one == Synonym(("grant", "loan"), "aid")
    assert one.pairs() == [("aid", "grant"), ("aid", "loan")]
    assert one.phrases() == ("aid", "grant", "loan")


def test_an_empty_file_has_none(tmp_path: Path) -> None:
    assert load(tmp_path, "# nothing yet\n") == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[synonym]", "are not TOML"),
        ('[[synonyms]]\nwords = ["a", "b"]', r"nothing but \[\[synonym\]\]"),
        ('synonym = "a"', r"nothing but \[\[synonym\]\]"),
        ('synonym = ["a"]', "Synonym 1 .* is not a table"),
        ('[[synonym]]\nword = "a"', "Synonym 1 .* has word; it takes: also, asked, why, words"),
        ('[[synonym]]\nwhy = "?"', "Synonym 1 .* is not clear"),
        ('[[synonym]]\nwords = ["a", "b"]\nasked = "c"\nalso = ["d"]', "Synonym 1 .* is not clear"),
        ('[[synonym]]\nasked = "c"', "Synonym 1 .* is not clear"),
        ('[[synonym]]\nwords = ["a", "b"]\nalso = ["d"]', "Synonym 1 .* is not clear"),
        ('[[synonym]]\nwords = "a, b"', "Synonym 1 .* where a list of words in quotes belongs"),
        ('[[synonym]]\nwords = ["a", 2]', "Synonym 1 .* where a list of words in quotes belongs"),
        ('[[synonym]]\nasked = 1\nalso = ["b"]', "Synonym 1 .* where a list of words in quotes belongs"),
        ('[[synonym]]\nwords = ["a", "b"]\n[[synonym]]\nwords = ["a", " a"]', "Synonym 2 .* too few words"),
        ('[[synonym]]\nwords = ["a", "b", " "]', "Synonym 1 .* an empty one"),
        ('[[synonym]]\nasked = ""\nalso = ["b"]', "Synonym 1 .* an empty one"),
        ('[[synonym]]\nasked = "a"\nalso = []', "Synonym 1 .* too few words"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_by_the_group(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        load(tmp_path, text)


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_synonyms(tmp_path / "nowhere.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match="are not TOML"):
        load_synonyms(tmp_path / "bytes.toml")


def test_a_question_is_said_in_other_words_a_phrase_at_a_time() -> None:
    wordings = Wordings([Synonym(("dorm", "residence hall")), Synonym(("grant", "loan"), "aid")], stems)
    assert wordings.of("aid for the dorms") == [
        ("aid", "for", "dorm"),
        ("aid", "for", "residence", "hall"),
        ("grant", "for", "dorm"),
        ("loan", "for", "dorm"),
    ]
    assert wordings.of("residence halls") == [("residence", "hall"), ("dorm",)]
    assert wordings.of("hall of residence") == [("hall", "residence")]
    assert wordings.of("a loan") == [("a", "loan")]
    assert wordings.of("") == [()]


def test_a_word_that_is_there_already_is_not_doubled() -> None:
    wordings = Wordings([Synonym(("add drop", "drop course"))], stems)
    assert wordings.of("add drop course") == [("add", "drop", "course"), ("drop", "course"), ("add", "drop")]


def test_there_is_an_end_to_other_words() -> None:
    wordings = Wordings([Synonym(tuple(f"word{i}" for i in range(100)))], stems)
    assert len(wordings.of("word1")) == MOST_WORDINGS


@pytest.mark.parametrize(
    ("phrase", "content", "good"),
    [
        ("dorm", ["dorm"], True),
        ("cost of attendance", ["cost", "attendance"], True),
        ("sign up", ["sign"], False),
        ("of the", [], False),
        ("the", [], False),
        ("no credit/credit", ["credit", "credit"], False),
    ],
)
def test_a_phrase_of_which_stop_words_leave_too_little_is_not_used(
    phrase: str, content: list[str], good: bool
) -> None:
    assert usable(phrase, content) is good


def test_the_synonyms_that_ship_are_all_of_use(index: Index) -> None:
    synonyms = load_synonyms(Settings().synonyms_file)
    phrases = [phrase for synonym in synonyms for phrase in synonym.phrases()]
    content = {phrase: index.text.content_words(phrase) for phrase in phrases}
    assert [phrase for phrase in phrases if not usable(phrase, content[phrase])] == []
    named = [tuple(content[phrase]) for synonym in synonyms for phrase in synonym.phrases()]
    assert len(named) > 80


def test_a_word_that_ships_in_two_groups_would_join_them_unseen() -> None:
    """One group may only be asked with a word that another one has."""
    both_ways = [set(s.words) for s in load_synonyms(Settings().synonyms_file) if s.asked is None]
    shared = [a & b for i, a in enumerate(both_ways) for b in both_ways[:i] if a & b]
    assert shared == []
