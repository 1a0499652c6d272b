"""compose.yaml as far as a parser can tell: a profile, a pinned image, a key from outside, loopback alone.

The commands of the language models fit the settings, and docs/llm.md has them to the letter.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import yaml

from server.settings import PREFIX, PROJECT, Settings

TABLE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text(encoding="utf-8"))
LLM_PAGE = (PROJECT / "docs" / "llm.md").read_text(encoding="utf-8")
BUILDS = ("ghcr.io/ggml-org/llama.cpp:server-cuda",)  # published by build, without versions


def test_every_service_waits_for_its_profile() -> None:
    """`docker compose up` alone starts nothing: Lodge needs no other server."""
    assert all(service["profiles"] == [name] for name, service in TABLE["services"].items())


def test_images_are_pinned_and_ports_are_on_loopback() -> None:
    for service in TABLE["services"].values():
        assert service["image"] in BUILDS or re.fullmatch(r"[\w./-]+:v?\d+\.\d+(\.\d+)?", service["image"])
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_keys_come_from_the_settings_variables_and_have_no_default() -> None:
    named = re.findall(r"\$\{(\w+)([^}]*)\}", str(TABLE))
    assert set(named) == {("LODGE_TYPESENSE_KEY", ":-"), ("LODGE_LLM_KEY", ":-")}
    assert all(hasattr(Settings(), name.removeprefix(PREFIX).lower()) for name, _ in named)


def test_what_a_service_keeps_is_in_a_volume() -> None:
    for service in TABLE["services"].values():
        assert {volume.split(":")[0] for volume in service["volumes"]} <= set(TABLE["volumes"])


def llm_options(profile: str) -> dict[str, str]:
    """`--name value`, and `--name` alone as an empty value."""
    words = shlex.split(TABLE["services"][profile]["command"])
    names = [i for i, word in enumerate(words) if word.startswith("--")]
    return {
        words[i]: " ".join(words[i + 1 : j]) for i, j in zip(names, [*names[1:], len(words)], strict=True)
    }


def test_a_llama_server_has_the_places_and_the_context_of_the_settings() -> None:
    given = llm_options("llm-gguf")
    assert int(given["--parallel"]) == Settings().llm_concurrency
    assert int(given["--ctx-size"]) == Settings().llm_concurrency * Settings().llm_context_tokens


def test_a_vllm_has_the_places_and_the_context_of_the_settings() -> None:
    given = llm_options("llm-gptq")
    assert int(given["--max-num-seqs"]) == Settings().llm_concurrency
    assert int(given["--max-model-len"]) == Settings().llm_context_tokens


@pytest.mark.parametrize("profile", ["llm-gguf", "llm-gptq"])
def test_the_page_has_a_language_models_profile_and_command(profile: str) -> None:
    assert f"docker compose --profile {profile} up" in LLM_PAGE
    shown = " ".join(LLM_PAGE.replace("\\\n", " ").split()).replace("vllm serve Qwen", "--model Qwen")
    for name, value in llm_options(profile).items():
        assert f"{name} {value}".strip() in shown
