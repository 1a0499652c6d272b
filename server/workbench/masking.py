"""What a caller may see of visitors' words: developers all of it, others with what is personal masked."""

from __future__ import annotations

from typing import Any

from server.masking import Masker, in_every_text

Json = dict[str, Any]


def sees_personal_data(role: str) -> bool:
    """Whether a role is shown what visitors wrote to the letter."""
    return role == "developer"


def masked_conversation(conversation: Json) -> Json:
    """The same conversation with its visitor's data masked, also where an answer repeats them."""
    masker = Masker()
    return conversation | {"messages": [_masked_message(masker, one) for one in conversation["messages"]]}


def masked_exchange(masker: Masker, exchange: Json) -> Json:
    """The same question and answer; the masker is its conversation's."""
    question = masker.masked(exchange["question"])
    given = exchange["feedback"]
    return exchange | {
        "question": question,
        "answer": in_every_text(masker.echoed, exchange["answer"]),
        "feedback": given and given | {"comment": masker.masked(given["comment"])},
    }


def masked_trace(trace: Json) -> Json:
    """The same trace: all that its steps noted may be the visitor's words, the passages are the site's."""
    masker = Masker()
    return trace | {
        "question": masker.masked(trace["question"]),
        "asked": in_every_text(masker.masked, trace.get("asked", {})),
        "steps": [step | {"notes": in_every_text(masker.masked, step["notes"])} for step in trace["steps"]],
        "answer": in_every_text(masker.echoed, trace["answer"]),
    }


def _masked_message(masker: Masker, message: Json) -> Json:
    if message["role"] == "user":
        return message | {"text": masker.masked(message["text"])}
    given = message["feedback"]
    return message | {
        "text": masker.echoed(message["text"]),
        "answer": in_every_text(masker.echoed, message["answer"]),
        "feedback": given and given | {"comment": masker.masked(given["comment"])},
    }
