"""Options of the client: where the server is, and how long to wait for what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from server.errors import BadInputError
from server.llm.prompts import STYLES, PromptStyle
from server.settings import Settings

TEMPLATE_TOKENS = 64  # of two messages; a ChatML template adds about 15, others a date or a role more
LEAST_PROMPT = 256

_KEY = re.compile(r"[!-~]*")  # what an Authorization header can carry


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Times in seconds. `first_token_s` counts from the question's arrival, all waiting included.

    `tokens` limits what may be used in a time (`TokenBudget`), `count_url` is where several servers count it.

    `BadInputError` when the address is none or the key cannot stand in a header; the key is never shown.
    """

    url: str
    model: str = ""
    key: str = field(default="", repr=False)
    connect_s: float = 0.5
    first_token_s: float = 1.5
    stall_s: float = 1.5
    total_s: float = 20.0
    concurrency: int = 4
    queue: int = 4
    queue_wait_s: float = 0.5
    retries: int = 2
    breaker_failures: int = 3
    breaker_rest_s: float = 10.0
    context_tokens: int = 4096
    answer_tokens: int = 400
    temperature: float = 0.0
    tokenize_s: float = 0.2
    prompt: str = "full"
    tokens: str = ""
    count_url: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not _is_address(self.url):
            raise BadInputError("LODGE_LLM_URL takes an address such as http://gpu-box:8080/v1.")
        if not _KEY.fullmatch(self.key):
            raise BadInputError("LODGE_LLM_KEY takes one word of plain letters, digits and signs.")
        if self.prompt not in STYLES:
            raise BadInputError(f"LODGE_LLM_PROMPT is {self.prompt!r}; it takes {' or '.join(STYLES)}.")
        if self.prompt_tokens < LEAST_PROMPT:
            raise BadInputError("LODGE_LLM_ANSWER_TOKENS leaves no room in LODGE_LLM_CONTEXT_TOKENS.")

    @property
    def style(self) -> PromptStyle:
        """The texts it is asked with."""
        return STYLES[self.prompt]

    @property
    def prompt_tokens(self) -> int:
        """The most tokens of a prompt: the context less the answer and what the chat template adds."""
        return self.context_tokens - self.answer_tokens - TEMPLATE_TOKENS

    @property
    def root_url(self) -> str:
        """The address without `/v1`, where the tokenizers are."""
        return self.url.rstrip("/").removesuffix("/v1")

    @property
    def chat_url(self) -> str:
        """Where questions are sent; the `/v1` of the setting may be left out."""
        return f"{self.root_url}/v1/chat/completions"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request: no compression, so that a small answer cannot become a huge one."""
        fixed = {"Accept-Encoding": "identity"}
        return {**fixed, "Authorization": f"Bearer {self.key}"} if self.key else fixed

    @property
    def max_bytes(self) -> int:
        """A longer stream is given up. A token takes some 300 bytes of it; this leaves room for more."""
        return 65_536 + 1024 * self.answer_tokens

    @classmethod
    def of(cls, settings: Settings) -> ChatOptions:
        """The `llm_…` settings."""
        return cls(
            url=settings.llm_url,
            model=settings.llm_model,
            key=settings.llm_key,
            connect_s=settings.llm_connect_s,
            first_token_s=settings.llm_first_token_s,
            stall_s=settings.llm_stall_s,
            total_s=settings.llm_total_s,
            concurrency=settings.llm_concurrency,
            queue=settings.llm_queue,
            queue_wait_s=settings.llm_queue_wait_s,
            retries=settings.llm_retries,
            breaker_failures=settings.llm_breaker_failures,
            breaker_rest_s=settings.llm_breaker_rest_s,
            context_tokens=settings.llm_context_tokens,
            answer_tokens=settings.llm_answer_tokens,
            temperature=settings.llm_temperature,
            tokens=settings.llm_tokens,
            prompt=settings.llm_prompt,
            count_url=settings.limit_url,
        )


def _is_address(url: str) -> bool:
    """Whether it is a plain http or https address; a password in it would be shown with it."""
    try:
        parts = urlsplit(url)
        port_is_number = parts.port is None or parts.port > 0
    except ValueError:
        return False
    plain = not (" " in url or parts.query or parts.fragment or "@" in parts.netloc)
    return (
        url.isprintable()
        and plain
        and port_is_number
        and parts.scheme in ("http", "https")
        and bool(parts.hostname)
    )
