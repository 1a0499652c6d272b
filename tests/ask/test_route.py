"""What the flow makes of a line's routing: by a router that says what the test has it say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from server.ask.context import AskOptions, Models, ScopeOptions
from server.ask.pipeline import Asker
from server.ask.route import BEGINS, LACKS, SHARED, cuts_of, route
from server.ask.trace import OpenStep
from server.inference.encoders import Embedder
from server.models import Final
from server.models.routing import WAYS, Routing
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import OneSnapshot, Routes, question

LINE = "tuition for residents of the state, opening times of the library"
SECOND = "opening times"


def asked(
    opened: OpenedSnapshot, embedder: Embedder, router: Routes | None, text: str = LINE, **options: Any
) -> Final:
    numbers: dict[str, Any] = {"refusal_threshold": 0.0, "gate": ScopeOptions(threshold=-100.0)}
    chosen = AskOptions(**(numbers | options))
    models = Models(embedder, router=router)
    *_, final = Asker(OneSnapshot(opened).lease, models, chosen).ask(question(text, "hybrid"))
    assert isinstance(final, Final)
    return final


def notes(final: Final, name: str) -> Mapping[str, Any]:
    return next(step.notes for step in final.trace.steps if step.step == name)


def test_a_line_is_taken_apart_where_the_router_says(opened: OpenedSnapshot, embedder: Embedder) -> None:
    whole, cut = (asked(opened, embedder, router) for router in (None, Routes("decompose", SECOND)))
    assert notes(whole, "decompose")["parts"] == 1
    assert notes(cut, "decompose")["parts"] == 2
    assert notes(cut, "route")["begins"] == [LINE.index(SECOND)]
    assert [step.step for step in cut.trace.steps].count("retrieve") == 2
    assert {one.url.rsplit("/", 1)[-1] for one in cut.answer.citations} >= {"tuition", "library"}


def test_each_of_several_answers_stands_below_its_question(
    opened: OpenedSnapshot, embedder: Embedder
) -> None:
    text = asked(opened, embedder, Routes("decompose", SECOND)).answer.answer
    lines = text.split("\n")
    assert lines[0] == "“tuition for residents of the state”"
    assert "“opening times of the library”" in lines[1:-1]
    assert "“" not in asked(opened, embedder, None).answer.answer


def test_a_question_that_is_not_answered_heads_nothing(opened: OpenedSnapshot, embedder: Embedder) -> None:
    line = "tuition for residents of the state, what is the capital of france"
    final = asked(opened, embedder, Routes("decompose", "what"), line, gate=ScopeOptions(threshold=-100.0))
    refused = asked(opened, embedder, Routes("decompose", "what"), line, gate=ScopeOptions(threshold=100.0))
    assert final.answer.answer.startswith("“tuition for residents of the state”\n")
    assert "“what is the capital of france”\n" not in refused.answer.answer


def test_without_a_router_the_trace_has_no_such_step(opened: OpenedSnapshot, embedder: Embedder) -> None:
    assert "route" not in {step.step for step in asked(opened, embedder, None).trace.steps}


def test_every_part_is_routed_and_small_talk_is_not(opened: OpenedSnapshot, embedder: Embedder) -> None:
    router = Routes("decompose", SECOND)
    asked(opened, embedder, router)
    assert router.lines == [LINE, "tuition for residents of the state", "opening times of the library"]
    asked(opened, embedder, silent := Routes("quote"), "thanks!")
    assert silent.lines == []


def test_where_it_is_plain_that_several_things_are_asked_less_plain_beginnings_count() -> None:
    def found(several: float, share: float) -> list[int]:
        ways = {**dict.fromkeys(WAYS, 0.0), "decompose": several}
        return list(cuts_of(Routing(ways, {4: share, 9: 0.0})).begins)

    assert found(1.0, BEGINS) == found(BEGINS, 1.0) == [4]
    assert found(0.2, 0.2) == found(0.0, 1.0) == []


def test_words_are_shared_and_lacking_from_the_threshold_on() -> None:
    shared, lacks = {0: SHARED, 4: SHARED - 0.01}, {0: LACKS - 0.01, 9: LACKS}
    found = cuts_of(Routing(dict.fromkeys(WAYS, 0.25), {9: 0.9}, shared, lacks))
    assert (found.shared, found.lacks) == (frozenset({0}), frozenset({9}))


def test_a_part_is_searched_with_what_it_leaves_out(opened: OpenedSnapshot, embedder: Embedder) -> None:
    line = "library loans and can i renew"
    router = Routes("decompose", "can", shared=("library", "loans"), lacks=("can",))
    final = asked(opened, embedder, router, line)
    assert notes(final, "decompose")["shared"] == ("", "library loans")
    assert router.lines[-1] == "can i renew (library loans)?"


def test_the_step_tells_the_ways_and_the_likeliest() -> None:
    step = OpenStep()
    route("how much is tuition", Routes("ask_back"), step)
    assert step.notes["way"] == "ask_back"
    assert step.notes["ways"]["ask_back"] == pytest.approx(0.94)


def test_what_was_quoted_for_one_question_is_not_said_again_for_the_next(
    opened: OpenedSnapshot, embedder: Embedder
) -> None:
    line = "tuition for residents of the state, what residents of the state pay for tuition"
    final = asked(opened, embedder, Routes("decompose", "what residents"), line)
    assert notes(final, "decompose")["parts"] == 2
    said = [one.strip() for one in final.answer.answer.split("]") if one.strip()]
    assert len(said) == len({one.rsplit("[", 1)[0].strip() for one in said})


def test_the_asker_tells_what_a_line_is_taken_apart_into(opened: OpenedSnapshot, embedder: Embedder) -> None:
    lease, options = OneSnapshot(opened).lease, AskOptions()
    by_router = Asker(lease, Models(embedder, router=Routes("decompose", SECOND)), options)
    assert by_router.questions_in(LINE) == (
        "tuition for residents of the state",
        "opening times of the library",
    )
    assert Asker(lease, Models(embedder), options).questions_in(LINE) == (LINE,)
