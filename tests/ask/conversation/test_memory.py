from __future__ import annotations

from server.ask.conversation.turns import MOST_TURNS, ConversationTurn, Memory, turns_of


def test_turns_are_questions_with_their_answers_whatever_the_other_role_is_called() -> None:
    history = [("assistant", "Hello."), ("user", "a?"), ("agent", "A."), ("agent", "More."), ("user", "b?")]
    assert turns_of(history) == (ConversationTurn("a?", "A. More."), ConversationTurn("b?"))


def test_a_memory_knows_its_questions_and_answers() -> None:
    memory = (
        Memory()
        .with_turn(ConversationTurn("a?", "A."), "a?", "a")
        .with_turn(ConversationTurn("and b?"), "b?", "b")
    )
    assert (memory.questions, memory.answers, memory.question, memory.topic) == ("a? and b?", "A.", "b?", "b")
    assert memory
    assert not Memory()


def test_old_turns_are_forgotten() -> None:
    memory = Memory()
    for i in range(MOST_TURNS + 3):
        memory = memory.with_turn(ConversationTurn(str(i)), str(i), "")
    assert [turn.question for turn in memory.turns] == [str(i) for i in range(3, MOST_TURNS + 3)]
