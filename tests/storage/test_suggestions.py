"""What suggested questions were answered from is kept, and which page is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import ConflictError, NotFoundError
from server.models.curation import AskedSuggestion
from server.models.golden import GoldenQuestion
from server.workbench.records import Records

HOURS, NEWS = "https://example.edu/hours", "https://example.edu/news"
RIGHT = AskedSuggestion("main", "en", "When is it open?", refused=False, cited=(HOURS, NEWS))
MOVED = replace(RIGHT, cited=(NEWS, HOURS))
REFUSED = replace(RIGHT, refused=True, cited=())


def faults(store: Records, *asked: AskedSuggestion) -> list[str | None]:
    """What is wrong with each once they are kept."""
    return [one.fault for one in store.suggestions.keep(asked, "s1")]


def test_an_answered_question_is_right_and_its_page_is_known_from_then_on(store: Records) -> None:
    assert store.suggestions.withheld() == {}
    assert faults(store, RIGHT) == [None]
    assert store.suggestions.all() == store.suggestions.all("main") == [replace(RIGHT, page=HOURS)]
    assert store.suggestions.all("other") == []


def test_another_page_is_wrong_until_it_is_the_page_of_before(store: Records) -> None:
    faults(store, RIGHT)
    for _ in range(2):  # asked again, it is not right for having been wrong before
        assert faults(store, MOVED) == [f"It is answered from {NEWS}; the right page is {HOURS}."]
    assert store.suggestions.withheld() == {"main": frozenset({RIGHT.question})}
    assert faults(store, replace(RIGHT, cited=(HOURS + "/#today",))) == [None]
    assert store.suggestions.withheld() == {}


def test_a_refused_question_is_wrong_and_right_by_its_first_answer(store: Records) -> None:
    assert faults(store, REFUSED) == ["It is not answered."]
    assert faults(store, RIGHT) == [None]
    assert faults(store, REFUSED, replace(RIGHT, lang="es")) == ["It is not answered.", None]
    assert faults(store, MOVED) != [None]  # the page of before its refusal is still the right one


def test_what_rests_on_no_page_is_right(store: Records) -> None:
    faults(store, RIGHT)
    assert faults(store, replace(RIGHT, cited=())) == [None]
    assert faults(store, MOVED) != [None]


def test_what_is_no_longer_suggested_is_forgotten(store: Records) -> None:
    faults(store, RIGHT, replace(REFUSED, question="Who?"))
    faults(store)
    assert (store.suggestions.all(), store.suggestions.withheld()) == ([], {})


def test_an_editor_says_that_the_new_page_is_right_and_the_log_has_it(store: Records) -> None:
    faults(store, RIGHT)
    faults(store, MOVED)
    before = store.rulebooks.version()
    accepted = store.suggestions.accept("main", "en", RIGHT.question, by="ada")
    assert (accepted.page, accepted.fault) == (NEWS, None)
    assert store.suggestions.withheld() == {}
    assert store.rulebooks.version() != before, "other servers would not see it"
    assert faults(store, MOVED) == [None]
    [change] = store.audit.changes(limit=9, kind="suggestion")
    assert (change.who, change.id, change.after) == ("ada", RIGHT.question, {"page": NEWS})


def golden(*pages: str, refuse: bool = False) -> GoldenQuestion:
    return GoldenQuestion("open", "main", "when is it  open", pages=pages, refuse=refuse)


def test_a_golden_question_in_the_same_words_knows_the_right_page_from_the_first_answer_on(
    store: Records,
) -> None:
    store.golden.put(golden(HOURS, HOURS + "/today"))
    wrong = f"It is answered from {NEWS}; the right page is {HOURS}."
    assert faults(store, replace(RIGHT, cited=(NEWS,))) == [wrong]
    assert store.suggestions.withheld() == {"main": frozenset({RIGHT.question})}
    assert faults(store, replace(RIGHT, site="other", cited=(NEWS,))) == [None]
    for page in (HOURS, HOURS + "/", HOURS + "/today"):
        assert faults(store, replace(RIGHT, cited=(page, NEWS))) == [None]


def test_a_golden_question_goes_before_what_was_answered_before_and_before_an_editors_word(
    store: Records,
) -> None:
    assert faults(store, MOVED) == [None]
    store.golden.put(golden(HOURS))
    assert faults(store, MOVED) != [None]
    with pytest.raises(ConflictError, match=HOURS):
        store.suggestions.accept("main", "en", RIGHT.question)
    store.golden.remove("open")
    assert store.suggestions.accept("main", "en", RIGHT.question).fault is None


def test_a_golden_question_without_a_page_says_nothing_of_one(store: Records) -> None:
    for one in (golden(), golden(refuse=True)):
        store.golden.put(one)
        assert faults(store, replace(RIGHT, cited=(NEWS,))) == [None]


def test_there_must_be_a_page_to_be_right(store: Records) -> None:
    faults(store, REFUSED)
    with pytest.raises(ConflictError, match="not answered from any page"):
        store.suggestions.accept("main", "en", RIGHT.question)
    with pytest.raises(NotFoundError):
        store.suggestions.accept("main", "es", RIGHT.question)
