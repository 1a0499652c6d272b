from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from server.ask.conversation.other_university import other_university
from server.ask.refuse import is_refusal
from server.inference.encoders import Embedder
from server.messages.catalogue import Texts, fill
from server.models import Passage
from tests.ask.asking import ENGLISH, SPANISH
from tests.ask.lines_about_others import ABOUT_OTHERS, ONLY_NAMED

SITE = "Larkmoor University"


@dataclass
class SiteWords:
    """A site's words: those of `own` stand on every page, all others on none."""

    own: frozenset[str] = field(default_factory=frozenset)

    def content_words(self, text: str) -> list[str]:
        return text.casefold().split()

    def word_weights(self, question: str) -> Mapping[str, float]:
        return {word: 0.1 if word in self.own else 7.0 for word in question.casefold().split()}

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        return [set(text.casefold().split()) for text in texts]

    def knows(self, words: Sequence[str]) -> set[str]:
        return set(words) & self.own

    def knows_a_form(self, words: Sequence[str]) -> set[str]:
        return self.knows(words)

    def nearest_words(self, word: str, max_edits: int, most: int = 1) -> list[str]:
        return []


def named(
    question: str, embedder: Embedder, *pages: str, own: Sequence[str] = (), site: str = SITE
) -> str | None:
    found = [Passage(i, f"https://x.example/{i}", "", "", text) for i, text in enumerate(pages)]
    other = other_university(question, site, SiteWords(frozenset(own)), embedder.is_word, found)
    return other.name if other else None


def test_most_questions_about_others_are_known(embedder: Embedder) -> None:
    known = [line for line in ABOUT_OTHERS if named(line, embedder)]
    assert len(ABOUT_OTHERS) >= 80
    assert len(known) / len(ABOUT_OTHERS) >= 0.9


@pytest.mark.parametrize("line", ONLY_NAMED)
def test_who_comes_from_there_or_names_none_asks_about_this_one(line: str, embedder: Embedder) -> None:
    assert named(line, embedder) is None


def test_the_name_is_written_as_people_write_it(embedder: Embedder) -> None:
    assert named("university of vermont room and board", embedder) == "University of Vermont"
    assert named("how much is tuition at uvm", embedder) == "University of Vermont"
    assert named("emerson college dorm rules", embedder) == "Emerson College"
    assert named("uc davis dorms", embedder) == "UC Davis"


def test_a_university_of_the_story_alone_is_not_asked_about(embedder: Embedder) -> None:
    story = "We heard from UC Davis yesterday and my son is over the moon!"
    assert named(f"{story} How much is a double room?", embedder) is None
    assert named(f"{story} How much is a double room at UC Davis?", embedder) == "UC Davis"


def test_the_sites_own_names_are_not_anothers(embedder: Embedder) -> None:
    assert named("is larkmoor university public", embedder) is None
    assert named("uvm tuition", embedder, own=["uvm"]) is None
    assert named("university of vermont tuition", embedder, site="University of Vermont") is None
    school = "Students of the Tolliver College take calculus."
    assert named("Tolliver College dean", embedder, school, school) is None
    assert named("Tolliver College dean", embedder, "Calculus.") == "Tolliver College"


def test_a_page_that_has_to_do_with_it_answers(embedder: Embedder) -> None:
    agreement = "Our transfer agreement with the University of Vermont covers nursing."
    asked = "does the university of vermont take our nursing students"
    assert named(asked, embedder, "Nursing.") == "University of Vermont"
    assert named(asked, embedder, "Nursing.", agreement) is None
    bio = "Taught at the University of Vermont."
    assert named(asked, embedder, "A.", "B.", "C.", bio) == "University of Vermont"


@pytest.mark.parametrize("texts", [ENGLISH, SPANISH])
def test_the_visitor_is_told_which_university_was_meant(texts: Texts) -> None:
    line = fill(texts.refused_elsewhere, university="University of Vermont")
    assert "University of Vermont" in line
    assert is_refusal(line, (SPANISH, ENGLISH))
