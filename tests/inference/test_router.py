"""The shipped router: what it says of a line, in form and in a few plain cases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.errors import ModelError
from server.inference.router import Router, is_word_begin
from server.models.routing import WAYS
from server.settings import Settings

LINES = (
    "when does the library close friday",
    "how do i get a transcript and whats the fee",
    "how much is tuition",
    "¿dónde aparco, y cuánto cuesta?",
    "x",
    "is it worth living on campus or off if i have a scholarship that pays for rent but not for food " * 9,
)


@pytest.fixture(scope="module")
def shipped() -> Router:
    settings = Settings()
    return Router(settings.models_dir / settings.router)


@pytest.mark.parametrize("line", LINES)
def test_ways_are_shares_and_questions_begin_at_words(shipped: Router, line: str) -> None:
    found = shipped.route(line)
    assert tuple(found.ways) == WAYS
    assert sum(found.ways.values()) == pytest.approx(1.0, abs=1e-5)
    assert found.ways[found.way] == max(found.ways.values())
    for place, share in found.begins.items():
        assert 0.0 <= share <= 1.0
        assert place > 0
        assert line[place].isalnum()
        assert not line[place - 1].isalnum()


@pytest.mark.parametrize(
    ("line", "way"), [(LINES[0], "quote"), (LINES[1], "decompose"), (LINES[2], "ask_back")]
)
def test_plain_lines_go_their_way(shipped: Router, line: str, way: str) -> None:
    assert shipped.route(line).way == way


def test_the_second_question_begins_where_it_is_asked(shipped: Router) -> None:
    line = LINES[1]
    begins = shipped.route(line).begins
    assert line[max(begins, key=lambda place: begins[place]) :] == "whats the fee"


def test_a_line_is_read_the_same_beside_others(shipped: Router) -> None:
    alone = [shipped.route(line) for line in LINES]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(shipped.route, LINES * 3)) == alone * 3


@pytest.mark.parametrize(
    ("text", "first", "last", "begins"),
    [("gym hours", 4, 9, True), ("gym hours", 0, 3, True), ("gyms", 3, 4, False), ("a ?", 2, 3, False)],
)
def test_a_token_begins_a_word(text: str, first: int, last: int, *, begins: bool) -> None:
    assert is_word_begin(text, first, last) is begins


def test_a_model_of_another_kind_is_named(folder: Path) -> None:
    with pytest.raises(ModelError, match="of the kind 'embedder'; a router is needed"):
        Router(folder)
