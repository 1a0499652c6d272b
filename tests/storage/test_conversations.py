"""What is written of an exchange, and how it is read back."""

from __future__ import annotations

import json
import time
from functools import partial

import pytest

from server.errors import BadInputError, ConflictError, NotFoundError
from server.workbench.records import Records
from tests.storage.exchanges import exchange


def test_a_conversation_reads_as_it_went(store: Records) -> None:
    first, second = exchange(1), exchange(2, question="And for graduates?", refused=True)
    store.conversations.record(first)
    store.conversations.record(second)
    found = store.conversations.conversation("c1")
    assert (found["started_at"], found["last_at"]) == (
        "2026-03-01T10:00:01+00:00",
        "2026-03-01T10:00:02+00:00",
    )
    said = [(message["role"], message["text"]) for message in found["messages"]]
    assert said == [
        ("user", "When does add/drop end?"),
        ("assistant", "The last day is 3 February. [1]"),
        ("user", "And for graduates?"),
        ("assistant", "I could not find that."),
    ]
    assert found["messages"][1]["answer"] == json.loads(json.dumps(first.answer.as_json()))
    assert found["messages"][1]["total_ms"] == 16.0
    assert found["messages"][3]["refusal_reason"] == "no_evidence"


def test_a_trace_reads_as_its_own_json_with_the_answer_beside_it(store: Records) -> None:
    asked = exchange()
    store.conversations.record(asked)
    found = store.conversations.trace("t1")
    wanted = json.loads(json.dumps(asked.trace.as_json()))
    assert {key: found[key] for key in wanted} == wanted
    assert found["answer"]["message_id"] == "m1"
    assert found["conversation_id"] == "c1"


def test_an_unknown_id_is_not_found(store: Records) -> None:
    for look_up in (
        store.conversations.conversation,
        store.conversations.trace,
        partial(store.conversations.erase, site="main"),
    ):
        with pytest.raises(NotFoundError, match=r"no (conversation|trace) with that id"):
            look_up("nobody")


def test_nothing_is_kept_of_an_exchange_that_fails_half_way(store: Records) -> None:
    """The second exchange's trace id is taken, which shows only after its messages are written."""
    store.conversations.record(exchange(1))
    clash = exchange(2, conversation="c2")
    object.__setattr__(clash.trace, "trace_id", "t1")
    with pytest.raises(Exception, match="records store"):
        store.conversations.record(clash)
    assert [row.id for row in store.search.conversations(limit=10)] == ["c1"]


def test_history_is_the_last_turns_oldest_first_whatever_the_clock_did(store: Records) -> None:
    store.conversations.record(exchange(1, question="one", asked_at="2026-03-01T12:00:00+00:00"))
    store.conversations.record(exchange(2, question="two", asked_at="2026-03-01T11:00:00+00:00"))
    assert store.conversations.history("c1", 3) == (
        ("assistant", "The last day is 3 February. [1]"),
        ("user", "two"),
        ("assistant", "The last day is 3 February. [1]"),
    )
    assert store.conversations.history("nobody", 3) == ()


def test_erasing_leaves_no_message_and_no_trace(store: Records) -> None:
    store.conversations.record(exchange(1))
    store.conversations.record(exchange(2, conversation="c2"))
    store.conversations.erase("c1", "main")
    assert store.conversations.history("c1", 10) == ()
    with pytest.raises(NotFoundError):
        store.conversations.trace("t1")
    assert store.conversations.trace("t2")["trace_id"] == "t2"


def test_the_list_has_the_first_question_and_the_counts(store: Records) -> None:
    store.conversations.record(exchange(1))
    store.conversations.record(exchange(2, question="And for graduates?", refused=True))
    [row] = store.search.conversations(limit=10)
    assert row.first_question == "When does add/drop end?"
    assert (row.messages, row.refused, row.answerer) == (4, 1, "extractive")


def test_paging_sees_every_conversation_once_even_those_of_the_same_moment(store: Records) -> None:
    for number in range(7):
        store.conversations.record(
            exchange(number, conversation=f"c{number}", asked_at="2026-03-01T10:00:00Z")
        )
    seen: list[str] = []
    page = store.search.conversations(limit=3)
    while page:
        seen += [row.id for row in page]
        page = store.search.conversations(limit=3, before=page[-1].cursor)
    assert seen == [f"c{number}" for number in reversed(range(7))]


def test_before_takes_a_time_of_any_zone(store: Records) -> None:
    store.conversations.record(exchange(1, conversation="early", asked_at="2026-03-01T09:59:59+00:00"))
    store.conversations.record(exchange(2, conversation="late", asked_at="2026-03-01T10:00:00+00:00"))
    rows = store.search.conversations(limit=9, before="2026-03-01T11:00:00+01:00")
    assert [row.id for row in rows] == ["early"]
    with pytest.raises(BadInputError, match="'yesterday' is no ISO 8601 time"):
        store.search.conversations(limit=9, before="yesterday")


def test_text_that_is_no_unicode_is_bad_input(store: Records) -> None:
    with pytest.raises(BadInputError, match="Unicode"):
        store.conversations.record(exchange(question="\ud800"))
    assert store.search.conversations(limit=9) == []


def test_recording_is_quick(store: Records) -> None:
    """A far bound against a lost index or a sync for each answer; the figure itself is measured apart."""
    took_s = []
    for number in range(60):
        begun = time.perf_counter()
        store.conversations.record(exchange(number))
        took_s.append(time.perf_counter() - begun)
    assert sorted(took_s)[30] < 0.05


def test_a_conversation_belongs_to_its_site(store: Records) -> None:
    store.conversations.record(exchange(1))
    with pytest.raises(ConflictError, match="belongs to another site"):
        store.conversations.record(exchange(2, site="library"))
    with pytest.raises(NotFoundError):
        store.conversations.erase("c1", "library")
    assert (store.conversations.site_of("c1"), store.conversations.site_of("nobody")) == ("main", None)
    assert not store.conversations.is_erased("c1", "main")
    assert len(store.conversations.conversation("c1")["messages"]) == 2
