"""What keeps two questions apart, whatever else they share, and what speaks for their being the same."""

from __future__ import annotations

from datetime import date

import pytest

from server.ask.conversation.paraphrase import (
    MEASURES,
    WEIGHTS,
    difference,
    least_cosine,
    likelihood,
    measures,
    read,
    stem,
    subject_of,
)

FALL = date(2026, 9, 1)


def apart(question: str, *phrasings: str, today: date = FALL) -> str | None:
    subject = subject_of(phrasings)
    return difference(read(question), subject.readings[0], subject, today)


@pytest.mark.parametrize(
    ("question", "phrasing", "why"),
    [
        ("prereqs for csc 230", "prerequisites for CSC 310", "number"),
        ("can i take twelve credits", "Can I take more than 18 credits?", "number"),
        ("symptoms of type 2G", "symptoms of type 2L", "number"),
        ("is there no AC in the dorms", "Is there AC in the dorms?", "denial"),
        ("can't I have a pet", "Can I have a pet?", "denial"),
        ("when does add/drop end in the spring", "When does add/drop end in the fall?", "opposite"),
        ("graduate tuition", "undergraduate tuition", "opposite"),
        ("when does add/drop start", "When does add/drop end?", "opposite"),
        ("is an unofficial transcript free", "Is an official transcript free?", "opposite"),
        ("how much is the application fee for grad school", "How much is the application fee?", "narrower"),
        ("when does the library close on friday", "When does the library close?", "narrower"),
        ("how much is tuition", "How much is out-of-state tuition?", "broader"),
        ("study rooms", "How do I reserve a study room?", "broader"),
        ("commencement in 2025", "When is commencement in 2027?", "term"),
        ("what was tuition in 2021", "What is tuition?", "term"),
        ("when does next fall start", "When does fall start?", "term"),
        ("who was president in 1950", "Who is the president?", "number"),
        ("the emergency number", "the non-emergency number", "opposite"),
        ("can I go from regular to early", "Can I go from early to regular?", "opposite"),
        ("when is the deposit due for law students", "When is the deposit due?", "narrower"),
        ("how much is the general fee", "Can I opt out of the general fee?", "wanted"),
        ("where do I get a new card", "How much is a new card?", "wanted"),
        ("when does the gym open", "How late is the gym open?", "opposite"),
        ("official transcript", "How much does an official transcript cost?", "broader"),
    ],
)
def test_one_thing_that_matters_keeps_them_apart(question: str, phrasing: str, why: str) -> None:
    assert apart(question, phrasing) == why


@pytest.mark.parametrize(
    ("question", "phrasing"),
    [
        ("prereqs csc310", "What are the prerequisites for CSC 310?"),
        ("how long for i20", "How long does an I-20 take?"),
        ("spring 2027 tuition", "spring tuition"),  # the spring that comes
        ("fall 2026 add/drop", "add/drop 2026-27 fall"),
        ("is it open or not", "Is it open?"),
        ("when does the library close", "library hours"),  # hours say when it opens and closes
        ("do freshmen need a meal plan", "Do first-year students need a meal plan?"),
        ("how many credits do I need to graduate", "How many credits do I need for graduation?"),
    ],
)
def test_the_same_in_other_words_is_not_kept_apart(question: str, phrasing: str) -> None:
    assert apart(question, phrasing) is None


def test_a_term_goes_without_saying_only_while_it_lasts_or_is_near() -> None:
    assert apart("spring 2027 tuition", "tuition in spring") is None
    assert apart("spring 2027 tuition", "tuition in spring", today=date(2027, 7, 1)) == "term"
    assert apart("tuition in spring", "spring 2027 tuition", today=date(2027, 7, 1)) == "term"


def test_what_any_phrasing_says_narrows_no_longer() -> None:
    phrasings = ("How much is a parking permit?", "commuter parking permit price")
    assert apart("how much is a parking permit for commuters", *phrasings) is None
    assert apart("how much is a parking permit for residents", *phrasings) == "narrower"


def test_what_speaks_for_it_and_against_it() -> None:
    subject = subject_of(("How much is a parking permit?", "parking pass price for a motorcycle"))
    asked = read("where do i get a motorcycle parking sticker")
    assert measures(asked, subject.readings[0], subject, 0.5) == {
        "cosine": 0.5,
        "added": 1.0,  # sticker, and that it asks for a place
        "lacking": 0.5,  # permit
    }
    same = read("parking permit cost")
    assert measures(same, subject.readings[0], subject, 0.9) == {
        "cosine": 0.9, "added": 0.0, "lacking": 0.0,
    }  # fmt: skip


def test_a_word_that_carries_little_counts_where_there_is_nothing_else() -> None:
    subject = subject_of(("How many classes can I miss?",))
    added = [
        measures(read(text), subject.readings[0], subject, 0.9)["added"]
        for text in ("How many classes can I take?", "how many days of classes can I miss", "miss classes")
    ]
    assert added == [1.0, 0.0, 0.0]


def test_what_is_told_before_the_question_adds_nothing() -> None:
    subject = subject_of(("Are pets allowed in the dorms?",))
    added = [
        measures(read(text), subject.readings[0], subject, 0.9)["added"]
        for text in ("I have a cat. Are pets allowed in the dorms?", "are cats allowed in the dorms?")
    ]
    assert added == [0.0, 1.0]


def test_only_the_cosine_speaks_for_it() -> None:
    assert set(WEIGHTS) == set(MEASURES)
    assert [name for name in MEASURES if WEIGHTS[name] > 0] == ["cosine"]
    least = dict.fromkeys(MEASURES, 0.0) | {"cosine": least_cosine(0.8)}
    assert likelihood(least) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("word", "short"),
    [
        ("cancelling", "cancel"), ("canceled", "cancel"), ("class", "class"), ("pets", "pet"),
        ("registration", "registr"), ("gas", "gas"), ("is", "is"),
    ],
)  # fmt: skip
def test_endings_do_not_count(word: str, short: str) -> None:
    assert stem(word) == short
