from __future__ import annotations

from datetime import date

from server.messages.catalogue import Catalogue
from server.models import Answer
from server.visitor.sessions import ChatTurn, Rated
from server.visitor.view_models import as_json, as_text
from tests.scripted_app import CITATIONS, CLOSEST, DEADLINE, REFUSAL, site_table

MAIN = site_table().all()[0]
ENGLISH, SPANISH = (Catalogue.read().texts(MAIN, [lang]) for lang in ("en", "es"))
DAY = date(2026, 3, 1)
GIVEN = Answer(
    f"{DEADLINE} [1]", False, None, "extractive", None, CITATIONS[:1], (), "hybrid", "s", "c", "m", "t"
)
REFUSED = Answer(
    REFUSAL, True, "no_evidence", "extractive", None, (), CLOSEST[:1], "hybrid", "s", "c", "m", "t"
)
TURNS = (ChatTurn("When?", GIVEN, rated=Rated(True, "clear")), ChatTurn("Nobel?", REFUSED))


def test_as_text_it_reads_from_top_to_bottom() -> None:
    text = as_text(TURNS, MAIN, ENGLISH, DAY)
    lines = [
        "Conversation with Larkmoor University",
        "Saved on March 1, 2026",
        "Question: When?",
        f"Answer: {DEADLINE} [1]",
        "  [1] Transfer Students",
        "      https://www.larkmoor.example/admissions/transfer",
        "Question: Nobel?",
        f"Answer: {REFUSAL}",
        "The closest pages:",
        "  - Programs of Study",
        "Switchboard · (802) 555-0100",
    ]
    positions = [text.index(line) for line in lines]
    assert positions == sorted(positions)


def test_it_speaks_the_visitors_language() -> None:
    text = as_text(TURNS, MAIN, SPANISH, DAY)
    assert "Guardada el 1 de marzo de 2026" in text
    assert f"Respuesta: {DEADLINE} [1]\n" in text
    assert "Las páginas más cercanas:" in text
    assert "Centralita" in text


def test_as_json_it_holds_the_answers_and_nothing_of_our_workings() -> None:
    saved = as_json(TURNS, MAIN, DAY)
    assert (saved["site"], saved["saved_on"]) == ("Larkmoor University", "2026-03-01")
    first, second = saved["conversation"]
    assert set(first) == {"question", "answer", "refused", "citations", "closest_pages", "rated"}
    assert first["citations"][0]["url"] == CITATIONS[0].url
    assert (first["rated"]["helpful"], second["rated"]) == (True, None)
