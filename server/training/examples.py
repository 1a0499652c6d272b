"""Writer's examples: a question, passages best first, and the sentence that answers it from one of them.

The prompt of an example is the very one that a visitor's question is sent with (`server/llm/prompts.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.llm.prompts import COMPACT, NO_ANSWER, Count, PromptStyle, Scene, pack
from server.llm.wire import ChatMessage
from server.models import Passage

SITE_KEYS = ("title", "heading", "text", "url")


@dataclass(frozen=True, slots=True)
class WriterExample:
    """A question with passages, best first; `gold` is the place of the one that answers, from 0.

    `answer` is its sentence without a citation; "" with `gold` None: the passages do not say it.
    """

    id: str
    source: str
    question: str
    passages: tuple[Passage, ...]
    gold: int | None
    answer: str


@dataclass(frozen=True, slots=True)
class ChatExample:
    """A prompt and what the model should write after it."""

    id: str
    source: str
    messages: tuple[ChatMessage, ...]
    target: str

    def as_json(self) -> dict[str, Any]:
        """The line of a chat file, as trainers read it."""
        prompt = [{"role": message.role, "content": message.content} for message in self.messages]
        return {"id": self.id, "source": self.source, "messages": prompt, "target": self.target}


def as_chat(
    example: WriterExample, scene: Scene, room: int, count: Count, style: PromptStyle = COMPACT
) -> ChatExample | None:
    """The example as it is sent, in `room` tokens; None where its gold passage has no room, whole."""
    packed = pack(example.question, example.passages, scene, room, count, style=style)
    target = NO_ANSWER
    if example.gold is not None:
        gold = example.passages[example.gold]
        places = [n for n, passage in enumerate(packed.passages, 1) if passage == gold]
        if not places:
            return None
        target = f"{example.answer} [{places[0]}]"
    elif not packed.passages:
        return None
    return ChatExample(example.id, example.source, packed.messages, target)


def write_examples(examples: Iterable[WriterExample], file: Path) -> int:
    """A JSON line each; returns how many."""
    return _write_lines(map(_row, examples), file)


def write_chat_file(chats: Iterable[ChatExample], file: Path) -> int:
    """A JSON line each, as trainers read them; returns how many."""
    return _write_lines((chat.as_json() for chat in chats), file)


def _write_lines(rows: Iterable[dict[str, Any]], file: Path) -> int:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def read_examples(file: Path) -> Iterator[WriterExample]:
    """The examples of a file; `BadInputError` names the first line that is none."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield _example(json.loads(line))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise BadInputError(f"{file}, line {number} is no writer's example: {error!r}.") from error


def _row(example: WriterExample) -> dict[str, Any]:
    passages = [{key: getattr(passage, key) for key in SITE_KEYS} for passage in example.passages]
    return {
        "id": example.id,
        "source": example.source,
        "question": example.question,
        "passages": passages,
        "gold": example.gold,
        "answer": example.answer,
    }


def _example(row: dict[str, Any]) -> WriterExample:
    passages = _passages(row["passages"])
    gold = row["gold"]
    if gold is not None and not (0 <= gold < len(passages) and row["answer"]):
        raise ValueError("its gold passage or its answer is missing")
    return WriterExample(row["id"], row["source"], row["question"], passages, gold, row["answer"])


def _passages(rows: Sequence[dict[str, str]]) -> tuple[Passage, ...]:
    return tuple(
        Passage(n, row.get("url", ""), row["title"], row["heading"], row["text"])
        for n, row in enumerate(rows)
    )
