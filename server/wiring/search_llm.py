"""The language model as the search knows it: it puts a question in other words, makes answers up to look for
what is like them, and says which passages answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from server.llm.client import ChatClient
from server.llm.search_prompts import (
    hypothetical_prompt,
    order_in,
    order_prompt,
    paraphrase_prompt,
    search_prompt_hash,
    wordings_in,
    yes_in,
    yes_prompt,
)
from server.models import Passage

# A question in other words is as long as a question, a made-up answer as a passage's beginning.
WORDING_TOKENS, ANSWER_TOKENS, NUMBER_TOKENS = 60, 120, 6
# Several answers are to differ; Gao et al. (2022) sample theirs at this temperature.
SEVERAL = {"temperature": 0.7}
CHOICES = 10  # tokens whose probabilities are asked for, to find yes and no among

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

    def hypothetical_answers(self, question: str, most: int) -> list[str]:
        """So many answers as a page might have them, true or not."""
        prompt = hypothetical_prompt(question, self._site_name)
        more = SEVERAL if most > 1 else None
        written = (self._client.complete(prompt, answer_tokens=ANSWER_TOKENS, more=more) for _ in range(most))
        return [self._mask(" ".join(one.split())) for one in written if one.strip()]

    def order(self, question: str, passages: Sequence[Passage]) -> list[int]:
        """The passages' places, from 0, in the order in which they answer; as they are if it names none."""
        output = self._client.complete(
            order_prompt(question, passages, self._site_name), answer_tokens=NUMBER_TOKENS * len(passages)
        )
        return [n - 1 for n in order_in(output, len(passages))] or [*range(len(passages))]

    def yes_probability(self, question: str, passage: Passage) -> float | None:
        """How likely the passage answers, 0 to 1; None where neither yes nor no was said."""
        text, likely = self._client.first_token(yes_prompt(question, passage, self._site_name), CHOICES)
        return yes_in(text, likely)
