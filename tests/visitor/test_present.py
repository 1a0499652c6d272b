from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from server.messages.catalogue import Catalogue
from server.models import Answer, Caution
from server.visitor.view_models import (
    TextPiece,
    announcement,
    answer_pieces,
    cautions_of,
    contact_lines,
    host_and_path,
    is_rich,
    link,
    links_of,
    phone_link,
    quote_pieces,
    rich_answer,
    source_date,
)
from tests.ask.test_answer_builder import WRITTEN
from tests.scripted_app import CITATIONS, DEADLINE, site_table

MAIN = site_table().all()[0]
TEXTS, SPANISH = (Catalogue.read().texts(MAIN, [lang]) for lang in ("en", "es"))

ANSWER = Answer(
    f"{DEADLINE} [1]", False, None, "extractive", None, CITATIONS[:1], (), "hybrid", "s", "c", "m", "t"
)


def test_a_number_in_brackets_becomes_a_reference_to_its_source() -> None:
    assert answer_pieces(ANSWER) == [TextPiece(DEADLINE), TextPiece("1", n=1)]


def test_a_number_without_a_source_stays_text() -> None:
    assert answer_pieces(replace(ANSWER, answer="Room [7].")) == [TextPiece("Room [7].")]


@given(WRITTEN)
def test_whatever_an_editor_writes_is_shown_and_read_aloud(text: str) -> None:
    own = replace(ANSWER, answer=text, answerer="curated", citations=())
    assert "data-n" not in rich_answer(own, str)
    announcement(own, TEXTS)
    plain = replace(own, answerer="extractive")
    assert "".join(piece.text for piece in answer_pieces(plain)) == text
    assert text in announcement(plain, TEXTS)


@pytest.mark.parametrize("answerer", ["extractive", "curated", "llm"])
def test_a_number_without_a_source_is_read_aloud(answerer: str) -> None:
    told = announcement(
        replace(ANSWER, answer=f"In room [12] or [٢]. {DEADLINE} [1]", answerer=answerer), TEXTS
    )
    assert f"In room [12] or [٢]. {DEADLINE}" in told
    assert "[1]" not in told


def test_the_quote_marks_the_sentence_that_the_answer_took() -> None:
    marked = [piece.text for piece in quote_pieces(CITATIONS[0], ANSWER.answer) if piece.marked]
    assert marked == [DEADLINE]


def test_a_line_break_inside_the_quote_does_not_hide_the_sentence() -> None:
    broken = replace(CITATIONS[0], quote=DEADLINE.replace(" fall ", "\n fall "))
    assert [piece.marked for piece in quote_pieces(broken, ANSWER.answer)] == [True]


def test_a_quote_loses_nothing_by_being_marked() -> None:
    pieces = quote_pieces(CITATIONS[0], ANSWER.answer)
    assert "".join(piece.text for piece in pieces) == CITATIONS[0].quote


def test_a_source_says_in_the_visitors_language_why_it_may_not_hold() -> None:
    cautions = (Caution("past_term", 1, "2025-fall"), Caution("older", 1), Caution("changed", 2))
    answer = replace(ANSWER, cautions=cautions)
    assert cautions_of(answer, CITATIONS[0], TEXTS) == [
        "This page is about fall 2025, which is over.",
        "This page is more than a year older than another source of this answer.",
    ]
    assert "más de un año" in cautions_of(answer, CITATIONS[0], SPANISH)[1]


def test_nothing_is_marked_for_an_answer_in_other_words() -> None:
    assert quote_pieces(CITATIONS[0], "Yes. By [spring] (or so).") == [TextPiece(CITATIONS[0].quote)]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//host/path", ""])
def test_only_http_addresses_are_linked(url: str) -> None:
    assert link(url) is None
    assert link("https://a.example/") == "https://a.example/"


def test_an_address_reads_as_people_say_it() -> None:
    assert host_and_path("https://www.a.example/b/?q=1") == "a.example/b"


def test_a_source_is_dated_by_its_change_or_else_by_its_reading() -> None:
    assert source_date(CITATIONS[0], TEXTS) == ("2025-03-03", "Updated March 3, 2025")
    assert source_date(CITATIONS[1], TEXTS) == ("2025-10-01", "Read October 1, 2025")
    assert source_date(replace(CITATIONS[1], fetched_at="last week"), TEXTS) is None


def test_the_announcement_says_the_answer_and_counts_the_sources() -> None:
    assert announcement(ANSWER, TEXTS) == f"Answer: {DEADLINE} One source follows."
    assert announcement(replace(ANSWER, citations=CITATIONS), TEXTS).endswith("2 sources follow.")
    assert announcement(replace(ANSWER, answer=DEADLINE, citations=()), TEXTS) == f"Answer: {DEADLINE}"


def test_the_announcement_says_what_is_urgent_first_and_that_an_answer_is_simpler() -> None:
    urgent = replace(
        ANSWER, notices=("The campus is closed.",), degraded="down", answer=DEADLINE, citations=()
    )
    assert announcement(urgent, TEXTS) == (
        f"Important: The campus is closed. Answer: {DEADLINE} {TEXTS.degraded}"
    )


def test_another_language_has_its_own_dates_and_announcements() -> None:
    assert source_date(CITATIONS[0], SPANISH) == ("2025-03-03", "Actualizada el 3 de marzo de 2025")
    assert announcement(ANSWER, SPANISH) == f"Respuesta: {DEADLINE} Sigue una fuente."


def test_a_telephone_number_can_be_called() -> None:
    assert phone_link("(802) 555-0120") == "tel:8025550120"
    assert phone_link("+34 91 555 01 20") == "tel:+34915550120"


def test_contacts_are_a_line_each() -> None:
    admissions = MAIN.topic("admissions")
    assert admissions
    [line] = contact_lines(admissions.contacts, SPANISH)
    assert line.startswith("Oficina de Admisión · admissions@larkmoor.example · (802) 555-0110 · https://")
    assert line.endswith("de 9:00 a 17:00")


def test_a_written_answer_is_markdown_but_a_pages_own_words_are_not() -> None:
    written = replace(ANSWER, answerer="llm", answer="**Soon** [1]")
    assert not is_rich(ANSWER)
    assert not is_rich(replace(written, refused=True))
    assert rich_answer(written, lambda n: f"<i>{n}</i>") == "<p><strong>Soon</strong><i>1</i></p>"
    assert announcement(written, TEXTS) == "Answer: Soon One source follows."


def test_an_answer_links_to_its_sources_alone_whoever_wrote_it() -> None:
    assert links_of(replace(ANSWER, answerer="llm")) == (CITATIONS[0].url,)
    assert links_of(replace(ANSWER, answerer="curated")) == (CITATIONS[0].url,)


def test_the_lines_of_help_are_lines() -> None:
    text = "You can reach them now:\nCampus Safety: 555-0100\nCrisis line: 988"
    assert rich_answer(replace(ANSWER, answerer="help", answer=text, citations=()), str) == (
        "<p>You can reach them now:<br>\nCampus Safety: 555-0100<br>\nCrisis line: 988</p>"
    )


def test_the_names_above_what_seems_to_answer_are_marked() -> None:
    [citation] = ANSWER.citations
    told = f"This page seems to answer it:\n\n{citation.place}:\n{citation.quote} [1]"
    pieces = answer_pieces(replace(ANSWER, answer=told, tier="seems"))
    assert [piece.text.strip() for piece in pieces if piece.marked] == [f"{citation.place}:"]
    assert "".join(piece.text for piece in pieces if piece.n is None) == told.removesuffix(" [1]")
    beside_a_sure_one = answer_pieces(replace(ANSWER, answer=told))  # of a line that asks two things
    assert [piece.text.strip() for piece in beside_a_sure_one if piece.marked] == [f"{citation.place}:"]
    said = f"{citation.place}:\n{citation.quote} [1]"
    alone = answer_pieces(replace(ANSWER, answer=said))
    assert [piece.text.strip() for piece in alone if piece.marked] == [f"{citation.place}:"]
    own = replace(citation, quote=f"{citation.place}:\n{citation.quote}")  # the page's own line, and no name
    quoted = replace(ANSWER, answer=said, citations=(own,))
    assert not any(piece.marked for piece in answer_pieces(quoted))
