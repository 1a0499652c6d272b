"""Ask the configured language model one question, through Lodge's own client, and say how it went.

LODGE_LLM_URL=http://gpu-box:8080/v1 .venv/bin/python -m scripts.check_llm

Exit status 0: it answered in time. The settings are those of `lodge serve`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from server.errors import LodgeError
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.prompts import Scene, pack, prompt_hash
from server.llm.tokens import upper_estimate
from server.llm.wire import ChatMessage, Finish
from server.models import Passage
from server.settings import Settings
from server.variables import SettingError
from server.wiring.opening import site_name

QUESTION = "When does the library open on Sundays?"
PASSAGES = (
    Passage(
        1, "https://www.example.edu/library", "Library", "Hours", "On Sundays the library opens at noon."
    ),
    Passage(
        2, "https://www.example.edu/gym", "Gym", "Hours", "The gym opens at six on every day of the week."
    ),
)


def check(client: ChatClient, options: ChatOptions, settings: Settings) -> None:
    """Print the answer and what it took; `LlmUnavailableError` when there is none."""
    scene = Scene(site_name(settings), datetime.now(UTC).date())
    packed = pack(QUESTION, PASSAGES, scene, options.prompt_tokens, client.count_tokens)
    estimate = sum(upper_estimate(message.content) for message in packed.messages)
    print(f"Prompt {prompt_hash()}: {packed.tokens} tokens (estimated without asking: {estimate}).")
    answer, finish = read_out(client, packed.messages)
    print(f"Answer: {answer}")
    print(f"First words after {finish.first_token_ms:.0f} ms, all after {finish.total_ms:.0f} ms, ", end="")
    print(f"in {finish.attempts} attempt(s); it ended with {finish.reason!r}.")
    if finish.answer_tokens and finish.total_ms > finish.first_token_ms:
        per_s = 1000 * finish.answer_tokens / (finish.total_ms - finish.first_token_ms)
        print(f"{finish.prompt_tokens} tokens in, {finish.answer_tokens} out, {per_s:.0f} a second.")


def read_out(client: ChatClient, messages: tuple[ChatMessage, ...]) -> tuple[str, Finish]:
    """The whole answer and its finish."""
    pieces, stream = [], client.stream(messages)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            return "".join(pieces), end.value


def main(environ: Mapping[str, str]) -> int:
    """0 when it answered."""
    try:
        settings = Settings.read(environ)
        if not settings.llm_url:
            print("LODGE_LLM_URL is empty: there is no language model to ask.")
            return 1
        options = ChatOptions.of(settings)
        client = ChatClient(options)
    except (SettingError, LodgeError) as error:
        print(error)
        return 1
    try:
        check(client, options, settings)
    except LodgeError as error:
        print(f"No answer ({getattr(error, 'trouble', error.code)}): {error}")
        return 1
    finally:
        client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
