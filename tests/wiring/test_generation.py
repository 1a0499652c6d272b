"""The flow with a language model behind real HTTP: a server on loopback that follows a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from server.ask.context import AskOptions, Mode, Models, ScopeOptions
from server.ask.pipeline import Asker
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.models import Answer, Event, Final, Token, TraceStep
from server.wiring.generation import ChatWriter
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import ENGLISH, OneSnapshot, question
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

    def asker(self, mode: Mode = Mode.CONDENSE_QUESTION) -> Asker:
        options = AskOptions(gate=ScopeOptions(threshold=-100.0), mode=mode, refusal_threshold=0.2)
        return Asker(self._snapshots.lease, self._models, options)

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


def test_an_answer_of_inventions_alone_is_a_refusal(talk: Talking) -> None:
    with talk(
        says("The dean of engineering is Dr. Quentin Marlow. [1] His office is in Room 412. [2]")
    ) as talking:
        answer = talking.answer()
    assert (answer.refused, answer.refusal_reason, answer.answer) == (
        True,
        "no_evidence",
        ENGLISH.refused_no_evidence,
    )
    assert answer.closest_pages


def test_too_little_that_is_true_says_that_there_is_no_more(talk: Talking) -> None:
    lies = [f"Professor Quentin Marlow teaches course XYZ {n}01 in Room {n}99. [1]" for n in range(1, 7)]
    with talk(says(" ".join([TRUE, *lies]))) as talking:
        answer = talking.answer()
    assert answer.answer == f"{TRUE} {ENGLISH.nothing_more}"
    assert answer.refused
    assert len(answer.citations) == 1


@pytest.mark.parametrize("text", ["NO ANSWER", "NO ANSWER.", " “NO ANSWER” "])
def test_a_model_that_finds_no_answer_refuses(talk: Talking, text: str) -> None:
    with talk(says(*text)) as talking:
        final = talking.final(TUITION)
    assert (final.answer.refused, final.answer.answer) == (True, ENGLISH.refused_no_evidence)
    assert step(final, "generate").notes["declined"]


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
