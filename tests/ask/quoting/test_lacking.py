from __future__ import annotations

from datetime import date

import pytest

from server.ask.conversation.asked_time import AskedTime
from server.ask.quoting.answer import ExtractiveAnswer, QuotedWords
from server.ask.quoting.lacking import MOST, doubted, what_lacks


@pytest.mark.parametrize(
    ("question", "told", "lacks"),
    [
        ("email of ada quill", "Ada Quill, Weld 12, 555-0120", "e-mail"),
        ("email of ada quill", "Ada Quill, quill@u.example", ""),
        ("ada quill's email", "Ada Quill: Weld 12", "e-mail"),
        ("when does my student email shut off", "Twelve months after you leave.", ""),
        ("phone number of the advocate", "The Advocate is in Weld 12.", "phone"),
        ("phone number of the advocate", "Telephone: 0121", ""),
        ("can i take phone pics of the exam", "Cameras stay outside.", ""),
        ("how much is the ambassador stipend", "Ambassadors meet every week.", "money"),
        ("how much is the ambassador stipend", "It is half of tuition.", ""),
        ("price of 250 business cards", "Cards are ordered at the Business Office.", "money"),
        ("what did the foundry school cost", "Ten cents an evening.", ""),
        ("how much is the final worth", "The final counts 30 percent.", ""),
        ("what is the interest rate on a loan", "You may borrow $5,500 a year.", "percentage"),
        ("what is the interest rate on a loan", "It is 5 percent.", ""),
        ("funding fee percent", "The fee is paid at closing.", "percentage"),
        ("with a wife and one kid how much a month", "Those with 30% or more get more.", "sum"),
        ("with a wife and one kid how much a month", "It is $120 more.", ""),
        ("got out in 2011, who won the prize", "Wren Prize 2026: O. Gunn", ""),
        ("is there a late fee for cards", "Cards are ordered at the office.", ""),
        ("what time is the progress talk", "Progress talk, ten minutes: February 24", "time of day"),
        ("what time is the progress talk", "February 24 at 3", ""),
        ("what gpa is magna cum laude", "It is counted by the Registrar.", "average"),
        ("link for the online meeting", "Fridays, online.", "link"),
        (
            "how many credits is bio 101",
            "BIO 100 — Credits: 3; Fee: $0\nBIO 111 — Credits: 4; Fee: $60",
            "course",
        ),
        ("how many credits is bio 101", "BIO 100 — Credits: 3; Fee: $0\nBIO 101 — Credits: 4; Fee: $60", ""),
        ("can i take csc 395 with a minor", "Seats in CSC 210 are kept for majors.", ""),
        ("who won the wren prize in 2025", "Wren Prize 2026: O. Gunn", "year"),
        ("who won the wren prize in 2025", "Winners since 2024: …, 2024–26", ""),
        ("who was president in 1990", "Lysander Okonjo, 1983–1999", ""),
        ("who was president in 1990", "The president is elected.", ""),
        ("i started in 2023, which rules hold", "The rules of 2026 hold for all.", ""),
        ("deadline class of 2028", "Apply by May 2027", ""),
        ("is there a fair in 2027", "The fair was in 2026.", ""),
    ],
)
def test_what_an_answer_must_have_is_missed(question: str, told: str, lacks: str) -> None:
    assert what_lacks(question, told) == lacks


def draft(text: str, *, is_told: bool = False) -> ExtractiveAnswer:
    return ExtractiveAnswer((QuotedWords(f"{text} [1]"),), (), 0.9, {"evidence": 0.9}, is_told=is_told)


def test_an_answer_that_lacks_it_is_hardly_right_and_the_trace_says_why() -> None:
    found = doubted("email of ada quill", draft("Ada Quill, Weld 12"))
    assert found.evidence == MOST
    assert found.notes == {"evidence": MOST, "lacks": "e-mail"}


def test_any_other_answer_is_left_as_it_is() -> None:
    for one in (draft("quill@u.example"), draft("Weld 12", is_told=True)):
        assert doubted("email of ada quill", one) is one


def test_the_day_that_is_asked_about_is_no_answer_by_itself() -> None:
    friday = AskedTime(date(2026, 11, 27), date(2026, 11, 27), "this friday", "Friday")
    said = doubted("any events this friday", draft("Friday"), friday)
    assert (said.evidence, said.notes["lacks"]) == (MOST, "substance")
    told = draft("Friday: Open mic, 8 p.m.")
    assert doubted("any events this friday", told, friday) is told
    day = draft("Friday")
    assert doubted("which day is the open mic", day) is day
