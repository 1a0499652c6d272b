from __future__ import annotations

import json

import pytest

from server.ask.conversation.phrases import is_english, is_spanish
from server.settings import PROJECT


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


@pytest.mark.parametrize(
    "text",
    [
        "¿Dónde está la biblioteca?",
        "donde esta la biblioteca",
        "cuanto cuesta la matricula",
        "fecha limite de la beca",
        "necesito ayuda con la inscripción",
        "quiero saber si hay clases de noche",
        "cual es el horario de Financial Aid",
    ],
)
def test_spanish(text: str) -> None:
    assert is_spanish(text)


@pytest.mark.parametrize(
    "text",
    [
        "When does the library open?",
        "De La Cruz Hall hours",
        "los angeles la jolla shuttle",
        "is there a minor in Spanish con honores",
        "Quando são as férias?",
        "como faço para me inscrever",
        "Où est la bibliothèque ?",
        "quels sont les frais de la cantine",
        "dove si trova la biblioteca",
        "quando chiude la biblioteca",
        "matrícula",
        "",
    ],
)
def test_no_spanish(text: str) -> None:
    assert not is_spanish(text)


def lines_of(site: str) -> list[dict[str, str]]:
    text = (PROJECT / "corpus" / "visitors" / f"{site}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_of_what_visitors_write_the_spanish_is_heard_and_nothing_else() -> None:
    english = [line["question"] for site in ("handbook", "government", "uci_cmu") for line in lines_of(site)]
    assert [text for text in english if is_spanish(text)] == []
    spanish = [line["question"] for line in lines_of("tamsettferry") if line.get("voice") == "Spanish"]
    heard = [is_spanish(text) for text in spanish]
    assert sum(heard) > 0.8 * len(heard) > 0
