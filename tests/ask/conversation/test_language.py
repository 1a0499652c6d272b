from __future__ import annotations

import pytest

from server.ask.conversation.phrases import is_english


@pytest.mark.parametrize(
    "text",
    [
        "When does the library open?",
        "parking permit",
        "What is the capital of Spain?",
        "who is José Núñez",
        "IPEDS 2024",
        "La Crosse campus tour",
        "the Los Angeles program",
        "how do I get to El Centro",
        "x",
    ],
)
def test_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "¿Dónde está la biblioteca?",
        "donde esta la biblioteca",
        "cuanto cuesta la matricula",
        "Où est la bibliothèque ?",
        "Wann ist die Bibliothek geöffnet?",
        "Quando são as férias?",
        "dove si trova la biblioteca",
        "图书馆几点开门",
        "Где находится библиотека?",
        "أين المكتبة",
    ],
)
def test_other_languages(text: str) -> None:
    assert not is_english(text)
