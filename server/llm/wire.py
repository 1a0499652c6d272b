"""Wire format of OpenAI-compatible servers: request bodies, pieces of an answer, error responses.

llama-server, vLLM, Ollama and llama-cpp-python's server speak this much of the protocol alike.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from server.errors import LlmTrouble, LlmUnavailableError

DONE = "[DONE]"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class StreamPiece:
    """What one event of the stream says. `finish` is the server's word for why the answer ends here.

    `likely` are the tokens that the first one of the piece was chosen among, each with its log-probability;
    none where they were not asked for.
    """

    text: str = ""
    finish: str | None = None
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    likely: tuple[tuple[str, float], ...] = ()


class PassingError(LlmUnavailableError):
    """A failure that may be over in a moment; `retry_after_s`, where the server says when."""

    def __init__(
        self, message: str, trouble: LlmTrouble = "down", retry_after_s: float | None = None
    ) -> None:
        super().__init__(message, trouble)
        self.retry_after_s = retry_after_s


def request_body(
    model: str, messages: Sequence[ChatMessage], *, max_tokens: int, temperature: float
) -> dict[str, Any]:
    """The JSON body of `POST /v1/chat/completions`."""
    body = {
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "max_tokens": max_tokens,
        "temperature": temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return {"model": model, **body} if model else body


def read_piece(data: str) -> StreamPiece:
    """One event's data. `LlmUnavailableError` (`broken`) when it is an error or nothing that we know."""
    try:
        event = json.loads(data)
        if "error" in event:
            raise LlmUnavailableError("The language model reported an error in its answer.", "broken")
        choices, usage = event.get("choices") or [{}], event.get("usage") or {}
        delta = choices[0].get("delta") or {}
        return StreamPiece(
            text=_LONE_SURROGATE.sub("\ufffd", delta.get("content") or ""),
            finish=choices[0].get("finish_reason"),
            prompt_tokens=usage.get("prompt_tokens"),
            answer_tokens=usage.get("completion_tokens"),
            likely=_likely(choices[0].get("logprobs")),
        )
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        raise garbage() from None


def _likely(logprobs: Any) -> tuple[tuple[str, float], ...]:
    """What the first token of an event was chosen among, where the event tells."""
    content = (logprobs or {}).get("content") or []
    return tuple(
        (str(one["token"]), float(one["logprob"])) for one in (content[0]["top_logprobs"] if content else ())
    )


def garbage() -> LlmUnavailableError:
    """The error for a response that is no chat answer."""
    return LlmUnavailableError("What the language model's server sent is no answer.", "broken")


def refusal(status: int, headers: Mapping[str, str]) -> LlmUnavailableError | None:
    """What a response's status and media type say against it. Bodies of refusals are not read."""
    if status == 200:
        is_stream = headers.get("content-type", "").startswith("text/event-stream")
        return None if is_stream else garbage()
    pause = retry_after_s(headers.get("retry-after", ""))
    if status == 429:
        return PassingError("The language model's server has too many requests.", "full", pause)
    if status in (502, 503, 504):
        return PassingError(f"The language model is not ready (status {status}).", "down", pause)
    if status >= 500:
        return PassingError(f"The language model's server failed (status {status}).", "broken", pause)
    return LlmUnavailableError(f"{_hint(status)} (status {status}).", "refused")


def _hint(status: int) -> str:
    if status in (401, 403):
        return "The language model's server does not accept LODGE_LLM_KEY"
    if 300 <= status < 400 or status in (404, 405):
        return "The language model is not there; see LODGE_LLM_URL and LODGE_LLM_MODEL"
    return "The language model's server does not accept the request; the prompt may be too long for it"


def retry_after_s(value: str, now: datetime | None = None) -> float | None:
    """A `Retry-After` header, seconds or a date (RFC 9110, 10.2.3), in seconds from now; else None."""
    if value.strip().isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


_LINE_END = re.compile(rb"\r\n|\n|\r")


class EventReader:
    """Reader of server-sent events: puts blocks together to lines, and lines to events.

    A line is decoded when it is whole, so a block may end in the middle of a character. A long line that
    comes in many blocks takes no longer than one that comes in few.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []  # of the line that is not whole yet
        self._data: list[str] = []
        self._after_cr = False
        self._at_start = True

    def feed(self, block: bytes) -> Iterator[str]:
        """The data of each event that this block completes."""
        if not block:
            return
        if self._after_cr:  # a CR ended the last line; an LF that follows belongs to it
            block = block.removeprefix(b"\n")
        self._after_cr = block.endswith(b"\r")
        *ends, rest = _LINE_END.split(block)
        for end in ends:
            line, self._begun = b"".join([*self._begun, end]), []
            if (event := self._take(line)) is not None:
                yield event
        if rest:
            self._begun.append(rest)

    def _take(self, line: bytes) -> str | None:
        """One line; an empty one ends an event. A byte order mark before the first belongs to none."""
        if self._at_start:
            line, self._at_start = line.removeprefix(codecs.BOM_UTF8), False
        if not line:
            data, self._data = self._data, []
            return "\n".join(data) if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return None


@dataclass(frozen=True, slots=True)
class Finish:
    """How an answer came about. `reason` is the server's word: `stop`, or `length` where the tokens ran out.

    Milliseconds count from the call, waiting for a place included; the counts of tokens are the server's own.
    `likely` are the tokens that the first one was chosen among, where that was asked for.
    """

    reason: str
    attempts: int
    first_token_ms: float
    total_ms: float
    prompt_tokens: int | None
    answer_tokens: int | None
    likely: tuple[tuple[str, float], ...] = ()


class StreamedReply:
    """An answer as it comes in."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put
        self.on_text: Callable[[], None] = lambda: None
        self.finish: str | None = None
        self._first_at: float | None = None
        self._prompt_tokens: int | None = None
        self._answer_tokens: int | None = None
        self._likely: tuple[tuple[str, float], ...] = ()

    @property
    def has_begun(self) -> bool:
        """Whether the visitor may have seen some of it."""
        return self._first_at is not None

    def take(self, data: str) -> None:
        """One event of the stream."""
        piece = read_piece(data)
        self.finish = piece.finish or self.finish
        self._prompt_tokens = piece.prompt_tokens or self._prompt_tokens
        self._answer_tokens = piece.answer_tokens or self._answer_tokens
        self._likely = self._likely or piece.likely
        if piece.text:
            self._first_at = self._first_at or asyncio.get_running_loop().time()
            self.on_text()
            self._put(piece.text)

    def check(self) -> None:
        """Raise where the answer ended without a word."""
        if not self.has_begun:
            raise LlmUnavailableError("The language model said nothing.", "broken")

    def finished(self, began: float, attempts: int) -> Finish:
        """All that is known of it at its end."""
        now = asyncio.get_running_loop().time()
        return Finish(
            reason=self.finish or "stop",
            attempts=max(1, attempts),
            first_token_ms=round(((self._first_at or now) - began) * 1000, 3),
            total_ms=round((now - began) * 1000, 3),
            prompt_tokens=self._prompt_tokens,
            answer_tokens=self._answer_tokens,
            likely=self._likely,
        )
