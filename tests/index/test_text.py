from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import BadInputError
from server.index.search import Index
from server.index.text import Expansion, Synonym, load_synonyms, usable
from server.settings import Settings


def load(tmp_path: Path, text: str) -> tuple[Synonym, ...]:
    path = tmp_path / "synonyms.toml"
    path.write_text(text, encoding="utf-8")
    return load_synonyms(path)


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


def concepts(index: Index, question: str, *synonyms: Synonym) -> dict[str, dict[str, tuple[str, ...]]]:
    return {one.asked: dict(one.others) for one in Expansion(synonyms, index.text).of(question)}


def test_words_of_a_question_bring_what_else_they_are_called(index: Index) -> None:
    synonyms = Synonym(("dorm", "residence hall")), Synonym(("grant", "loan"), "aid")
    assert concepts(index, "aid for the dorms", *synonyms) == {
        "aid": {"grant": ("grant",), "loan": ("loan",)},
        "dorms": {"residence hall": ("resid", "hall")},
    }
    assert concepts(index, "residence halls", *synonyms) == {"residence halls": {"dorm": ("dorm",)}}
    assert concepts(index, "hall of residence", *synonyms) == {"hall": {}, "residence": {}}
    assert concepts(index, "a loan", *synonyms) == {"loan": {}}
    assert concepts(index, "", *synonyms) == {}


def worded(index: Index, question: str, said: dict[str, str], *synonyms: Synonym) -> dict[str, set[str]]:
    """The other wordings of each concept of a question in which editors' words stand for a visitor's."""
    return {one.asked: set(one.others) for one in Expansion(synonyms, index.text).of(question, said)}


def test_a_visitors_words_are_another_wording_of_what_editors_put_for_them(index: Index) -> None:
    said = {"kpl": "Kay Parker Library"}
    assert worded(index, "kay parker library fines", said) == {"kay parker library": {"kpl"}, "fines": set()}
    assert worded(index, "library fines of the kay parker library", said) == {
        "library": set(),
        "fines": set(),
        "kay parker": {"kpl"},
    }
    assert worded(index, "fines", said) == {"fines": set()}
    assert worded(index, "residence hall", {"sign up": "residence hall"}) == {
        "residence": set(),
        "hall": set(),
    }


def test_a_visitors_words_stand_beside_the_synonyms_of_editors_ones(index: Index) -> None:
    halls, permits = Synonym(("dorm", "residence hall")), Synonym(("parking permit", "decal"))
    assert worded(index, "residence hall", {"digs": "residence hall"}, halls) == {
        "residence hall": {"dorm", "digs"}
    }
    [one] = Expansion([permits], index.text).of("parking permit", {"sticker": "permit"})
    assert one.others == {"decal": ("decal",), "sticker": ("park", "sticker")}


def test_the_longest_phrase_is_the_one_that_is_meant(index: Index) -> None:
    synonyms = Synonym(("permit", "licence")), Synonym(("parking permit", "decal"))
    assert concepts(index, "parking permits", *synonyms) == {"parking permits": {"decal": ("decal",)}}
    assert concepts(index, "fishing permit", *synonyms)["permit"] == {"licence": ("licenc",)}


def test_a_word_with_another_ending_counts_and_another_word_of_its_stem_does_not(index: Index) -> None:
    synonyms = Synonym(("graduation", "commencement")), Synonym(("apply", "application"))
    assert concepts(index, "graduate", *synonyms) == {"graduate": {}}
    assert concepts(index, "graduations", *synonyms) == {"graduations": {"commencement": ("commenc",)}}
    assert concepts(index, "applied", *synonyms) == {"applied": {"application": ("applic",)}}


def test_what_is_asked_for_already_is_not_looked_for_twice(index: Index) -> None:
    synonyms = Synonym(("semester", "term")), Synonym(("dining",), "food"), Synonym(("dining",), "eat")
    assert concepts(index, "semester or term", *synonyms) == {"semester": {}, "term": {}}
    assert concepts(index, "food to eat", *synonyms) == {"food": {"dining": ("dine",)}, "eat": {}}


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
