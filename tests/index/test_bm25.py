from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.index.build import SnapshotBuilder
from server.index.search import Index, KeywordIndex
from server.index.text import SYNONYM_WEIGHT, Synonym
from tests.index.small_index import DIMS, a_page, manifest, opened, unit_vectors

TEXTS = [
    "The library lends books.",
    "The library opens at eight and the library closes at midnight.",
    "Parking permits are sold by the Public Safety office, and the office of parking has a library of maps.",
    "Résumés are read at the career centre.",
    "Bat. cat, cat.",
    "Registration opens in November. Registration closes in December.",
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return opened(tmp_path_factory.mktemp("keyword") / "s", TEXTS)


def found(index: Index, question: str, limit: int = 10, also: tuple[int, ...] = ()) -> list[int]:
    return [hit.chunk_id for hit in index.keyword.search(question, limit, also)]


def test_the_best_come_first_and_only_so_many(small: Index) -> None:
    hits = small.keyword.search("the libraries", 2)
    assert [hit.chunk_id for hit in hits] == [1, 0]
    assert hits[0].score > hits[1].score > 0


def test_also_names_chunks_that_are_scored_beyond_the_limit(small: Index) -> None:
    everything = {hit.chunk_id: hit.score for hit in small.keyword.search("library", 10)}
    hits = small.keyword.search("library", 1, [2, 1])
    assert {hit.chunk_id: hit.score for hit in hits} == {1: everything[1], 2: everything[2]}


def test_also_brings_no_chunk_that_shares_no_word(small: Index) -> None:
    assert found(small, "library", 1, (3, 4)) == [1]


@pytest.mark.parametrize("question", ["", "the of and", "图书馆", "zeppelin", "?!"])
def test_a_question_without_a_known_content_word_finds_nothing(small: Index, question: str) -> None:
    assert found(small, question) == []


def test_accents_and_endings_do_not_matter(small: Index) -> None:
    assert found(small, "resume") == found(small, "RÉSUMÉS") == [3]


def test_a_quote_in_a_question_is_only_a_character(small: Index) -> None:
    assert found(small, "library'; DROP TABLE postings; --") == found(small, "library drop table posting")


def test_rarer_words_weigh_more_and_unknown_ones_most(small: Index) -> None:
    weights = small.text.word_weights("Does the library lend a zeppelin?")
    assert set(weights) == {"librari", "lend", "zeppelin"}
    assert weights["zeppelin"] > weights["lend"] > weights["librari"] > 0


def test_a_question_of_stop_words_has_no_weights(small: Index) -> None:
    assert small.text.word_weights("what is it") == {}


def test_stems_of_each_text_in_order(small: Index) -> None:
    assert small.text.stems(["Books and libraries", "", "9 a.m."]) == [
        {"book", "and", "librari"}, set(), {"9", "am"},
    ]  # fmt: skip
    assert small.text.stems([]) == []


def test_knows_whole_words_of_the_site(small: Index) -> None:
    assert small.text.knows(["library", "libary", "lends", "lend"]) == {"library", "lends"}


@pytest.mark.parametrize(
    ("word", "edits", "nearest"),
    [
        ("libary", 1, "library"),
        ("lirbary", 1, "library"),
        ("libarry", 1, "library"),
        ("lbirrary", 1, None),
        ("regestraton", 2, "registration"),
        ("regestraton", 1, None),
        ("zeppelin", 2, None),
    ],
)
def test_the_nearest_word_within_so_many_edits(
    small: Index, word: str, edits: int, nearest: str | None
) -> None:
    assert small.text.nearest_words(word, edits) == [nearest] * bool(nearest)


def test_a_word_of_other_letters_than_a_to_z_can_be_near_one_of_them(small: Index) -> None:
    """Edits are of bytes: this letter has two."""
    assert small.text.nearest_words("librãry", 2) == ["library"]
    assert small.text.nearest_words("librãry", 1) == []


def test_every_known_word_is_found_again_from_each_slip(index: Index) -> None:
    """The comparison of letters before that of edits leaves out no word that is near enough."""
    words = [word for (word,) in index.snapshot.rows("SELECT word FROM words ORDER BY hash(word) LIMIT 40")]
    for word in words:
        middle = len(word) // 2
        slips = {
            word[:middle] + word[middle + 1 :],
            word[:middle] + "q" + word[middle:],
            word[:middle] + "q" + word[middle + 1 :],
            word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :],
        }
        for slip in slips - {word}:
            near = index.snapshot.rows(
                "SELECT min(damerau_levenshtein(word, $1)) FROM words WHERE word = $2", [slip, word]
            )
            found = index.text.nearest_words(slip, 1)
            assert near == [(1,)]
            assert found


def test_many_questions_do_not_fill_the_memory(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered of terms is thrown away when it is too much, and looked up again."""
    monkeypatch.setattr("server.index.text.MOST_REMEMBERED", 3)
    questions = ["tuition for residents", "library hours at weekends", "residence halls and laundry"]
    first = [index.keyword.search(question, 5) for question in questions]
    assert [index.keyword.search(question, 5) for question in questions] == first
    assert all(first)
    assert index.text.word_weights("zeppelin tuition") == index.text.word_weights("zeppelin tuition")


def test_of_two_equally_near_words_the_one_with_the_same_first_letter_is_taken(small: Index) -> None:
    assert small.text.nearest_words("bap", 1) == ["bat"]
    assert small.text.nearest_words("cas", 1) == ["cat"]


def test_of_two_equally_near_words_the_commoner_is_taken(tmp_path: Path) -> None:
    index = opened(tmp_path / "s", ["hall", "hill", "hill"])
    assert index.text.nearest_words("hxll", 1) == ["hill"]


def test_content_words_stand_as_they_were_asked(small: Index) -> None:
    assert small.text.content_words("When does the LIBRARY open, the library?") == [
        "library",
        "open",
        "library",
    ]
    assert small.text.content_stems("When does the LIBRARY open, the library?") == ["librari", "open"]


def test_known_words_come_the_rarest_first(small: Index) -> None:
    asked = ["library", "registration", "zeppelin", "office", "closes", "library"]
    *others, library = small.text.rarest_first(asked)
    assert library == "library"
    assert others == ["registration", "office", "closes"]
    assert small.text.rarest_first([]) == []


def scored(index: Index, question: str, *synonyms: Synonym) -> dict[int, float]:
    """By chunk; with these synonyms."""
    keyword = KeywordIndex(index.snapshot, index.text, synonyms)
    return {hit.chunk_id: hit.score for hit in keyword.search(question, 10)}


def test_a_concept_scores_by_the_wording_that_suits_a_chunk_best_and_never_by_two(small: Index) -> None:
    library, cat = scored(small, "library"), scored(small, "cat")
    both = scored(small, "library", Synonym(("library", "cats", "maps")))
    maps = scored(small, "maps")
    assert both == pytest.approx(
        {
            0: library[0],
            1: library[1],
            2: max(library[2], SYNONYM_WEIGHT * maps[2]),
            4: SYNONYM_WEIGHT * cat[4],
        }
    )


def test_the_words_of_a_phrase_add_up(small: Index) -> None:
    career, centre = scored(small, "career"), scored(small, "centre")
    found = scored(small, "jobs", Synonym(("career centre",), "jobs"))
    assert found == pytest.approx({3: SYNONYM_WEIGHT * (career[3] + centre[3])})


def test_the_notes_tell_what_else_was_looked_for_and_no_word_that_the_site_has_not(small: Index) -> None:
    keyword = KeywordIndex(small.snapshot, small.text, [Synonym(("permit", "decal", "books"))])
    assert keyword.search("permits", 3).notes == {"expanded": {"permits": ["books"]}}
    assert keyword.search("library", 3).notes == {}


def test_a_snapshot_brings_synonyms_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        builder.add([a_page(1, "Your grade point average is on the transcript.")], unit_vectors(1))
        builder.set_synonyms([Synonym(("gpa", "grade point average")), Synonym(("transcript",), "tor")])
        builder.finish()
    (folder / "manifest.json").write_text(json.dumps(manifest(folder, pages=1, chunks=1)), encoding="utf-8")
    index = Index(folder, threads=1)
    assert found(index, "gpa") == found(index, "tor") == [0]


def test_scores_are_those_of_a_search(small: Index) -> None:
    question = "library of parking maps"
    hits = {hit.chunk_id: hit.score for hit in small.keyword.search(question, 10)}
    assert small.keyword.scores(small.keyword.concepts(question), list(hits)) == pytest.approx(hits)


def test_only_chunks_that_there_are_have_scores(small: Index) -> None:
    library = small.keyword.concepts("library")
    assert small.keyword.scores(library, [1, 999]).keys() == {1}
    assert small.keyword.scores([], [1]) == {1: 0.0}
    assert small.keyword.scores(library, []) == {}


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("boat", "library"),
        ("tuition", "library hours"),
        ("fee", "tuition"),
        ("zeppelin", "library"),
        ("of", "fee"),
    ],
)
def test_with_a_visitors_words_no_chunk_scores_less_than_by_the_editors_alone(
    small: Index, said: str, means: str
) -> None:
    question = f"when is the {means} of residents"
    alone = {hit.chunk_id: hit.score for hit in small.keyword.search(question, 999)}
    both = {hit.chunk_id: hit.score for hit in small.keyword.search(question, 999, said={said: means})}
    assert set(alone) <= set(both)
    assert all(both[chunk] >= alone[chunk] - 1e-9 for chunk in alone)
    theirs = {hit.chunk_id for hit in small.keyword.search(said, 999)}
    assert theirs <= set(both)
