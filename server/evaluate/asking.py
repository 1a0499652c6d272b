"""How the bench puts a question: through the same flow that a visitor's question takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol
from uuid import uuid4

from server.errors import BadInputError, LodgeError
from server.models import Event, Final, Question


class Asker(Protocol):
    """The question's way; an unknown strategy is a `BadInputError` that names the known ones."""

    def ask(self, question: Question) -> Iterator[Event]:
        """Events up to one `Final`. Must be thread-safe."""
        ...


def strategy_names(strategies: Sequence[str]) -> tuple[str, ...]:
    """The names as given, each once, blanks left out; none at all is a `BadInputError`."""
    names = tuple(dict.fromkeys(name.strip() for name in strategies if name.strip()))
    if not names:
        raise BadInputError("The list of strategies is empty; name at least one, such as hybrid.")
    return names


def ask_once(asker: Asker, text: str, strategy: str, history: tuple[tuple[str, str], ...] = ()) -> Final:
    """Ask and wait for the end. A flow that ends without a `Final` is a `LodgeError`."""
    question = Question(
        text=text,
        conversation_id=uuid4().hex,
        message_id=uuid4().hex,
        trace_id=uuid4().hex,
        strategy=strategy,
        history=history,
    )
    final = None
    for event in asker.ask(question):
        if isinstance(event, Final):
            final = event
    if final is None:
        raise LodgeError(f"The question {text!r} came to no answer with the strategy {strategy!r}.")
    return final
