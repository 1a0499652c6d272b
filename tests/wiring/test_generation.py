"""The flow with a language model behind real HTTP: a server on loopback that follows a script."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from server.ask.context import AskContext, AskOptions, Models, ScopeOptions, Writes
from server.ask.contextualize import ContextualizedQuestion
from server.ask.conversation.standalone import StandaloneQuestion
from server.ask.curated import SiteConfig
from server.ask.generate import generate_answer
from server.ask.pipeline import Asker
from server.ask.ports import LineRouter
from server.ask.quoting.answer import ExtractiveAnswer, QuotedWords
from server.ask.refuse import PartOutcome, RetrievalResult
from server.ask.strategy.modes import PLANS, Mode
from server.ask.trace import AnswerBuilder, TraceLog
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.models import Answer, Citation, Event, Final, Token, TraceStep
from server.models.routing import Way
from server.wiring.generation import ChatWriter
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import ENGLISH, OneSnapshot, Routes, question
from tests.llm.scripted import STREAM, Script, ScriptedServer, event, hangs, says, sends, serving, status

TUITION = "How much is tuition for residents of the state?"
TRUE = "Undergraduate tuition for residents of the state is $9,240 a year. [1]"
INVENTED = "You can also call the bursar at 555-867-5309. [1]"


class Talk:
    """A flow over the small college whose answers come from a scripted model."""

    def __init__(self, opened: OpenedSnapshot, embedder: Embedder, server: ScriptedServer) -> None:
        self.server = server
        self.writer = ChatWriter(
            ChatOptions(server.url, connect_s=0.3, first_token_s=0.4, stall_s=0.4, retries=0),
            "Brackwater College",
        )
        self._snapshots = OneSnapshot(opened)
        self._models = Models(embedder, writer=self.writer, condense=self.writer.condense)

    def events(
        self, text: str, mode: Mode = Mode.CONDENSE_QUESTION, history: tuple[tuple[str, str], ...] = ()
    ) -> list[Event]:
        return list(self.asker(mode).ask(question(text, history=history)))

    def asker(
        self, mode: Mode = Mode.CONDENSE_QUESTION, router: LineRouter | None = None, **numbers: Any
    ) -> Asker:
        options = AskOptions(gate=ScopeOptions(threshold=-100.0), mode=mode, refusal_threshold=0.2)
        models = replace(self._models, router=router)
        return Asker(self._snapshots.lease, models, replace(options, **numbers))

    def final(
        self, text: str, mode: Mode = Mode.CONDENSE_QUESTION, history: tuple[tuple[str, str], ...] = ()
    ) -> Final:
        final = self.events(text, mode, history)[-1]
        assert isinstance(final, Final)
        return final

    def answer(self, text: str = TUITION) -> Answer:
        return self.final(text).answer


Talking = Callable[..., AbstractContextManager[Talk]]


@pytest.fixture
def talk(opened: OpenedSnapshot, embedder: Embedder) -> Talking:
    @contextmanager
    def talking(*scripts: Script) -> Iterator[Talk]:
        with serving(*scripts) as server:
            made = Talk(opened, embedder, server)
            try:
                yield made
            finally:
                made.writer.close()

    return talking


def step(final: Final, name: str) -> TraceStep:
    return next(step for step in final.trace.steps if step.step == name)


def test_what_passes_the_check_is_the_models_own_words(talk: Talking) -> None:
    with talk(says("Undergraduate tuition for residents of the state is ", "$9,240 a year. [1]")) as talking:
        events = talking.events(TUITION)
    final = events[-1]
    assert isinstance(final, Final)
    assert final.answer.answer == TRUE
    assert (final.answer.answerer, final.answer.degraded, final.answer.refused) == ("llm", None, False)
    [citation] = final.answer.citations
    assert citation.url.endswith("/tuition")
    assert "$9,240" in citation.quote
    assert "".join(e.text for e in events if isinstance(e, Token)) == TRUE
    assert step(final, "ground").notes["passed"] == 1
    assert "Brackwater" not in str(talking.server.chats[0].headers)
    assert final.answer.timings_ms["generate"] > 0


def test_the_prompt_and_how_it_went_are_in_the_trace(talk: Talking) -> None:
    with talk(says(TRUE)) as talking:
        notes = step(talking.final(TUITION), "generate").notes
        assert notes["prompt"] == [m["content"] for m in talking.server.chats[0].body["messages"]]
    assert notes["finish"] == "stop"
    assert notes["passages"]
    assert notes["first_token_ms"] >= 0


def test_another_model_of_the_same_server_can_be_tried(talk: Talking) -> None:
    with talk(says(TRUE), says(TRUE)) as talking:
        first = talking.asker()
        other = first.otherwise(first.options, model="lodge-7b")
        *_, final = other.ask(question(TUITION))
        assert talking.final(TUITION).trace.versions.get("llm") != "lodge-7b"
        assert [chat.body.get("model") for chat in talking.server.chats] == ["lodge-7b", None]
    assert isinstance(final, Final)
    assert final.trace.versions["llm"] == "lodge-7b"


def test_an_invented_number_is_withheld(talk: Talking) -> None:
    with talk(says(f"{TRUE} {INVENTED}")) as talking:
        final = talking.final(TUITION)
    assert "867-5309" not in final.answer.answer
    assert final.answer.answer.startswith(TRUE)
    assert final.answer.answerer == "llm"
    [first, second] = step(final, "ground").notes["sentences"]
    assert (first["outcome"], second["outcome"]) == ("passed", second["outcome"])
    assert second["findings"][0]["reason"] == "missing_fact"


def test_an_answer_of_inventions_alone_gives_way_to_the_quoted_one(talk: Talking) -> None:
    with talk(
        says("The dean of engineering is Dr. Quentin Marlow. [1] His office is in Room 412. [2]")
    ) as talking:
        final = talking.final(TUITION)
    assert_quoted(final, "withheld")
    assert "Marlow" not in final.answer.answer


def assert_quoted(final: Final, reason: str) -> None:
    """The quoted answer is there, as if nothing had happened; the trace and the answer's JSON know why."""
    answer, notes = final.answer, step(final, "generate").notes
    assert "$9,240 a year" in answer.answer
    assert (answer.answerer, answer.refused, answer.tier) == ("extractive", False, "answer")
    assert (answer.degraded, answer.quote_reason) == (None, reason)
    assert (notes["shown"], notes["quote_reason"]) == ("extractive", reason)
    assert "$9,240" in notes["quoted_answer"]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (f"{TUITION} [1]", "says_nothing"),
        ("How much is tuition for residents of the state. [1]", "says_nothing"),
        ("Tuition for residents of the state is what it is. [1]", "says_nothing"),
        ("The passage says that undergraduate tuition for residents is $9,240 a year. [1]", "says_nothing"),
        ("According to source 1, tuition is $9,240 a year. [1]", "says_nothing"),
        ("I am an AI language model and happy to help. [1]", "says_nothing"),
        ("Would you like to know what tuition is? [1]", "says_nothing"),
        ("Undergraduate tuition for residents of the state is $9,999 a year. [1]", "withheld"),
        ("Students from other states pay $21,480 a year. [1]", "lacking"),
    ],
)
def test_what_is_no_answer_gives_way_to_the_quoted_one(talk: Talking, written: str, reason: str) -> None:
    with talk(says(written)) as talking:
        events = talking.events(TUITION)
    final = events[-1]
    assert isinstance(final, Final)
    assert_quoted(final, reason)
    assert "".join(e.text for e in events if isinstance(e, Token)) == final.answer.answer


def test_a_sentence_in_which_the_tokens_ran_out_is_no_answer(talk: Talking) -> None:
    with talk(
        says("Undergraduate tuition for residents of the state is $9,240 a", finish="length")
    ) as talking:
        final = talking.final(TUITION)
    assert_quoted(final, "says_nothing")


def test_a_sentence_waits_until_the_answer_is_no_worse_than_the_quoted_one(talk: Talking) -> None:
    other = "Students from other states pay $21,480 a year. [1]"
    with talk(says(f"{other} {TRUE}")) as talking:
        events = talking.events(TUITION)
    final = events[-1]
    assert isinstance(final, Final)
    assert final.answer.answerer == "llm"
    whole = "Students from other states pay $21,480 a year, and the difference is charged each term. [1]"
    assert final.answer.answer == f"{whole} {TRUE}"  # the page's sentence, from which it was cut
    assert step(final, "generate").notes["shown"] == "llm"


def test_a_model_that_is_no_better_after_a_while_is_not_waited_for(talk: Talking) -> None:
    other = "Students from other states pay $21,480 a year. [1] "
    with talk(hangs(STREAM, event(other), event("And so on and so forth, "), event("they say, "))) as talking:
        *_, final = talking.asker(decide_s=0.0).ask(question(TUITION))
    assert isinstance(final, Final)
    assert_quoted(final, "late")


@pytest.mark.parametrize(
    ("way", "writes", "answerer"),
    [("quote", "composed", "extractive"), ("write", "composed", "llm"), ("quote", "all", "llm")],
)
def test_a_fact_is_quoted_where_only_what_is_composed_is_written(
    talk: Talking, way: Way, writes: Writes, answerer: str
) -> None:
    with talk(says(TRUE)) as talking:
        *_, final = talking.asker(router=Routes(way), writes=writes).ask(question(TUITION))
        assert len(talking.server.chats) == (answerer == "llm")
    assert isinstance(final, Final)
    assert final.answer.answerer == answerer
    if answerer == "extractive":
        assert_quoted(final, "fact")


def test_where_the_quoted_answer_is_a_table_no_model_is_asked(
    opened: OpenedSnapshot, embedder: Embedder
) -> None:
    rows = ("Lot A — Permit: resident; Cost: $40 [1]", "Lot B — Permit: commuter; Cost: $60 [1]")
    source = Citation(1, "https://u.example/parking", "Parking", "", "\n".join(rows))
    table = ExtractiveAnswer(tuple(map(QuotedWords, rows)), (source,), 0.9, {})
    options, trace = AskOptions(), TraceLog()
    ask = AskContext(
        question("What do permits cost?"),
        options.default_config,
        PLANS[options.mode],
        opened,
        Models(embedder),
        SiteConfig(),
        options,
        trace,
        AnswerBuilder(),
        date(2026, 11, 23),
    )
    with serving(says(TRUE)) as server:
        writer = ChatWriter(ChatOptions(server.url), "Brackwater College")
        part = ContextualizedQuestion("first", StandaloneQuestion("What do permits cost?", "", "kept"))
        told = generate_answer(writer, part, RetrievalResult("What do permits cost?"), (), table, ask)
        outcome = outcome_of(told)
        writer.close()
        assert server.chats == []
    assert (outcome.answerer, outcome.quote_reason) == ("extractive", "shape")
    assert ask.answer.text == "\n".join(rows)
    assert trace.steps[-1].notes["quote_reason"] == "shape"


def outcome_of(told: Generator[Event, None, PartOutcome]) -> PartOutcome:
    while True:
        try:
            next(told)
        except StopIteration as end:
            outcome: PartOutcome = end.value
            return outcome


def test_what_passed_is_an_answer_whatever_was_withheld_after_it(talk: Talking) -> None:
    lies = [f"Professor Quentin Marlow teaches course XYZ {n}01 in Room {n}99. [1]" for n in range(1, 7)]
    with talk(says(" ".join([TRUE, *lies]))) as talking:
        answer = talking.answer()
    assert (answer.answer, answer.answerer, answer.refused) == (TRUE, "llm", False)
    assert len(answer.citations) == 1


SURE_OF_NOTHING = 0.999


def test_where_quoting_only_seems_to_answer_a_sentence_of_the_page_is_shown(talk: Talking) -> None:
    with talk(says(TRUE)) as talking:
        *_, final = talking.asker(refusal_threshold=SURE_OF_NOTHING).ask(question(TUITION))
    assert isinstance(final, Final)
    assert (final.answer.answerer, final.answer.tier) == ("llm", "seems")
    assert TRUE in final.answer.answer


@pytest.mark.parametrize(("way", "answerer"), [("quote", "extractive"), ("write", "llm")])
def test_a_fact_of_a_page_that_only_seems_to_answer_is_not_written(
    talk: Talking, way: Way, answerer: str
) -> None:
    with talk(says(TRUE)) as talking:
        asker = talking.asker(refusal_threshold=SURE_OF_NOTHING, router=Routes(way))
        *_, final = asker.ask(question(TUITION))
        assert len(talking.server.chats) == (answerer == "llm")
    assert isinstance(final, Final)
    assert (final.answer.answerer, final.answer.tier) == (answerer, "seems")
    assert final.answer.quote_reason == (None if answerer == "llm" else "unsure")


def test_and_else_the_passages_that_seem_to(talk: Talking) -> None:
    with talk(says("Students from other states pay $21,480 a year. [1]")) as talking:
        *_, final = talking.asker(refusal_threshold=SURE_OF_NOTHING).ask(question(TUITION))
    assert isinstance(final, Final)
    assert (final.answer.answerer, final.answer.tier) == ("extractive", "seems")
    assert final.answer.quote_reason == "lacking"


@pytest.mark.parametrize("text", ["NO ANSWER", "NO ANSWER.", " “NO ANSWER” "])
def test_where_a_model_finds_no_answer_the_quoted_one_is_shown(talk: Talking, text: str) -> None:
    with talk(says(*text)) as talking:
        final = talking.final(TUITION)
    assert_quoted(final, "declined")
    assert step(final, "generate").notes["declined"]


def test_only_what_both_would_refuse_is_refused(talk: Talking) -> None:
    with talk() as talking:
        *_, final = talking.asker(refusal_threshold=1.1, seems_threshold=1.1).ask(question(TUITION))
        assert talking.server.chats == []
    assert isinstance(final, Final)
    assert (final.answer.refused, final.answer.answer) == (True, ENGLISH.refused_no_evidence)


@pytest.mark.parametrize(
    ("script", "degraded"),
    [
        (status(500), "broken"),
        (status(429), "full"),
        (status(401), "refused"),
        (hangs(), "slow"),
        (sends("garbage"), "broken"),
        (sends(STREAM, "data: {nonsense\n\n"), "broken"),
    ],
)
def test_without_a_model_the_passages_speak_and_it_says_so(
    talk: Talking, script: Script, degraded: str
) -> None:
    with talk(script) as talking:
        answer = talking.answer()
    assert (answer.answerer, answer.degraded, answer.refused) == ("extractive", degraded, False)
    assert "$9,240 a year" in answer.answer


def test_an_answer_cut_off_keeps_what_was_said(talk: Talking) -> None:
    with talk(sends(STREAM, event(TRUE), event(" The fee of a laboratory depends on the cour"))) as talking:
        events = talking.events(TUITION)
    answer = events[-1].answer  # type: ignore[union-attr]
    assert (answer.answer, answer.answerer, answer.degraded) == (TRUE, "llm", "broken")
    assert "".join(e.text for e in events if isinstance(e, Token)) == answer.answer


def test_a_model_that_stops_within_its_first_sentence_is_stood_in_for(talk: Talking) -> None:
    with talk(hangs(STREAM, event("Undergraduate tuition for"))) as talking:
        answer = talking.answer()
    assert (answer.answerer, answer.degraded) == ("extractive", "slow")


def test_sources_are_numbered_as_they_come(talk: Talking) -> None:
    with talk(says(TRUE.replace("[1]", "[4]"))) as talking:
        answer = talking.answer()
    assert answer.answer == TRUE
    assert [c.n for c in answer.citations] == [1]


def test_what_is_written_for_two_questions_of_a_line_is_said_once(talk: Talking) -> None:
    with talk(says(TRUE), says(TRUE)) as talking:
        final = talking.final(
            f"{TUITION} And is tuition for residents of the state charged a year or a term?"
        )
        assert len(talking.server.chats) == 2
    assert final.answer.answer.count(TRUE) == 1
    second = [one for one in final.trace.steps if one.step == "generate"][-1].notes
    assert (second["shown"], second["quote_reason"]) == ("extractive", "says_nothing")


HISTORY = (("user", TUITION), ("assistant", TRUE))


def test_the_model_makes_a_follow_up_stand_alone(talk: Talking) -> None:
    whole = "How much is undergraduate tuition for students from other states?"
    with talk(says(whole), says("Students from other states pay $21,480 a year. [1]")) as talking:
        final = talking.final("and from other states?", history=HISTORY)
    part = step(final, "contextualize").notes
    assert (part["question"], part["how"]) == (whole, "model")
    assert "$21,480" in final.answer.answer


def test_a_model_that_does_not_condense_leaves_it_to_the_rules(talk: Talking) -> None:
    with talk(status(500)) as talking:
        final = talking.final("and for students from other states?", history=HISTORY)
    part = step(final, "contextualize").notes
    assert part["how"] != "model"
    assert "$21,480" in final.answer.answer


def test_the_model_is_shown_the_conversation_only_in_modes_with_context(talk: Talking) -> None:
    for mode in (Mode.CONTEXT, Mode.CONDENSE_QUESTION, Mode.CONDENSE_PLUS_CONTEXT):
        with talk(says(TRUE)) as talking:
            talking.final("and for students from other states?", mode, HISTORY)
            prompt = talking.server.chats[-1].body["messages"][1]["content"]
        assert (f"Visitor: {TUITION}" in prompt) is (mode != Mode.CONDENSE_QUESTION)


def test_closed_book_asks_the_model_alone(talk: Talking) -> None:
    with talk(says("About ten thousand dollars.")) as talking:
        final = talking.final(TUITION, Mode.SIMPLE)
        prompt = talking.server.chats[0].body["messages"][1]["content"]
    assert final.answer.answer == "About ten thousand dollars."
    assert (final.answer.answerer, final.answer.citations) == ("llm", ())
    assert "<passage" not in prompt


def test_a_visitor_who_leaves_ends_the_models_work(talk: Talking) -> None:
    tail = " The fee of a laboratory depends on the course and is listed beside it."
    with talk(hangs(STREAM, event(TRUE), event(tail))) as talking:
        events = talking.asker().ask(question(TUITION))
        assert any(isinstance(event, Token) for event in events)
        events.close()  # type: ignore[attr-defined]  # it is a generator
        assert talking.server.left.wait(30)
