from __future__ import annotations

import pytest

from server.ask.conversation.challenge import verify_answer
from server.ask.conversation.turns import is_challenge
from server.index.search import Index
from server.models import Citation
from tests.ask.asking import ENGLISH
from tests.small_site import SITE

ANSWER = "A parking permit for commuters costs $120 a year and is sold at the Public Safety office. [1]"
QUOTE = ANSWER.removesuffix(" [1]")


def cited(quote: str, path: str = "/parking", heading: str = "Permits") -> Citation:
    return Citation(1, SITE + path, "Parking on campus", heading, quote)


@pytest.mark.parametrize(
    "question",
    [
        "are you sure?",
        "Are you sure about that?",
        "really??",
        "Seriously? $120?",
        "says who?",
        "is that still right?",
        "is that correct",
        "where does it say that?",
        "how do you know that?",
        "that's wrong",
        "can you double check?",
        "hm, are you certain",
        "I don't believe you",
        "¿está seguro?",
        "¿de verdad?",
        "r u sure",
    ],
)
def test_a_doubt_about_the_last_answer(question: str) -> None:
    assert is_challenge(question, ANSWER)


@pytest.mark.parametrize(
    "question",
    [
        "are you sure the library is open on sunday?",
        "is that right for graduates",
        "really good pizza near campus",
        "who says I need insurance",
        "where does the bus stop",
        "how do you know if a course is full",
        "is it true that parking is free",
        "source code of the site",
        "what is your name",
    ],
)
def test_a_question_of_its_own_is_none(question: str) -> None:
    assert not is_challenge(question, ANSWER)


def test_what_the_page_still_says_is_cited_anew(index: Index) -> None:
    found = verify_answer(ANSWER, [cited(QUOTE)], index.keyword, index.snapshot)
    assert found.verdict == "confirmed"
    assert found.lead(ENGLISH) == "Yes: the page still says:"
    [citation] = found.citations
    assert (citation.url, citation.heading, citation.quote) == (SITE + "/parking", "Permits", QUOTE)
    assert citation.fetched_at == "2026-05-01T10:00:00+00:00"


@pytest.mark.parametrize(
    "citation",
    [cited(QUOTE.replace("$120", "$95")), cited(QUOTE, path="/dining"), cited(QUOTE, path="/gone")],
    ids=["another figure", "another page", "no page"],
)
def test_what_it_no_longer_says_has_changed(citation: Citation, index: Index) -> None:
    found = verify_answer(ANSWER, [citation], index.keyword, index.snapshot)
    assert (found.verdict, found.citations, found.missing) == ("changed", (), (citation.quote,))
    assert found.lead(ENGLISH).startswith("The page has changed")


def test_a_heading_that_moved_does_not_matter(index: Index) -> None:
    found = verify_answer(ANSWER, [cited(QUOTE, heading="Old heading")], index.keyword, index.snapshot)
    assert found.verdict == "confirmed"


def test_some_of_it_may_still_be_there(index: Index) -> None:
    found = verify_answer(
        "", [cited(QUOTE), cited("Permits are free for all.")], index.keyword, index.snapshot
    )
    assert (found.verdict, len(found.citations), found.missing) == (
        "changed",
        1,
        ("Permits are free for all.",),
    )
    assert found.lead(ENGLISH).endswith("It still says:")
    assert [citation.quote for citation in found.citations] == [QUOTE]


def test_without_citations_the_answers_sentences_are_looked_for(index: Index) -> None:
    found = verify_answer(ANSWER, (), index.keyword, index.snapshot)
    assert (found.verdict, found.citations[0].url) == ("confirmed", SITE + "/parking")


def test_without_an_answer_there_is_nothing_to_check(index: Index) -> None:
    found = verify_answer("", (), index.keyword, index.snapshot)
    assert (found.verdict, found.citations) == ("unknown", ())
    assert found.lead(ENGLISH).startswith("There is no answer yet")
