from __future__ import annotations

import json

from scripts.training.build_questions import MOST, as_asked, chat_of, paragraph_chats
from server.training.asking import GeneratedQuestion, parsed
from tests.training.pages import PAGE, words

OPENS = GeneratedQuestion("When does it open?", "nine", "A")
CARD = GeneratedQuestion("What does a card cost others?", "$20 a year", "B")
PARAGRAPH = "The library was built in 1901 by Ann Lowe. It burnt in 1920, and was rebuilt in two years."


def asked_on(text: str, *pairs: tuple[str, str]) -> list[dict[str, object]]:
    return [
        {"context": text, "question": question, "answers": [{"text": answer, "start": 0}]}
        for question, answer in pairs
    ]


def test_a_visitors_question_gets_its_mark() -> None:
    assert as_asked("when does it open ", "nine", "A").question == "When does it open?"
    assert as_asked("Is it free??", "free", "A").question == "Is it free?"


def test_the_target_is_what_is_asked_for_and_is_read_again() -> None:
    chat = chat_of("1", "site", PAGE, [OPENS, CARD])
    assert chat is not None
    written = list(parsed(chat.target))
    assert written
    assert set(written) <= {OPENS, CARD}
    assert f"Write {len(written)} different" in chat.messages[1].content
    assert json.loads(chat.target)


def test_one_answer_is_asked_for_once_and_a_question_that_gives_it_away_is_left_out() -> None:
    again = GeneratedQuestion("At what time does the library open?", "nine", "A")
    chats = [chat_of(str(n), "site", PAGE, [OPENS, again]) for n in range(9)]
    assert all(chat is not None and len(list(parsed(chat.target))) == 1 for chat in chats)
    assert chat_of("1", "site", PAGE, [GeneratedQuestion("Does it open at nine?", "nine", "A")]) is None


def test_a_paragraph_is_turned_round_where_it_has_questions_enough_and_room() -> None:
    asked = asked_on(
        PARAGRAPH, ("Who built the library?", "Ann Lowe"), ("When did it burn?", "1920"), ("How long?", "two")
    )
    rows = [*asked, *asked_on("A text with a single question.", ("What is it?", "A text"))]
    (chat,) = paragraph_chats(rows, 5, words)
    assert PARAGRAPH in chat.messages[1].content
    assert 1 <= len(list(parsed(chat.target))) <= MOST
    long = asked_on("word " * 500 + PARAGRAPH, ("Who built it?", "Ann"), ("When?", "1901"), ("So?", "two"))
    assert paragraph_chats(long, 5, words) == []
