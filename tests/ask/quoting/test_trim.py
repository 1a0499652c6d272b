"""What goes of a quoted answer because it is beside the question, and what stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from server.ask.extract import extract_answer
from server.ask.quoting.answer import ExtractiveAnswer, QuotedWords
from server.ask.quoting.lead import ReadAlone
from server.ask.quoting.score import AnswerPlace, QuestionFeatures
from server.ask.quoting.trim import trimmed
from server.ask.trace import AnswerBuilder, OpenStep
from server.models import Candidate, Passage
from server.models.quoted_table import QuotedTable
from tests.ask.asking import ENGLISH
from tests.ask.quoting.reads import Reads, alone, stems

QUESTION = "how long is the campus tour"
TOUR = "Tours leave from Birch Hall. A tour lasts 75 minutes. You will see a classroom and the pond."
LODGING = "The inn has rooms for families. Ask for our price."


def draft_of(*texts: str, words: str = "tour lasts", kinds: tuple[str, ...] = ()) -> ExtractiveAnswer:
    """What is quoted of these passages for some words, each of a page of its own, the first one the best."""
    candidates = [
        Candidate(
            Passage(i, f"https://x.example/{i}", "Visit", "Tours", text, line_kinds=kinds), 0.9 - 0.01 * i
        )
        for i, text in enumerate(texts)
    ]
    return extract_answer(candidates, QuestionFeatures(dict.fromkeys(words.split(), 1.0), (), stems))


def after(draft: ExtractiveAnswer, question: str = QUESTION, **relevance: float) -> ExtractiveAnswer:
    return trimmed(question, draft, alone(Reads(**relevance), question), OpenStep())


def test_what_is_beside_the_question_at_both_ends_goes_with_its_part_of_the_citation() -> None:
    draft, step = draft_of(TOUR), OpenStep(notes={"threshold": 0.5})
    assert draft.sentences == (f"{TOUR} [1]",)
    found = trimmed(QUESTION, draft, alone(Reads(lasts=2.0), QUESTION), step)
    assert found.sentences == ("A tour lasts 75 minutes. [1]",)
    assert [one.quote for one in found.citations] == ["A tour lasts 75 minutes."]
    assert found.evidence == draft.evidence
    assert step.notes == {"threshold": 0.5, "trimmed_chars": len(TOUR) - len("A tour lasts 75 minutes.")}


@pytest.mark.parametrize(
    ("relevance", "said"),
    [
        (
            {"lasts": 2.0, "classroom": -2.9},
            "A tour lasts 75 minutes. You will see a classroom and the pond.",
        ),
        ({"lasts": -4.0, "classroom": -7.9, "leave": -6.9}, TOUR),  # little less to the question
        # what stands before the answer goes sooner than what follows
        (
            {"lasts": -4.0, "classroom": -7.9, "leave": -7.1},
            "A tour lasts 75 minutes. You will see a classroom and the pond.",
        ),
        ({"lasts": -4.0, "classroom": -8.1, "leave": -8.1}, "A tour lasts 75 minutes."),
    ],
)
def test_what_is_nearly_as_relevant_stays(relevance: Mapping[str, float], said: str) -> None:
    assert after(draft_of(TOUR), QUESTION, **relevance).sentences == (f"{said} [1]",)


def test_what_looks_like_the_kind_of_answer_that_is_asked_for_stays() -> None:
    text = "A tour lasts long. It begins on Friday. Bring a coat that keeps the rain out."
    assert after(draft_of(text), "when is the tour", lasts=2.0).sentences == (
        "A tour lasts long. It begins on Friday. [1]",
    )


@pytest.mark.parametrize(
    "said",
    [
        "Our tour lasts long. But not in winter.",
        "Guides give tours. They last as a tour lasts.",
        "Tour lasts. Ask Odile, she knows.",
    ],
)
def test_what_leans_on_the_answer_or_what_it_only_names_stays_with_it(said: str) -> None:
    before = "" if said.startswith("Tour") else "Buses stop here. "
    text = f"{before}{said} Wear boots that keep out the water."
    assert after(draft_of(text), lasts=2.0).sentences == (f"{said} [1]",)


def test_of_how_to_reach_somebody_nothing_goes() -> None:
    line = "Weld Hall 140. Guides: Noor Haddadi. A tour lasts: (802) 555-0139, tours@u.example"
    draft = draft_of(f"Classes are held in other buildings on weekdays.\n{line}")
    assert after(draft, QUESTION, **{"555": 9.0, "Weld": -9.0, "Guides": -9.0}).sentences == (f"{line} [1]",)


def test_a_quote_of_another_passage_goes_whole_where_its_own_sentence_is_worth_far_less() -> None:
    draft = draft_of(TOUR, f"Lodging for a tour lasts. {LODGING}")
    assert len(draft.said) == 2
    first = after(draft, minutes=2.0, price=2.0)
    assert first.sentences == ("A tour lasts 75 minutes. [1]",)
    assert [one.n for one in first.citations] == [1]
    second = after(draft, minutes=2.0, Lodging=-0.9, price=-3.0)
    assert [one.n for one in second.citations] == [1, 2]
    assert second.sentences[1] == f"Lodging for a tour lasts. {LODGING} [2]"


def test_where_the_first_quote_goes_the_next_is_the_first_and_the_answers_place() -> None:
    draft = draft_of(f"Lodging for a tour lasts. {LODGING}", TOUR)
    found = after(draft, minutes=2.0)
    assert found.sentences == ("A tour lasts 75 minutes. [1]",)
    assert [one.url for one in found.citations] == ["https://x.example/1"]
    assert found.place == AnswerPlace("A tour lasts 75 minutes.")
    assert draft.place != found.place


@pytest.mark.parametrize(
    ("tail", "stays"), [("One tour each.", True), ("One tour for each of your guests.", False)]
)
def test_few_words_more_stay_behind_the_answer(tail: str, stays: bool) -> None:
    [said] = after(
        draft_of(f"Buses stop here. A tour lasts long. {tail} Wear boots, please."), lasts=2.0
    ).sentences
    assert said == f"A tour lasts long.{f' {tail}' if stays else ''} [1]"


@pytest.mark.parametrize("kinds", [("list",), ("table",), ("card",)])
def test_an_item_a_row_and_a_card_stay_whole_or_go_beside_another_quote(kinds: tuple[str, ...]) -> None:
    assert after(draft_of(TOUR, kinds=kinds), lasts=2.0).sentences[0].endswith(f"{TOUR} [1]")
    both = draft_of("A tour lasts 75 minutes.", f"A tour lasts. {LODGING}", kinds=kinds)
    assert len(both.said) == 2
    assert len(after(both, minutes=2.0).said) == 1


def test_a_list_goes_like_any_quote_but_where_several_things_are_asked_for() -> None:
    both = draft_of("A tour lasts 75 minutes.", "Bring for it:\nwhat a tour lasts\na pond")
    assert len(both.said) == 2
    assert after(both, minutes=2.0).sentences == ("A tour lasts 75 minutes. [1]",)
    assert after(both, "a list of all tours", minutes=2.0) is both


def test_of_the_days_that_are_meant_a_line_goes_only_where_nothing_is_to_the_question() -> None:
    draft = draft_of(TOUR, f"Lodging for a tour lasts. {LODGING}")
    first, second = draft.chosen
    dated = replace(draft, chosen=(first, replace(second, day=1.0)))
    assert len(after(dated, minutes=2.0, price=0.0).said) == 2
    assert len(after(dated, minutes=2.0).said) == 1


@pytest.mark.parametrize(("other", "stays"), [("Load", 2), ("Dues", 1)])
def test_rows_of_the_table_that_leads_stay_with_it(other: str, stays: int) -> None:
    draft = draft_of("Load: Full tour lasts — Hall: yes; Bus: no", f"{other}: Half tour lasts — Hall: no")
    first, second = draft.chosen
    beside = replace(second, passage=replace(second.passage, url=first.passage.url))
    assert len(after(replace(draft, chosen=(first, beside)), Full=2.0).said) == stays


def test_where_nothing_could_go_nothing_is_read() -> None:
    model, one = Reads(), draft_of("A tour lasts 75 minutes.")
    told = replace(draft_of(TOUR), is_told=True)
    nothing = ExtractiveAnswer((), (), 0.0, {})
    for draft in (one, told, nothing):
        assert trimmed(QUESTION, draft, alone(model, QUESTION), OpenStep()) is draft
    assert model.asked == []


def test_the_question_is_read_in_the_words_of_the_passage() -> None:
    model = Reads(lasts=2.0)
    own = ReadAlone("", model, lambda words: f"{words.count('pond')} tour?")
    trimmed(QUESTION, draft_of(TOUR), own, OpenStep())
    assert set(model.asked) == {"1 tour?"}


def test_a_source_that_shows_a_table_shows_it_as_before() -> None:
    table = QuotedTable(("Day: Monday — Tours: 3", "Day: Friday — Tours: 1"), "")
    draft = draft_of(f"Lodging for a tour lasts. {LODGING}", TOUR)
    draft = replace(draft, citations=(draft.citations[0], replace(draft.citations[1], table=table)))
    [citation] = after(draft, minutes=2.0).citations
    assert (citation.n, citation.table) == (1, table)


def test_a_part_of_a_line_is_not_answered_with_what_was_said_with_more_before_it() -> None:
    answer, draft = AnswerBuilder(), draft_of(TOUR)
    for _ in draft.say(answer, ENGLISH):
        pass
    assert draft.unsaid(answer).said == ()
    assert after(draft, lasts=2.0).unsaid(answer).said == ()
    other = replace(draft, said=(QuotedWords("Free. [1]", own="Free."),))
    assert other.unsaid(answer).said == other.said
