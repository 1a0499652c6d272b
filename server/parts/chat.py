"""The language model on another machine, where there is one."""

from __future__ import annotations

from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.settings import Settings


def build_chat_client(settings: Settings) -> ChatClient | None:
    """The client of `LODGE_LLM_URL`; None where that is empty. Whoever builds it closes it.

    Nothing is sent yet, so a server that is down is no error here. `BadInputError` when a setting is wrong.
    """
    return ChatClient(ChatOptions.of(settings)) if settings.llm_url else None
