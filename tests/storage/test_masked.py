"""The store's own masking: whatever way a visitor's words took to it, they are written masked."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import create_engine, inspect, text

from server.masking import Masker
from server.models import Exchange, Feedback, TraceStep
from server.workbench.records import Records
from tests.storage.exchanges import exchange

CARD, MAIL = "4111–1111–1111–1111", "ana＠example.edu"
GIVEN_AT = "2026-03-01T11:00:00+00:00"


def raw() -> Exchange:
    """An exchange that no page has masked; its answer and its prompt repeat what was typed."""
    typed = f"I am {MAIL}, was card {CARD} charged?"
    made = exchange(question=typed, answer=f"Card {CARD}: call (802) 555-0110. [1]")
    history = (("assistant", f"Dear {MAIL}"), ("user", "my number is 802-555-0187"))
    steps = (
        TraceStep("triage", 0.1, notes={"parts": [{"question": "Was card 4242.4242.4242.4242 charged?"}]}),
        TraceStep("rewrite", 0.1, notes={"question": f"was card {CARD} charged"}),
        TraceStep("generate", 0.1, notes={"prompt": [f"Question: {typed}. Source: call (802) 555-0110"]}),
    )
    asked = {"site": "main", "history": [list(turn) for turn in history]}
    return replace(
        made,
        question=replace(made.question, history=history),
        trace=replace(made.trace, steps=steps, asked=asked),
    )


def everything_in(store: Records, url: str) -> str:
    """All rows of all tables, and the trace, which is packed."""
    engine = create_engine(url)
    with engine.connect() as connection:
        tables = inspect(connection).get_table_names()
        rows = [connection.execute(text(f'SELECT * FROM "{table}"')).all() for table in tables]
    engine.dispose()
    return f"{rows} {store.conversations.trace('t1')}"


def test_nothing_personal_is_written_whatever_was_handed_over(store: Records, url: str) -> None:
    store.conversations.mask_by(Masker)
    store.conversations.record(raw())
    store.conversations.rate(Feedback("c1", "m1", False, "wrong", f"Write to {MAIL}", GIVEN_AT))
    written = everything_in(store, url)
    for secret in (CARD, MAIL, "4242.4242", "555-0187"):
        assert secret not in written
    question, answer = store.conversations.conversation("c1")["messages"]
    assert question["text"] == "I am [e-mail 1], was card [card number 1] charged?"
    assert answer["text"] == "Card [card number 1]: call (802) 555-0110. [1]"
    assert answer["feedback"]["comment"] == "Write to [e-mail 1]"
    trace = store.conversations.trace("t1")
    assert trace["asked"]["history"] == [["assistant", "Dear [e-mail 1]"], ["user", "my number is [phone 1]"]]
    assert trace["steps"][2]["notes"]["prompt"] == [
        "Question: I am [e-mail 1], was card [card number 1] charged?. Source: call (802) 555-0110"
    ]


def test_what_is_masked_already_is_written_as_it_is(store: Records) -> None:
    made = exchange(question="I am [e-mail 3], when does add/drop end?")
    store.conversations.mask_by(Masker)
    store.conversations.record(made)
    assert store.conversations.conversation("c1")["messages"][0]["text"] == made.question.text
    assert store.conversations.trace("t1")["passages"]["7"]["text"] == made.trace.passages[7].text


def test_without_a_masker_it_is_written_as_it_was_typed(store: Records, url: str) -> None:
    """The test of the first test."""
    store.conversations.record(raw())
    assert CARD in everything_in(store, url)
