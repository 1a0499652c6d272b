"""The language model as the search knows it: it puts a question in other words."""

from __future__ import annotations

from collections.abc import Callable

from server.llm.client import ChatClient
from server.llm.search_prompts import paraphrase_prompt, search_prompt_hash, wordings_in

# A question in other words is as long as a question.
WORDING_TOKENS = 60

Mask = Callable[[str], str]


class ChatSearch:
    """Helps to search by an OpenAI-compatible server, whose client is the writer's. Thread-safe.

    What it is given and what it writes stands in traces, so `mask` takes out what is personal in it.
    """

    def __init__(self, client: ChatClient, site_name: str, mask: Mask | None = None) -> None:
        self._client = client
        self._site_name = site_name
        self._mask = mask or str

    @property
    def versions(self) -> dict[str, str]:
        """The prompts' hash, for the trace."""
        return {"search_prompt": search_prompt_hash()}

    def paraphrases(self, question: str, most: int) -> list[str]:
        """At most so many other wordings of a question."""
        prompt = paraphrase_prompt(question, most, self._site_name)
        output = self._client.complete(prompt, answer_tokens=most * WORDING_TOKENS)
        return [self._mask(one) for one in wordings_in(output, question, most)]
