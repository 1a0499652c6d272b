"""Questions of hours, from the visitor's line to the answer, over a small library's pages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, time

import pytest

from server.ask.context import TermOptions
from server.ask.conversation.asked_time import AskedTime, asked_time
from server.ask.hours import NO_HOURS, HoursFound, hours_of, hours_question
from server.ask.opening.place import places_of
from server.ask.quoting.answer import ExtractiveAnswer
from server.ask.quoting.score import ScoredSentence
from server.index.search import Index
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.opening_hours import with_hours
from server.models import Block, Document, OpeningHours, Passage, Section
from tests.index.small_index import build

TODAY = date(2026, 11, 19)  # a Thursday
FRIDAY = "Friday — Building: 8 a.m.–6 p.m.; Desk: Closed"
LINES = f"Monday–Thursday — Building: 8 a.m.–1 a.m.; Desk: 9 a.m.–5 p.m.\n{FRIDAY}"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    opened = Index(build(tmp_path_factory.mktemp("hours") / "s", [LINES]), threads=1)
    yield opened
    opened.snapshot.close()


def read(heading: str = "Hours") -> tuple[OpeningHours, ...]:
    blocks = tuple(Block("table", line) for line in LINES.split("\n"))
    document = Document("https://example.edu/0", "Library", (Section(("Library", heading), blocks),))
    return with_hours(document, chunk(document, ChunkSize(min_words=1))).hours


def told(
    text: str, index: Index, *, minute: int = 600, words: str = "library", today: date = TODAY
) -> HoursFound:
    asked = hours_question(text, asked_time(text, today), today, minute)
    assert asked is not None
    return hours_of(asked, places_of(read()), ["Library"], index, words.split(), today)


def parts_of(found: HoursFound) -> object:
    return found.answer and found.answer.notes["parts"]


def test_the_day_s_hours_are_told_with_their_line(index: Index) -> None:
    found = told("is the library open tomorrow", index)
    assert parts_of(found) == {"Building": [[[480, 1080]]]}
    assert found.answer is not None
    [citation] = found.answer.citations
    assert citation.quote == FRIDAY


def test_several_days_are_told_where_each_is_sure(index: Index) -> None:
    found = told("library hours today and tomorrow", index)
    assert parts_of(found) == {"Building": [[[480, 1500]], [[480, 1080]]]}
    assert parts_of(told("library hours next week", index)) is None  # Thanksgiving is in it


def test_a_part_is_told_by_its_name(index: Index) -> None:
    assert parts_of(told("is the desk open tomorrow", index, words="desk")) == {"Desk": [[]]}


def test_in_the_small_hours_the_day_before_counts(index: Index) -> None:
    friday = date(2026, 11, 20)
    found = told("is the library open now", index, minute=30, today=friday)
    assert found.answer is not None
    assert found.answer.parts[0].late == 60


def test_on_a_holiday_nothing_is_sure_and_the_quoted_line_is_in_doubt(index: Index) -> None:
    found = told("is the library open on thanksgiving", index)
    assert found.answer is None
    assert found.in_doubt
    assert [one.place.name for one in found.places] == ["Library"]


def test_in_doubt_what_is_said_of_the_very_place_seems_to_answer(index: Index) -> None:
    found = told("is the library open on thanksgiving", index)
    passage = Passage(
        found.places[0].place.lines[0].chunk_id, "https://x.example/", "Library", "", "Open daily."
    )
    quote = ScoredSentence(passage, 0, 11, 0.5, 0.0, 1.0, fits=True)
    for own, evidence, shown in (
        (passage, 0.1, 0.25),
        (passage, 0.3, 0.3),
        (passage, 0.9, math.nextafter(0.5, 0.0)),
        (replace(passage, chunk_id=-1), 0.1, 0.1),
    ):
        best = (replace(quote, passage=own),)
        draft = ExtractiveAnswer((), (), evidence, {}, best)
        assert found.bounded(draft, 0.5, 0.25).evidence == shown


def test_another_place_is_left_to_the_sentences(index: Index) -> None:
    assert told("is the bookstore open tomorrow", index, words="bookstore") == NO_HOURS


@pytest.mark.parametrize(
    "text",
    [
        "is the library open",
        "where is the library open today",
        "who works at the library today",
        "what is for dinner today",
        "was the library open yesterday",
        "how much is a day pass at the library today",
        "is it open today",
    ],
)
def test_other_questions_are_no_questions_of_hours(text: str) -> None:
    assert hours_question(text, asked_time(text, TODAY), TODAY, 600) is None


@pytest.mark.parametrize(
    ("text", "words", "now"),
    [
        ("is the library open now", ("library",), 600),
        ("can i swim saturday", ("swim",), None),
        ("what time does the registrar's office close on nov 27", ("registrar", "office"), None),
        ("is lib open at 9 pm tonight?", ("lib",), None),
    ],
)
def test_what_names_the_place_is_apart_from_words_of_time(
    text: str, words: tuple[str, ...], now: int | None
) -> None:
    found = hours_question(text, asked_time(text, TODAY), TODAY, 600)
    assert found is not None
    assert (found.words, found.state.now) == (words, now)


def test_more_than_a_week_is_no_question_of_its_hours() -> None:
    long = AskedTime(date(2026, 12, 21), date(2027, 1, 15), "over winter break")
    assert hours_question("is the library open over winter break", long, TODAY, 600) is None


def test_the_time_of_day_can_be_set_and_is_else_the_site_s() -> None:
    assert TermOptions(clock=time(14, 30)).minute() == 870
    assert 0 <= TermOptions(zone="America/New_York").minute() < 1440
