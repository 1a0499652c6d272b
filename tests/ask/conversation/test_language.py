from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from corpus.sites.build import NAMES
from server.ask.conversation.phrases import in_english, is_english, is_spanish, words_of
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
        "horario biblioteca",
        "becas",
        "matricula fechas",
        "matrícula",
        "Biblioteca Finch",
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
        "primavera pizza menu",
        "pagan student club",
        "",
    ],
)
def test_no_spanish(text: str) -> None:
    assert not is_spanish(text)


def lines_of(site: str) -> list[dict[str, str]]:
    text = (PROJECT / "corpus" / "visitors" / f"{site}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_of_what_visitors_write_the_spanish_is_heard_and_nothing_else() -> None:
    sites = ("handbook", "government", "uci_cmu", *NAMES)
    lines = [line for site in sites for line in lines_of(site)]
    english = [line["question"] for line in lines if line.get("voice") != "Spanish"]
    assert [text for text in english if is_spanish(text)] == []
    heard = [is_spanish(line["question"]) for line in lines if line.get("voice") == "Spanish"]
    assert sum(heard) > 0.85 * len(heard) > 0


def nothing(words: Sequence[str]) -> set[str]:
    return set()


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("¿Cuándo abre la biblioteca?", "when open the library?"),
        ("becas", "scholarship?"),
        ("¿Cuánto cuesta el plan de comidas?", "how much does it cost the meal plan?"),
        ("matrícula de otoño 2026", "tuition of fall 2026?"),
        ("quiero criar gallinas en la residencia", None),
        ("¿dónde está?", None),
    ],
)
def test_a_spanish_question_in_english_words_or_not_at_all(text: str, english: str | None) -> None:
    assert in_english(text, nothing) == english


def test_what_the_site_has_stays_as_it_is() -> None:
    assert in_english("horario de Finch", set) == "hours of finch?"
    assert in_english("horario de Finch", nothing) is None


def test_no_english_word_tells_spanish() -> None:
    """Words with which English lines are full."""
    english = {word for site in ("handbook", "uci_cmu") for line in lines_of(site) for word in words_in(line)}
    assert [word for word in sorted(english) if is_spanish(word)] == []


def words_in(line: dict[str, str]) -> list[str]:
    return [word.key for word in words_of(line["question"])]
