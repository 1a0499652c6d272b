from __future__ import annotations

import csv
import io

import pytest

from server.errors import BadInputError
from server.evaluate.judging.sheet import (
    SheetAnswer,
    read_sheet,
    sampled,
    sheet_answer,
    sheet_csv,
    sheet_figures,
)
from tests.evaluate.scorecard.test_asked import URL, final


def asked(own: str, topic: str = "fees", confidence: float | None = 0.9) -> SheetAnswer:
    return SheetAnswer(own, f"what of {own}?", topic, confidence, ("It is $145.", "=Due on May 1."), (URL,))


def filled(text: str, *scores: object) -> str:
    """The sheet, its rows scored in their order."""
    rows = list(csv.reader(io.StringIO(text)))
    for row, score in zip(rows[1:], scores, strict=True):
        row[2] = str(score)
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue()


def test_an_answer_is_taken_apart_without_its_marks() -> None:
    one = sheet_answer("1", "how much?", "fees", final("It is $145. [1]\nDue on August 1. [1]").answer)
    assert one.sentences == ("It is $145.", "Due on August 1.")
    assert one.pages == (URL,)


def test_no_cell_is_a_formula_and_what_was_written_is_read_again() -> None:
    text = sheet_csv([asked("a")])
    assert not any(
        cell.startswith(("=", "+", "-", "@")) for row in csv.reader(io.StringIO(text)) for cell in row
    )
    [one] = read_sheet(filled(text, 100, 80, 25))
    assert (one.id, one.question, one.topic, one.right_pages) == ("a", "what of a?", "fees", (URL,))


@pytest.mark.parametrize(
    ("scores", "total"), [((100, 100, 25), 100), ((100, 80, 20), 87.5), ((0, 0, 0), 0), ((100, 0, 25), 62.5)]
)
def test_the_score_is_three_quarters_sentences_and_the_citation(
    scores: tuple[int, ...], total: float
) -> None:
    [one] = read_sheet(filled(sheet_csv([asked("a")]), *scores))
    assert one.score == total


def test_an_answer_that_is_not_scored_whole_is_left_out() -> None:
    text = sheet_csv([asked("a"), asked("b")])
    assert [one.id for one in read_sheet(filled(text, 100, "", 25, 100, 100, 20))] == ["b"]


@pytest.mark.parametrize(("score", "sentence"), [("90", "Row 2 .*100, 80, 0"), ("25", "Row 2"), ("x", "'x'")])
def test_a_score_that_is_none_is_named_with_its_row(score: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_sheet(filled(sheet_csv([asked("a")]), score, 0, 0))


def test_what_is_no_sheet_is_turned_away() -> None:
    with pytest.raises(BadInputError, match="no sheet"):
        read_sheet("a,b\n1,2\n")
    with pytest.raises(BadInputError, match="sentence or a citation"):
        read_sheet("id,part,score,question,text\n1,word,0,q,t\n")


def test_every_topic_and_confidence_has_its_turn() -> None:
    answers = [asked(f"f{i}", "fees", 0.95) for i in range(9)]
    answers += [asked("low", "fees", 0.1), asked("pool", "pool", 0.5), asked("none", "pool", None)]
    first = sampled(answers, 4)
    assert {one.id for one in first} == {"f0", "low", "pool", "none"}
    assert len(sampled(answers, 100)) == 12
    assert sampled(answers, 0) == []


def test_golden_questions_get_right_pages_and_never_the_answer() -> None:
    [one] = read_sheet(filled(sheet_csv([asked("a")]), 100, 100, 25))
    line = one.as_golden()
    assert (line["gold_urls"], line["answers"], line["answerable"]) == ([URL], [], True)
    assert "145" not in str(line)


def test_means_stand_with_their_intervals_by_topic() -> None:
    text = sheet_csv([asked("a"), asked("b", "pool")])
    figures = {
        name: (n, mean) for name, n, mean in sheet_figures(read_sheet(filled(text, 100, 100, 25, 0, 0, 0)))
    }
    assert {name: (n, mean.value) for name, (n, mean) in figures.items()} == {
        "all": (2, 50.0),
        "fees": (1, 100.0),
        "pool": (1, 0.0),
    }
    assert list(sheet_figures([])) == []
