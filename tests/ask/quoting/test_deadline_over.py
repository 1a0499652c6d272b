"""A deadline that is over, and the next of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pytest

from server.ask.quoting.deadline_over import deadline_over
from server.ask.trace import AnswerBuilder
from server.messages.catalogue import shipped
from server.models import Citation, Deadline, Passage
from server.models.quoted_table import QuotedTable

ENGLISH = shipped().spoken("en", "the university")
URL = "https://example.edu/billing"
FALL = Deadline(
    date(2026, 8, 7),
    "billing due dates term due",
    "Fall 2026",
    "Due",
    "Billing",
    URL,
    0,
    "Fall 2026 — Due: August 7, 2026",
)
SPRING = Deadline(
    date(2027, 1, 6), FALL.kind, "Spring 2027", "Due", "Billing", URL, 0, "Spring 2027 — Due: January 6, 2027"
)
BOTH = Citation(1, URL, "Billing", "", f"{FALL.line}\n{SPRING.line}")
ONE = Citation(1, URL, "Billing", "", FALL.line)


@dataclass(frozen=True)
class Pages:
    """A snapshot's deadlines and its one passage."""

    deadlines: Sequence[Deadline]

    def passages(self, chunk_ids: Sequence[int]) -> Mapping[int, Passage]:
        text = "\n".join(one.line for one in self.deadlines)
        return dict.fromkeys(chunk_ids, Passage(0, URL, "Billing", "", text))


def told(
    question: str,
    *quoted: Citation,
    today: date = date(2026, 11, 23),
    known: Sequence[Deadline] = (FALL, SPRING),
) -> str:
    over = deadline_over(question, quoted, Pages(known), today)  # type: ignore[arg-type]  # what it takes of a snapshot
    return over.sentence(ENGLISH) if over else ""


def test_it_is_said_with_the_next_one_whose_line_is_cited() -> None:
    assert told("when is the bill due", ONE) == (
        "That deadline, August 7, 2026, is over. The next is January 6, 2027 (Spring 2027)."
    )
    over = deadline_over("when is the bill due", [ONE], Pages((FALL, SPRING)), date(2026, 11, 23))  # type: ignore[arg-type]
    answer = AnswerBuilder()
    assert over
    list(answer.say("Before."))
    list(over.say_next(answer))
    assert answer.text == f"Before.\n{SPRING.line} [1]"
    assert [one.url for one in answer.citations] == [URL]


def test_a_next_one_whose_line_is_shown_is_not_shown_twice() -> None:
    over = deadline_over("when is the fall bill due", [BOTH], Pages((FALL, SPRING)), date(2026, 11, 23))  # type: ignore[arg-type]
    in_table = replace(ONE, table=QuotedTable((FALL.line, SPRING.line)))
    beside = deadline_over("when is the bill due", [in_table], Pages((FALL, SPRING)), date(2026, 11, 23))  # type: ignore[arg-type]
    assert over
    assert beside
    assert (over.next, over.source, beside.next, beside.source) == (SPRING, None, SPRING, None)


def test_the_term_that_is_named_counts_though_others_are_quoted() -> None:
    assert told("when is the fall bill due", BOTH).startswith("That deadline, August 7, 2026, is over.")
    assert told("when is the bill due", BOTH) == ""
    assert told("when is the spring bill due", BOTH) == ""


def test_without_a_next_one_only_the_end_is_said() -> None:
    assert told("when is the bill due", ONE, known=[FALL]) == "That deadline, August 7, 2026, is over."
    assert told("when is the bill due", BOTH, today=date(2027, 2, 1)) == (
        "All of these deadlines are over; the last was January 6, 2027."
    )


@pytest.mark.parametrize(
    ("question", "today"),
    [
        ("when was the fall bill due", date(2026, 11, 23)),
        ("how much is the bill", date(2026, 11, 23)),
        ("when is the bill due", date(2026, 8, 7)),
    ],
)
def test_nothing_is_said_of_the_past_of_other_questions_and_on_the_day(question: str, today: date) -> None:
    assert told(question, ONE, today=today) == ""


@pytest.mark.parametrize(
    ("line", "is_over"),
    [
        ("Tuesday–Saturday, December 7–11: Hull inspection", False),
        ("Hull inspection: November 21–23", False),  # it ends today
        ("Hull inspection: November 9–13, 2026", True),
        ("No sailings on September 7", False),  # of next year, for all that is said
        ("Sailings are in fine weather", True),
    ],
)
def test_nothing_is_over_beside_a_day_that_is_to_come(line: str, is_over: bool) -> None:
    beside = replace(ONE, quote=f"{FALL.line}\n{line}")
    assert bool(told("last day of sailings, and when is the hull inspection", ONE, beside)) is is_over
