"""What answers visitors, as features of the workbench ask it once more."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from server.ask.paraphraser import Paraphraser
from server.ask.pipeline import Asker
from server.ask.ports import OpenSnapshot
from server.errors import LodgeError
from server.index.snapshot import Snapshot
from server.inference.encoders import Embedder
from server.models import Final, Question


class LiveSnapshot(OpenSnapshot, Protocol):
    """The live snapshot as a question meets it, with its tables to be read."""

    @property
    def snapshot(self) -> Snapshot:
        """Its pages and passages."""
        ...


@dataclass(frozen=True, slots=True)
class Answering:
    """The flow that answers visitors, the live snapshot that it searches, the embedder of both, and what
    tells an editor's answer its questions.

    `lease` keeps the snapshot of the moment open; `NotReadyError` where there is none.
    """

    asker: Asker
    lease: Callable[[], AbstractContextManager[LiveSnapshot]]
    embedder: Embedder
    paraphraser: Paraphraser

    @property
    def snapshot(self) -> str:
        """The name of the live snapshot; `NotReadyError` where there is none."""
        with self.lease() as opened:
            return opened.name


# Raises a `NotReadyError` that says which, while a part is missing.
AnsweringParts = Callable[[], Answering]


def asked(asker: Asker, text: str, site: str, lang: str | None = None) -> Final:
    """One question with nothing before it, asked to the end; `lang` is that of the page it is asked on."""
    conversation_id, message_id, trace_id = (uuid.uuid4().hex for _ in range(3))
    return last_event(asker, Question(text, conversation_id, message_id, trace_id, site, lang=lang))


def last_event(asker: Asker, question: Question) -> Final:
    """What a question comes to."""
    for event in asker.ask(question):
        if isinstance(event, Final):
            return event
    raise LodgeError("The question's flow ended without an answer.")
