from __future__ import annotations

import dataclasses

import pytest

from server.errors import BadInputError
from server.llm.options import ChatOptions
from server.llm.prompts import COMPACT
from server.settings import Settings

URL = "http://gpu-box:8080/v1"


@pytest.mark.parametrize("url", [URL, URL + "/", "http://gpu-box:8080", "http://gpu-box:8080/"])
def test_the_address_is_the_same_with_and_without_its_version(url: str) -> None:
    options = ChatOptions(url)
    assert options.chat_url == "http://gpu-box:8080/v1/chat/completions"
    assert options.root_url == "http://gpu-box:8080"


def test_a_path_before_the_version_is_kept() -> None:
    assert ChatOptions("https://ai.example.edu/team/v1").root_url == "https://ai.example.edu/team"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "gpu-box:8080",
        "ftp://gpu-box/v1",
        "http://",
        "http:///v1",
        "http://gpu-box:port/v1",
        "http://gpu-box:99999/v1",
        "http://[::1/v1",
        "http://someone:secret@gpu-box/v1",
        "http://gpu-box/v1?key=secret",
        "http://gpu-box/v1#x",
        "http://gpu box/v1",
        "http://gpu-box/\n",
    ],
)
def test_what_is_no_plain_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadInputError, match=r"LODGE_LLM_URL takes an address such as") as caught:
        ChatOptions(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["two words", "new\nline", "käse"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key: str) -> None:
    with pytest.raises(BadInputError, match="LODGE_LLM_KEY takes one word") as caught:
        ChatOptions(URL, key=key)
    assert key not in str(caught.value)


def test_the_key_is_in_the_headers_and_nowhere_to_be_seen() -> None:
    options = ChatOptions(URL, key="sk-hidden")
    assert options.headers["Authorization"] == "Bearer sk-hidden"
    assert "sk-hidden" not in repr(options)
    assert "sk-hidden" not in repr(Settings(llm_key="sk-hidden"))


def test_the_prompt_has_what_the_answer_leaves() -> None:
    assert ChatOptions(URL, context_tokens=4096, answer_tokens=400).prompt_tokens == 3632
    with pytest.raises(BadInputError, match="LODGE_LLM_ANSWER_TOKENS leaves no room"):
        ChatOptions(URL, context_tokens=512, answer_tokens=400)


# The pipeline's own, not the client's: how long an answer may be weighed, and how passages are put in order.
OF_THE_FLOW = {"llm_decide_s", "llm_rerank", "llm_writes"}


def test_every_setting_of_the_language_model_arrives() -> None:
    """Each differs from its default, and none is forgotten."""
    names = [field.name for field in dataclasses.fields(Settings) if field.name.startswith("llm_")]
    given = {name: getattr(Settings(), name) for name in names}
    given = {
        name: f"http://x{i}/v1" if isinstance(v, str) else v + 1 for i, (name, v) in enumerate(given.items())
    } | {"llm_prompt": "compact"}
    options = dataclasses.asdict(ChatOptions.of(Settings(**given, limit_url="redis://x")))
    given = {name: value for name, value in given.items() if name not in OF_THE_FLOW}
    fixed = {"tokenize_s": ChatOptions(URL).tokenize_s, "count_url": "redis://x"}
    assert options == fixed | {name.removeprefix("llm_"): value for name, value in given.items()}


def test_the_defaults_are_the_settings_defaults() -> None:
    assert ChatOptions(URL) == ChatOptions.of(Settings(llm_url=URL))


def test_an_unknown_kind_of_prompt_names_those_there_are() -> None:
    assert ChatOptions(URL, prompt="compact").style is COMPACT
    with pytest.raises(BadInputError, match="'short'; it takes full or compact"):
        ChatOptions(URL, prompt="short")
