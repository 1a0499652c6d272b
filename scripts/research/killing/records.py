"""Whether a records store has all that was acknowledged, and nothing by halves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from sqlalchemy import text

from scripts.research.killing.visitors import Acknowledged
from server.errors import LodgeError
from server.storage.engine import engine_for
from server.workbench.records import Records, open_records

# What there must be none of, and how many there are.
HALVES = {
    "answers without a question": """
        SELECT count(*) FROM messages a WHERE a.role = 'assistant'
        AND NOT EXISTS (SELECT 1 FROM messages q WHERE q.id = a.id || '-question')""",
    "questions without an answer": """
        SELECT count(*) FROM messages q WHERE q.role = 'user'
        AND NOT EXISTS (SELECT 1 FROM messages a WHERE a.id || '-question' = q.id)""",
    "answers without a trace": """
        SELECT count(*) FROM messages a WHERE a.role = 'assistant'
        AND NOT EXISTS (SELECT 1 FROM traces WHERE message_id = a.id)""",
    "answers that are not counted": """
        SELECT count(*) FROM messages a WHERE a.role = 'assistant'
        AND NOT EXISTS (SELECT 1 FROM turns WHERE number = a.number)""",
    "feedback that is not counted": """
        SELECT count(*) FROM feedback f JOIN messages m ON m.id = f.message_id
        JOIN turns t ON t.number = m.number WHERE t.helpful IS NULL OR t.helpful <> f.helpful""",
}


def trouble_in(url: str, had: Acknowledged) -> str | None:
    """What is lost or half kept, as a sentence."""
    try:
        with closing(open_records(url)) as store:
            return next(_lost(store, had), None) or next(_halves(url), None)
    except LodgeError as error:
        return error.message


def _lost(store: Records, had: Acknowledged) -> Iterator[str]:
    for trace_id, answer in had.answers.items():
        try:
            kept = store.conversations.trace(trace_id)["answer"]
        except LodgeError:
            yield f"an answer that was given is not recorded ({trace_id})"
            continue
        if kept["answer"] != answer["answer"]:
            yield f"another answer is recorded than was given ({trace_id})"
    for answer in had.answers.values():
        if answer["message_id"] in had.feedback:
            messages = store.conversations.conversation(answer["conversation_id"])["messages"]
            given = {one["id"]: one["feedback"] for one in messages}[answer["message_id"]]
            if given is None or given["helpful"] != had.feedback[answer["message_id"]]:
                yield f"feedback that was taken is not recorded ({answer['message_id']})"


def _halves(url: str) -> Iterator[str]:
    engine = engine_for(url)
    try:
        with engine.connect() as connection:
            for what, query in HALVES.items():
                if number := connection.execute(text(query)).scalar_one():
                    yield f"{number} {what}"
            if engine.dialect.name == "sqlite":
                said = connection.execute(text("PRAGMA integrity_check")).scalar_one()
                if said != "ok":
                    yield f"SQLite says: {said}"
    finally:
        engine.dispose()
