"""What goes over the wire to an OpenAI-compatible server and back: bodies, pieces of an answer, refusals.

llama-server, vLLM, Ollama and llama-cpp-python's server speak this much of the protocol alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from server.errors import LlmTrouble, LlmUnavailableError

DONE = "[DONE]"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event of the stream says. `finish` is the server's word for why the answer ends here."""

    text: str = ""
    finish: str | None = None
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


class PassingError(LlmUnavailableError):
    """A failure that may be over in a moment; `retry_after_s`, where the server says when."""

    def __init__(
        self, message: str, trouble: LlmTrouble = "down", retry_after_s: float | None = None
    ) -> None:
        super().__init__(message, trouble)
        self.retry_after_s = retry_after_s


def request_body(
    model: str, messages: Sequence[Message], *, max_tokens: int, temperature: float
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


def read_piece(data: str) -> Piece:
    """One event's data. `LlmUnavailableError` (`broken`) when it is an error or nothing that we know."""
    try:
        event = json.loads(data)
        if "error" in event:
            raise LlmUnavailableError("The language model reported an error in its answer.", "broken")
        choices, usage = event.get("choices") or [{}], event.get("usage") or {}
        delta = choices[0].get("delta") or {}
        return Piece(
            text=_LONE_SURROGATE.sub("\ufffd", delta.get("content") or ""),
            finish=choices[0].get("finish_reason"),
            prompt_tokens=usage.get("prompt_tokens"),
            answer_tokens=usage.get("completion_tokens"),
        )
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        raise garbage() from None


def garbage() -> LlmUnavailableError:
    """What came is not a chat answer."""
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
