from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.models import Exchange, Feedback, Question, Trace, TraceStep
from server.visitor.sessions import MAX_TURNS, Rated, kept_turns, topic_of
from server.workbench.records import Records, open_records
from tests.storage.exchanges import exchange

ABOUT_AID = TraceStep("classify", 1.0, notes={"allowed": {"aid": ["loans"], "life": []}, "topics": {}})


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")


def about(trace: Trace, *steps: TraceStep) -> Trace:
    return replace(trace, steps=steps)


def asked(number: int, minutes_ago: float = 0) -> Exchange:
    at = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    one = exchange(number, asked_at=at.isoformat())
    return replace(one, trace=about(one.trace, ABOUT_AID))


def test_the_topic_is_the_likeliest_that_the_flow_allowed() -> None:
    trace = exchange().trace
    assert topic_of(about(trace, TraceStep("normalize", 1.0), ABOUT_AID)) == "aid"
    assert topic_of(about(trace, TraceStep("classify", 1.0, notes={"allowed": {}}))) is None
    assert topic_of(about(trace)) is None


def test_a_recorded_conversation_comes_back_as_it_was(records: Records) -> None:
    first = asked(1)
    records.conversations.record(first)
    records.conversations.record(asked(2))
    records.conversations.rate(Feedback("c1", "m1", False, "outdated", "2019?", "2026-03-01T10:00:00+00:00"))
    one, two = kept_turns(records.conversations, "c1", "main")
    assert (one.question, one.answer, one.topic) == (first.question.text, first.answer, "aid")
    assert one.rated == Rated(False, "outdated", "2019?")
    assert two.rated is None
    records.close()


def test_a_refusal_comes_back_too(records: Records) -> None:
    refused = exchange(refused=True, asked_at=datetime.now(UTC).isoformat())
    records.conversations.record(refused)
    [turn] = kept_turns(records.conversations, "c1", "main")
    assert turn.answer == refused.answer
    records.close()


def test_only_the_last_turns_come_back(records: Records) -> None:
    for number in range(MAX_TURNS + 2):
        records.conversations.record(asked(number))
    turns = kept_turns(records.conversations, "c1", "main")
    assert (len(turns), turns[0].answer.message_id) == (MAX_TURNS, "m2")
    records.close()


def test_what_was_left_too_long_ago_stays_away_where_that_is_asked_for(records: Records) -> None:
    records.conversations.record(asked(1, minutes_ago=20))
    assert kept_turns(records.conversations, "c1", "main", timedelta(minutes=10)) == ()
    assert len(kept_turns(records.conversations, "c1", "main", timedelta(minutes=30))) == 1
    assert len(kept_turns(records.conversations, "c1", "main")) == 1
    records.close()


def test_an_unknown_conversation_has_no_turns(records: Records) -> None:
    assert kept_turns(records.conversations, "nobody", "main") == ()
    records.close()


def test_the_question_of_each_turn_is_its_own(records: Records) -> None:
    for number, text in enumerate(("One?", "Two?")):
        one = asked(number)
        records.conversations.record(replace(one, question=Question(text, "c1", f"m{number}", f"t{number}")))
    assert [turn.question for turn in kept_turns(records.conversations, "c1", "main")] == ["One?", "Two?"]
    records.close()
