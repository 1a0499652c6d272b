"""Who sees what visitors wrote about themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from server.masking import Masker
from server.workbench.conversations.api import masked_row
from server.workbench.conversations.store import ConversationRow
from server.workbench.masking import masked_exchange, masked_trace, sees_personal_data
from tests.storage.exchanges import exchange


def test_developers_alone_see_it() -> None:
    assert [sees_personal_data(role) for role in ("viewer", "editor", "developer", "")] == [
        False, False, True, False
    ]  # fmt: skip


def test_a_trace_is_masked_but_for_the_passages() -> None:
    asked = exchange(question="I am ana@example.edu", answer="Dear ana@example.edu, call 555-0100.")
    trace: dict[str, Any] = json.loads(json.dumps(asked.trace.as_json() | {"answer": asked.answer.as_json()}))
    trace["steps"][1]["notes"] = {"question": "ANA@example.edu wants 555-0199"}
    trace["passages"]["7"]["text"] = "Write to registrar@example.edu."
    masked = masked_trace(trace)
    assert masked["question"] == "I am [e-mail 1]"
    assert masked["steps"][1]["notes"] == {"question": "[e-mail 1] wants [phone 1]"}
    assert masked["answer"]["answer"] == "Dear [e-mail 1], call 555-0100."
    assert masked["passages"] == trace["passages"]


def test_a_row_without_a_question_is_left() -> None:
    row = ConversationRow("c1", "main", "", "", None, "extractive", 2, 0, 0, 0, "")
    assert masked_row(row) == row
    assert masked_row(replace(row, first_question="a@b.example")).first_question == "[e-mail 1]"


@pytest.mark.parametrize("feedback", [None, {"comment": "call 555-0199"}])
def test_a_comment_is_the_visitors_too(feedback: dict[str, str] | None) -> None:
    masked = masked_exchange(Masker(), {"question": "q", "answer": {}, "feedback": feedback})
    assert masked["feedback"] == (feedback and {"comment": "call [phone 1]"})
