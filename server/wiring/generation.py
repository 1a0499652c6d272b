"""The language model as the flow knows it: it writes answers from passages, and makes follow-ups whole."""

from __future__ import annotations

import copy
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from server.academic_terms import current_term
from server.ask.ports import PromptContext
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.prompts import (
    Scene,
    closed_book_prompt,
    condense_prompt,
    may_be_no_answer,
    pack,
    prompt_hash,
    says_no_answer,
)
from server.llm.wire import ChatMessage, Finish
from server.models import Passage
from server.settings import Settings
from server.wiring.opening import site_name
from server.wiring.search_llm import ChatSearch, Mask

# A stand-alone question is short.
CONDENSED_TOKENS = 60

History = Sequence[tuple[str, str]]


class ChatWriter:
    """Writes by an OpenAI-compatible server. Thread-safe; whoever builds it closes it."""

    def __init__(self, options: ChatOptions, site_name: str, today: date | None = None) -> None:
        """`site_name` and `today` are those of prompts that belong to no site's question."""
        self._options = options
        self._client = ChatClient(options)
        self._site_name = site_name
        self._today = today
        self._model: str | None = None

    def named(self, model: str) -> ChatWriter:
        """The same by another of the server's models, over the same connections."""
        other = copy.copy(self)
        other._model = model
        return other

    @property
    def resting(self) -> bool:
        """Whether its server is left in peace after failures."""
        return self._client.resting

    @property
    def versions(self) -> dict[str, str]:
        """The model's name and the prompts' hash, for the trace."""
        return {"llm": self._model or self._options.model or self._options.root_url, "prompt": prompt_hash()}

    def begin(
        self, question: str, passages: Sequence[Passage], history: History, scene: PromptContext
    ) -> ChatManuscript:
        """An answer from as many of the passages, best first, as fit; nothing is sent yet."""
        packed = pack(
            question,
            passages,
            replace(_set(scene.site_name, scene.today), examples=scene.examples),
            self._options.prompt_tokens,
            self._client.count_tokens,
            history,
            self._options.style,
        )
        notes = {
            "prompt": [message.content for message in packed.messages],
            "tokens": packed.tokens,
            "dropped": packed.dropped,
            "passages": [passage.chunk_id for passage in packed.passages],
        }
        return ChatManuscript(self._client, packed.messages, packed.passages, notes, self._model)

    def from_memory(self, question: str, scene: PromptContext) -> str:
        """An answer without any passage; empty where the model says that it knows none."""
        text = self._client.complete(closed_book_prompt(question, _set(scene.site_name, scene.today)))
        return "" if says_no_answer(text) else text.strip()

    def condense(self, question: str, history: History) -> str:
        """The question so that it stands alone, as the model wrote it."""
        scene = _set(self._site_name, self._today or date.today())
        prompt = condense_prompt(question, history, scene)
        return self._client.complete(prompt, answer_tokens=CONDENSED_TOKENS)

    def search(self, mask: Mask | None = None) -> ChatSearch:
        """The same model as a help to the search."""
        return ChatSearch(self._client, self._site_name, mask)

    def close(self) -> None:
        """Cancel what is under way."""
        self._client.close()


class ChatManuscript:
    """One answer of the model under way."""

    def __init__(
        self,
        client: ChatClient,
        messages: tuple[ChatMessage, ...],
        passages: tuple[Passage, ...],
        notes: Mapping[str, Any],
        model: str | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._messages = messages
        self._notes = dict(notes)
        self.passages = passages
        self.declined = False
        self.cut_off = False

    @property
    def notes(self) -> Mapping[str, Any]:
        """The prompt, and once the answer has ended how it came about."""
        return self._notes

    def pieces(self) -> Generator[str, None, None]:
        """The text as it comes; nothing where the model says that it cannot answer."""
        finish = yield from self._unless_declined(self._client.stream(self._messages, model=self._model))
        self.cut_off = finish.reason == "length"
        self._notes |= {
            "finish": finish.reason,
            "attempts": finish.attempts,
            "first_token_ms": finish.first_token_ms,
            "prompt_tokens": finish.prompt_tokens,
            "answer_tokens": finish.answer_tokens,
        }

    def _unless_declined(self, stream: Generator[str, None, Finish]) -> Generator[str, None, Finish]:
        """The beginning is held back for as long as it may still become the words for "no answer"."""
        held = ""
        while True:
            try:
                held += next(stream)
            except StopIteration as end:
                self.declined = says_no_answer(held)
                if held and not self.declined:
                    yield held
                finish: Finish = end.value
                return finish
            if not may_be_no_answer(held):
                yield held
                return (yield from stream)


def build_writer(settings: Settings) -> ChatWriter:
    """The writer of `LODGE_LLM_URL`.

    Nothing is sent yet, so a server that is down is no error here. `BadInputError` when a setting is wrong.
    """
    return ChatWriter(ChatOptions.of(settings), site_name(settings), settings.day)


def _set(site_name: str, today: date) -> Scene:
    """The prompt's scene, with the term of the day in the words people use."""
    year, _, season = current_term(today).name.partition("-")
    return Scene(site_name, today, f"{season.title()} {year}")
