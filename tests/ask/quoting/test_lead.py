"""Which sentence leads an answer: the best of the first few when each is read alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.ask.extract import extract_answer
from server.ask.quoting.lead import LEADS_BY, READ_AGAIN, ReadAlone, lead_first
from server.ask.quoting.score import ANSWER_TYPES, QuestionFeatures, score_sentences
from server.models import Candidate, Passage
from tests.ask.quoting.reads import Reads, alone, stems

QUESTION = "what are the dues for a club"
TEXT = "Dues for a club are paid in May. Ask the club's treasurer. Members pay a club $20. Clubs on Mondays."


def wanted(model: Reads | None = None, *, dated: bool = False) -> QuestionFeatures:
    asked = QuestionFeatures(dict.fromkeys(("dues", "club"), 1.0), (), stems, dated=dated)
    return replace(asked, worth=alone(model, QUESTION).worth) if model else asked


def passages(*texts: str) -> list[Candidate]:
    return [
        Candidate(Passage(i, f"https://x.example/{i}", "Clubs", "Money", text), 0.9)
        for i, text in enumerate(texts)
    ]


def lines(text: str) -> str:
    """Sentences on lines of their own: none brings the next."""
    return text.replace(". ", ".\n")


def test_the_sentence_that_answers_leads_whatever_words_another_one_has() -> None:
    found = passages(lines(TEXT))
    assert extract_answer(found, wanted()).sentences[0] == "Dues for a club are paid in May. [1]"
    led = extract_answer(found, wanted(Reads(pay=3.0)))
    assert led.sentences[0] == "Members pay a club $20. [1]"
    assert led.notes["led_from"] in range(2, READ_AGAIN + 1)
    assert "led_from" not in extract_answer(found, wanted()).notes


@pytest.mark.parametrize(("more", "leads"), [(LEADS_BY - 0.1, False), (LEADS_BY + 0.1, True)])
def test_another_sentence_leads_only_if_it_is_worth_so_much_more(more: float, leads: bool) -> None:
    quoted = score_sentences(passages(lines(TEXT)), wanted())
    best, other = quoted[:2]
    worth = {id(best): 1.0, id(other): 1.0 + more}
    assert (lead_first(quoted, lambda one: worth.get(id(one), -9.0))[0] is other) == leads


def test_what_is_far_off_is_not_read() -> None:
    model = Reads(Mondays=9.0)
    quoted = score_sentences(passages(lines(TEXT)), wanted())
    assert lead_first(quoted, alone(model, QUESTION).worth) == quoted
    assert not any("Mondays" in text for text in model.texts)


def test_the_verifier_counts_beside_the_reader_and_is_asked_as_the_visitor_asked() -> None:
    reader, verifier = Reads(), Reads(pay=9.0)
    read = ReadAlone(QUESTION, reader, lambda _: "in the page's words", verifier)
    quoted = score_sentences(passages(lines(TEXT)), wanted())
    assert lead_first(quoted, read.worth)[0].sentence == "Members pay a club $20."
    assert (set(reader.asked), set(verifier.asked)) == ({"in the page's words"}, {QUESTION})
    lead_first(quoted, read.worth)
    assert len(verifier.texts) == len(set(verifier.texts)) > 1


def test_what_is_quoted_beside_it_follows_as_the_page_has_it() -> None:
    found = passages("A club meets.\nDues of a club: none.\nA club has dues.")
    best = wanted(Reads(has=9.0))
    assert [one[:-4] for one in extract_answer(found, best).sentences] == [
        "A club has dues.",
        "A club meets.",
        "Dues of a club: none.",
    ]


@pytest.mark.parametrize(("kinds", "first"), [(set(), "Friday"), ({"hours"}, "Monday")])
def test_days_of_a_week_stay_in_its_order_where_hours_are_asked_for(kinds: set[str], first: str) -> None:
    found = passages("Monday–Thursday: club dues 9 a.m.–6 p.m.\nFriday: club dues 9 a.m.–5 p.m.")
    asked = tuple(kind for kind in ANSWER_TYPES if kind.name in kinds)
    led = extract_answer(found, replace(wanted(Reads(Friday=9.0)), kinds=asked))
    assert led.sentences[0].startswith(first)
    assert led.notes["led_from"] == 2


def test_the_passage_of_the_lead_is_cited_first() -> None:
    found = passages("Club dues.", "Members pay $20 as club dues.")
    first = extract_answer(found, wanted(Reads(pay=2.0))).citations[0]
    assert (first.n, first.url) == (1, "https://x.example/1")


def test_only_the_best_few_are_read_and_each_once() -> None:
    model = Reads()
    read = alone(model, QUESTION)
    quoted = score_sentences(passages(lines(" ".join(f"Rule {i} of a club." for i in range(9)))), wanted())
    assert len(quoted) == 9
    for _ in range(2):
        lead_first(quoted, read.worth)
    assert len(model.texts) == READ_AGAIN


@pytest.mark.parametrize("number", [0, 1])
def test_nothing_is_read_where_one_sentence_leads_by_itself(number: int) -> None:
    model = Reads()
    quoted = score_sentences(passages(*["Club dues."][:number]), wanted())
    assert lead_first(quoted, alone(model, QUESTION).worth) == quoted
    assert lead_first(quoted, None) == quoted
    assert model.texts == []
