"""Which sentences are quoted: the record that is meant, and what holds now."""

from __future__ import annotations

from dataclasses import replace

from server.ask.extract import extract_answer
from server.models import Candidate, Reading
from tests.ask.quoting.candidates import candidate, wanted

PEOPLE = (
    "Ada Quill\naquill@oakham.example\nForestry Director\nBo Marsh\nbmarsh@oakham.example\nLibrary Director"
)
PERSON = ("paragraph", "", "")


def people(reading: Reading | None = None) -> Candidate:
    found = candidate(1, PEOPLE)
    return replace(found, passage=replace(found.passage, line_kinds=PERSON * 2), reading=reading)


def test_the_record_that_a_question_names_goes_before_the_one_that_the_reader_marks() -> None:
    marked = PEOPLE.index("Forestry")
    found = people(Reading(2.0, marked, marked + 17, 4.0))
    bo, ada = PEOPLE[PEOPLE.index("Bo Marsh") :], PEOPLE[: PEOPLE.index("Bo Marsh")].strip()
    assert extract_answer([found], wanted("library", "director")).sentences == (f"{bo} [1]",)
    assert extract_answer([found], wanted("director")).sentences == (f"{ada} [1]",)


def test_what_seems_to_answer_is_shown_without_the_records_around_it() -> None:
    [shown] = extract_answer([people()], wanted("library")).nearest
    assert shown.quote == PEOPLE[PEOPLE.index("Bo Marsh") :]


def test_where_all_is_of_other_days_than_are_meant_something_is_quoted_all_the_same() -> None:
    found = candidate(1, "January 17\nCy Ames\nElmstead College")
    found = replace(found, passage=replace(found.passage, line_kinds=PERSON))
    asked = replace(wanted("zeppelin"), day_fit=lambda _line, _above: -1.0, dated=True)
    assert len(extract_answer([found], asked).sentences) == 1


def test_beside_what_a_page_says_of_the_date_it_says_nothing_of_every_such_weekday() -> None:
    exception = candidate(1, "Thanksgiving: the grill serves dinner on Friday, November 27.")
    elsewhere = candidate(2, "Friday dinner at the grill is from 4 p.m.")
    usual = replace(elsewhere, passage=replace(elsewhere.passage, url=exception.passage.url))
    fits = {"Thanks": 1.0, "Friday": 0.9}
    asked = replace(
        wanted("dinner", "grill"), day_fit=lambda line, _above: fits.get(line[:6], 0.0), dated=True
    )
    [only] = extract_answer([exception, usual], asked).sentences
    assert only == f"{exception.passage.text} [1]"
    assert len(extract_answer([exception, elsewhere], asked).sentences) == 2


def test_what_is_of_long_ago_is_not_quoted_beside_what_holds() -> None:
    now = candidate(1, "A commuter permit is $95 a year.")
    then = candidate(2, "A commuter permit goes from $70 to $80 a year.")
    asked = wanted("commuter", "permit", "year")
    assert len(extract_answer([now, then], asked).sentences) == 2
    assert extract_answer([now, replace(then, stale=True)], asked).sentences == (f"{now.passage.text} [1]",)
    [only] = extract_answer([replace(then, stale=True)], asked).sentences
    assert only == f"{then.passage.text} [1]"


def test_an_event_of_long_ago_is_less_sure_of_being_what_is_asked_for() -> None:
    fair = candidate(1, "The permit fair is on May 3, 2021, in Weld 12.")
    fair = replace(fair, passage=replace(fair.passage, kind="event"))
    now = extract_answer([fair], wanted("permit", "fair"))
    then = extract_answer([replace(fair, stale=True)], wanted("permit", "fair"))
    assert then.evidence < now.evidence
    assert then.sentences == now.sentences


def test_a_table_that_goes_on_in_another_chunk_is_quoted_once() -> None:
    halls = [f"Hall: Hall {n} — Beds: {n}0; Lift: No" for n in range(1, 13)]
    parts = {1: halls[:8], 20: halls[5:], 40: halls}
    first, then, other = (candidate(n, "\n".join(rows)) for n, rows in parts.items())
    page = first.passage
    then = replace(then, passage=replace(then.passage, url=page.url, heading=page.heading))
    asked = replace(wanted("hall", "beds"), several=True)
    [quoted] = extract_answer([first, then], asked).sentences
    assert quoted in {f"{one.passage.text} [1]" for one in (first, then)}
    other = replace(other, passage=replace(other.passage, heading="Halls of the summer"))
    assert len(extract_answer([first, other], asked).sentences) == 2


def test_of_a_day_none_is_quoted_without_a_word_of_the_question_beside_one_that_has_all() -> None:
    library = candidate(1, "Saturday: the service desk is open from noon.")
    help_desk = candidate(20, "Saturday: the help desk is closed.")
    asked = replace(
        wanted("help", "desk"), day_fit=lambda line, _above: float("Saturday" in line), dated=True
    )
    assert extract_answer([library, help_desk], asked).sentences == (f"{help_desk.passage.text} [1]",)
    assert len(extract_answer([library], asked).sentences) == 1
