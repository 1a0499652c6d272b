"""A section from its chunks: nothing said twice, nothing of another section, every chunk at its place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pytest

from server.ask.extract import extract_answer
from server.ask.quoting.score import QuestionFeatures
from server.ask.quoting.sections import MOST_CHARS, sections_of
from server.ask.trace import AnswerBuilder
from server.messages.catalogue import shipped
from server.models import Candidate, Passage


def stems(texts: Sequence[str]) -> list[set[str]]:
    return [set(text.lower().replace(",", "").split()) for text in texts]


CLUBS = ("Outdoors: Outing Club, Fly Fishing", "Games: Chess, Esports", "Faith: Hillel, Newman Society")


def passage(chunk_id: int, text: str, heading: str = "Clubs", url: str = "https://example.edu/") -> Passage:
    return Passage(chunk_id, url, "Student life", heading, text)


def others(passages: Sequence[Passage]) -> Mapping[int, Passage]:
    return {one.chunk_id: one for one in passages}


def texts_of(chunks: Sequence[Passage], found: Passage) -> tuple[str, int]:
    known = others(chunks)

    def near(ids: Collection[int]) -> Mapping[int, Passage]:
        return {id_: known[id_] for id_ in ids if id_ in known}

    section = sections_of([found], near)[found.chunk_id]
    return section.passage.text, section.start


@pytest.mark.parametrize("place", range(3))
def test_a_section_is_put_together_from_any_of_its_chunks(place: int) -> None:
    chunks = [passage(7 + i, text) for i, text in enumerate(CLUBS)]
    text, start = texts_of(chunks, chunks[place])
    assert text == "\n".join(CLUBS)
    assert text[start:].startswith(CLUBS[place])


@pytest.mark.parametrize(
    "other",
    [
        passage(8, CLUBS[1], heading="Fairs"),
        passage(8, CLUBS[1], url="https://example.edu/fairs"),
        passage(9, CLUBS[1]),
    ],
)
def test_another_section_or_page_or_what_is_behind_a_gap_is_no_part_of_it(other: Passage) -> None:
    found = passage(7, CLUBS[0])
    assert texts_of([found, other], found) == (CLUBS[0], 0)


def test_what_two_chunks_share_is_said_once() -> None:
    first = passage(7, "The fair is on the Quad. Over seventy clubs will come.")
    second = passage(8, "Over seventy clubs will come. Eight people can start one.")
    whole = "The fair is on the Quad. Over seventy clubs will come. Eight people can start one."
    assert texts_of([first, second], first) == (whole, 0)
    text, start = texts_of([first, second], second)
    assert text == whole
    assert text[start:] == second.text


def test_a_long_section_is_not_put_together_whole() -> None:
    chunks = [passage(i, f"{i}: " + "word " * 160) for i in range(5)]
    text, start = texts_of(chunks, chunks[2])
    assert len(chunks[2].text) < len(text) <= MOST_CHARS
    assert text[start:].startswith(chunks[2].text)


def test_a_list_that_goes_on_in_the_next_chunk_is_quoted_whole() -> None:
    chunks = [passage(7 + i, text) for i, text in enumerate(CLUBS)]
    known = others(chunks)

    def near(ids: Collection[int]) -> Mapping[int, Passage]:
        return {id_: known[id_] for id_ in ids if id_ in known}

    wanted = QuestionFeatures({"chess": 1.0}, (), stems, several=True, passages=near)
    draft = extract_answer([Candidate(chunks[1], 0.9), Candidate(chunks[0], 0.8)], wanted)
    whole = "\n".join(CLUBS)
    assert draft.sentences == (f"{whole} [1]",)
    assert [citation.quote for citation in draft.citations] == [whole]
    assert [citation.quote for citation in draft.nearest] == [whole]


def test_a_list_that_is_too_long_says_how_much_of_it_is_left_out() -> None:
    clubs = [f"Club {i}: {'good ' * 60}people and chess" for i in range(8)]
    long = Candidate(passage(7, "\n".join(clubs)), 0.9)
    draft = extract_answer([long], QuestionFeatures({"chess": 1.0}, (), stems, several=True))
    shown = draft.sentences[0].count("Club")
    assert 0 < shown < len(clubs)
    for say in (draft.say, draft.show_nearest):
        answer = AnswerBuilder()
        list(say(answer, shipped().spoken("en", "Brackwater")))
        assert f"There are {len(clubs) - shown} more on the page." in answer.text.split("\n")


def test_the_list_of_the_best_sentences_page_follows_where_several_things_are_asked_for() -> None:
    lead = Candidate(passage(7, "There are clubs of chess and of much else.", heading=""), 0.9)
    clubs = Candidate(passage(8, "\n".join(CLUBS)), 0.6)
    elsewhere = Candidate(passage(9, "\n".join(CLUBS).upper(), url="https://example.edu/old"), 0.7)
    asked = QuestionFeatures({"clubs": 1.0, "chess": 1.0}, (), stems, several=True)
    draft = extract_answer([lead, elsewhere, clubs], asked)
    assert draft.sentences == (
        "There are clubs of chess and of much else. [1]",
        "\n".join(CLUBS) + " [2]",
    )
    one = extract_answer([lead, clubs], QuestionFeatures({"clubs": 1.0, "chess": 1.0}, (), stems))
    assert one.sentences[0] == draft.sentences[0]
    assert not any("\n" in said for said in one.sentences)
