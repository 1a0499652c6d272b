from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from server.ask.context import RerankOptions
from server.ask.rerank import is_settled, rerank
from server.ask.trace import OpenStep
from server.models import Candidate, Passage, Reading

ALL = RerankOptions(candidates=100, stop=0.0)


@dataclass
class Likes:
    """A cross-encoder with a fixed opinion of each text, which remembers what it was given to read."""

    log_odds: dict[str, float]
    weights: dict[str, float] = field(default_factory=dict)
    leads: list[str] = field(default_factory=list)
    waves: list[int] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        self.waves.append(len(passages))
        self.asked |= {text: question for _, text in passages}
        self.leads += [lead for lead, _ in passages]
        return [Reading(self.log_odds.get(text, -5.0)) for _, text in passages]


def candidates(*texts: str, heading: str = "") -> list[Candidate]:
    return [
        Candidate(Passage(i, f"https://u.example/{text}", "Title", heading, text), 1 / i)
        for i, text in enumerate(texts, 1)
    ]


def order(found: Sequence[Candidate]) -> list[str]:
    return [candidate.passage.text for candidate in found]


def test_the_passage_most_likely_to_answer_goes_first() -> None:
    model = Likes({"b": -1.0, "c": 3.0})
    found = rerank("?", candidates("a", "b", "c"), model, ALL, OpenStep())
    assert order(found) == ["c", "b", "a"]
    assert found[0].score == pytest.approx(1 / (1 + math.exp(-3)))
    assert found[0].reading == Reading(3.0)


def test_the_model_reads_title_and_headings_before_the_text() -> None:
    model = Likes({})
    rerank("?", [*candidates("a", heading="Fees › 2026"), *candidates("b")], model, ALL, OpenStep())
    assert model.leads == ["Title · Fees › 2026", "Title"]


def test_each_passage_is_read_with_the_question_in_its_own_words() -> None:
    model = Likes({"b": 1.0})
    found = rerank(
        "AC?",
        candidates("a", "b", "c"),
        model,
        ALL,
        OpenStep(),
        lambda text: "air conditioning?" if text.endswith("b") else "AC?",
    )
    assert model.asked == {"a": "AC?", "b": "air conditioning?", "c": "AC?"}
    assert order(found) == ["b", "a", "c"]


def test_candidates_that_were_not_read_keep_their_order_after_those_that_were() -> None:
    model = Likes({"b": 1.0})
    found = rerank("?", candidates("a", "b", "c", "d"), model, RerankOptions(2, 1, 0.0), OpenStep())
    assert order(found) == ["b", "a", "c", "d"]
    assert [candidate.reading is None for candidate in found] == [False, False, True, True]
    assert [candidate.score for candidate in found[2:]] == [0.0, 0.0]


def test_rank_and_length_speak_for_a_passage_as_much_as_the_model_says() -> None:
    alike, found = {"a": 1.0, "bb": 1.1}, candidates("a", "bb")
    weights = {"bias": 0.0, "log_odds": 1.0, "rank": -0.5, "length": 0.0}
    assert order(rerank("?", found, Likes(alike), ALL, OpenStep())) == ["bb", "a"]
    assert order(rerank("?", found, Likes(alike, weights), ALL, OpenStep())) == ["a", "bb"]
    weights["length"] = 1.0
    assert order(rerank("?", found, Likes(alike, weights), ALL, OpenStep())) == ["bb", "a"]


def test_how_far_it_was_found_behind_the_best_speaks_against_a_passage() -> None:
    """Beyond half of the best score it says no more."""
    a, bb, cc = candidates("a", "bb", "cc")
    near, far, farther = replace(a, score=1.0), replace(bb, score=0.6), replace(cc, score=0.1)
    alike = {"a": 1.0, "bb": 1.4, "cc": 2.2}
    weights = {"bias": 0.0, "log_odds": 1.0, "rank": 0.0, "found": 1.0, "length": 0.0}
    assert order(rerank("?", [near, far, farther], Likes(alike, weights), ALL, OpenStep())) == [
        "cc",
        "a",
        "bb",
    ]
    del weights["found"]  # the card of a model that was fitted without it
    assert order(rerank("?", [near, far, farther], Likes(alike, weights), ALL, OpenStep())) == [
        "cc",
        "bb",
        "a",
    ]


def test_the_right_term_speaks_for_a_passage() -> None:
    a, b = candidates("a", "b")
    found = rerank("?", [replace(a, preference=-1.0), b], Likes({"a": 0.5, "b": 0.0}), ALL, OpenStep())
    assert order(found) == ["b", "a"]


def test_reading_ends_when_the_right_passage_is_found() -> None:
    texts = [f"text {i}" for i in range(20)]
    sure, unsure = Likes({"text 1": 8.0}), Likes({"text 1": 0.0})
    for model in (sure, unsure):
        rerank("?", candidates(*texts), model, RerankOptions(20, wave=5, stop=0.01), OpenStep())
    assert sure.waves == [5]
    assert unsure.waves == [5, 5, 5, 5]


def test_without_a_stop_everything_is_read() -> None:
    model = Likes({"a": 50.0})
    rerank("?", candidates(*"abcdefg"), model, RerankOptions(7, wave=2, stop=0.0), OpenStep())
    assert model.waves == [2, 2, 2, 1]


@pytest.mark.parametrize(
    ("likely", "read", "settled"),
    [(1.0, 1, True), (0.99, 0, False), (0.9, 5, False), (0.96, 5, True), (0.9, 19, True), (0.0, 50, False)],
)
def test_it_is_settled_by_bayes_rule(likely: float, read: int, settled: bool) -> None:
    assert is_settled(likely, read, 0.01) is settled


def test_the_trace_ranks_every_candidate_and_says_how_many_were_read() -> None:
    step = OpenStep()
    rerank("?", candidates("a", "b", "c"), Likes({"b": 2.0}), RerankOptions(2, 2, 0.0), step)
    assert [hit.chunk_id for hit in step.ranking] == [2, 1, 3]
    assert step.notes == {"read": 2, "of": 2, "best": 0.8808}


def test_nothing_found_is_nothing_read() -> None:
    assert rerank("?", [], Likes({}), ALL, OpenStep()) == []


def test_news_of_long_ago_needs_more_than_a_page_that_holds() -> None:
    story, page = candidates("story", "page")
    model = Likes({"story": 1.5, "page": 0.0})
    assert order(rerank("?", [story, page], model, ALL, OpenStep())) == ["story", "page"]
    assert order(rerank("?", [replace(story, stale=True), page], model, ALL, OpenStep())) == ["page", "story"]


def test_a_price_of_long_ago_needs_still_more() -> None:
    story, page = candidates("story", "page")
    found = [replace(story, stale=True), page]
    model = Likes({"story": 3.0, "page": 0.0})
    assert order(rerank("Who speaks?", found, model, ALL, OpenStep())) == ["story", "page"]
    assert order(rerank("How much is a permit?", found, model, ALL, OpenStep())) == ["page", "story"]


def test_a_page_for_people_at_another_stage_needs_more_than_one_for_whoever_asks() -> None:
    applicants, page = candidates("applicants", "page")
    model = Likes({"applicants": 0.5, "page": 0.0})
    others = replace(applicants, other_stage=True)
    assert order(rerank("?", [applicants, page], model, ALL, OpenStep())) == ["applicants", "page"]
    assert order(rerank("?", [others, page], model, ALL, OpenStep())) == ["page", "applicants"]


def test_a_page_of_another_course_reads_as_likely_and_is_not() -> None:
    a, b = candidates("a", "b")
    model = Likes({"a": 1.0, "b": 0.0})
    assert order(rerank("?", [replace(a, course=-1), b], model, ALL, OpenStep())) == ["b", "a"]
    assert order(rerank("?", [a, replace(b, course=1)], model, ALL, OpenStep())) == ["a", "b"]


def test_a_page_far_from_the_front_door_needs_more_where_a_general_question_is_asked() -> None:
    conference, page = candidates("conference", "page")
    model = Likes({"conference": 0.5, "page": 0.0})
    far = replace(conference, distance=3.0)
    assert order(rerank("?", [conference, page], model, ALL, OpenStep())) == ["conference", "page"]
    assert order(rerank("?", [far, page], model, ALL, OpenStep())) == ["page", "conference"]
