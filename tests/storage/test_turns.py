"""The narrow rows that are searched: written with each answer, and made for those recorded before."""

from __future__ import annotations

from alembic import command
from sqlalchemy import select

from server.storage.conversations import comparable, searched_text
from server.storage.engine import engine_for
from server.storage.migrate import alembic_config
from server.storage.tables.visitors import CitedPage, TurnRow
from server.workbench.records import open_records
from tests.storage.exchanges import DEADLINE, exchange


def rows(url: str) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    engine = engine_for(url)
    with engine.connect() as connection:
        turns = [tuple(row) for row in connection.execute(select(TurnRow.__table__).order_by(TurnRow.number))]
        cited = [tuple(row) for row in connection.execute(select(CitedPage.__table__))]
    engine.dispose()
    return turns, cited


def test_answers_recorded_before_are_searched_like_those_after(url: str) -> None:
    store = open_records(url)
    store.conversations.record(exchange(1, topic="aid", degraded="slow"))
    store.conversations.record(exchange(2, refused=True))
    store.close()
    written = rows(url)
    assert [turn[2:6] for turn in written[0]] == [
        ("aid", False, "slow", "extractive"),
        (None, True, None, "extractive"),
    ]
    assert [url for _, url in written[1]] == [DEADLINE.url]
    engine = engine_for(url, foreign_keys=False)
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0004")
    engine.dispose()
    open_records(url).close()
    assert rows(url) == written


def test_what_was_said_before_is_not_found_in_an_answer_that_repeats_it() -> None:
    text = searched_text(
        "Where is it?", "Dear ana@example.edu, see https://x.example.", ["I am ana@example.edu"]
    )
    assert text == "where is it?\ndear , see https://x.example."


def test_texts_are_compared_in_small_letters_on_one_line() -> None:
    assert comparable(" STRASSE\n Straße ") == "strasse strasse"
