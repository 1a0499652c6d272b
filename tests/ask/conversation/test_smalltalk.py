from __future__ import annotations

from typing import get_args

import pytest

from server.ask.conversation.turns import Language, SmallTalk, SmallTalkKind, reply, small_talk
from server.messages.catalogue import shipped


@pytest.mark.parametrize(
    ("text", "kind", "language"),
    [
        ("Hi", "greeting", "en"),
        ("hello there!", "greeting", "en"),
        ("Good morning", "greeting", "en"),
        ("¡Hola!", "greeting", "es"),
        ("buenos días", "greeting", "es"),
        ("hey, how are you?", "how_are_you", "en"),
        ("¿qué tal?", "how_are_you", "es"),
        ("thank you so much for your help!", "thanks", "en"),
        ("great, thanks", "thanks", "en"),
        ("muchas gracias", "thanks", "es"),
        ("ok thanks bye", "goodbye", "en"),
        ("adiós", "goodbye", "es"),
        ("who are you?", "who", "en"),
        ("Hi! Are you a real person or a bot?", "who", "en"),
        ("what’s your name", "who", "en"),
        ("¿Quién eres?", "who", "es"),
        ("can you help me?", "who", "en"),
        ("ok", "acknowledgement", "en"),
        ("vale", "acknowledgement", "es"),
        ("¿Cómo está usted?", "how_are_you", "es"),
        ("hola, ¿quién es usted?", "who", "es"),
        ("¿es usted una persona real?", "who", "es"),
        ("¿qué puede hacer por mí?", "who", "es"),
        ("¿me puede ayudar?", "who", "es"),
        ("muchísimas gracias por su ayuda", "thanks", "es"),
        ("gracias, hasta luego", "goodbye", "es"),
        ("buenas tardes", "greeting", "es"),
    ],
)
def test_small_talk_is_heard(text: str, kind: SmallTalkKind, language: Language) -> None:
    assert small_talk(text) == SmallTalk(kind, language)


@pytest.mark.parametrize(
    "text",
    [
        "Hi, when does add/drop end?",
        "hello library hours",
        "thanks, and the fee?",
        "help with my password",
        "who are you to judge my application",
        "good morning, is the office open",
        "what's up with the wifi",
        "ok how much is parking",
        "are you open",
        "the president",
        "nice dorms",
        "hola, ¿cuánto cuesta?",
        "",
        "???",
        "hello " * 20,
    ],
)
def test_a_question_is_none_even_with_a_greeting(text: str) -> None:
    assert small_talk(text) is None


@pytest.mark.parametrize("kind", get_args(SmallTalkKind))
@pytest.mark.parametrize("language", get_args(Language))
def test_every_kind_has_a_friendly_line_in_each_language(kind: SmallTalkKind, language: Language) -> None:
    line = reply(SmallTalk(kind, language), shipped().spoken(language, "Larkmoor University"))
    assert line
    assert "{" not in line
    assert ("Larkmoor University" in line) == (kind != "goodbye")
