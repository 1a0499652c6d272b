"""compose.yaml as far as a parser can tell: a profile, a pinned image, a key from outside, loopback alone.

The commands of the language models fit the settings, and docs/llm.md has them to the letter.
"""

from __future__ import annotations

import re
import shlex
from importlib.metadata import version
from typing import Any

import pytest
import yaml

from server.settings import PROJECT, Settings
from server.variables import PREFIX

TABLE: dict[str, Any] = yaml.safe_load((PROJECT / "compose.yaml").read_text(encoding="utf-8"))
LLM_PAGE = (PROJECT / "docs" / "llm.md").read_text(encoding="utf-8")
BUILDS = ("ghcr.io/ggml-org/llama.cpp:server-cuda",)  # published by build, without versions


LODGE = {"lodge", "console", "counts", "front"}
OWN_IMAGE = {"lodge", "console", "crawler"}


def test_every_service_waits_for_its_profile() -> None:
    """`docker compose up` alone starts nothing: Lodge needs no other server."""
    for name, service in TABLE["services"].items():
        assert service["profiles"] == ["lodge" if name in LODGE else name]


def test_images_are_pinned_and_ports_are_on_loopback() -> None:
    for name, service in TABLE["services"].items():
        assert service["image"] in BUILDS or re.fullmatch(r"[\w./-]+:v?\d+\.\d+(\.\d+)?", service["image"])
        if name != "front":  # the one door to the outside
            assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_keys_come_from_the_settings_variables_and_have_no_default() -> None:
    named = re.findall(r"\$\{(\w+)([^}]*)\}", str(TABLE))
    settings = {(name, default) for name, default in named if name.startswith(PREFIX)}
    assert {("LODGE_TYPESENSE_KEY", ":-"), ("LODGE_LLM_KEY", ":-")} < settings
    assert {default for _, default in settings} == {":-"}
    assert all(hasattr(Settings(), name.removeprefix(PREFIX).lower()) for name, _ in settings)
    assert {name for name, _ in set(named) - settings} == {"ASK_DOMAIN", "CONSOLE_DOMAIN"}


def test_what_a_service_keeps_is_in_a_volume() -> None:
    for service in TABLE["services"].values():
        sources = {volume.split(":")[0] for volume in service.get("volumes", [])}
        files = {source for source in sources if source.startswith("./")}
        assert sources - files <= set(TABLE["volumes"])
        assert all((PROJECT / file).is_file() for file in files)


@pytest.mark.parametrize("name", sorted(LODGE | OWN_IMAGE))
def test_what_runs_beside_visitors_may_do_no_more_than_it_must(name: str) -> None:
    service = TABLE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    if name in OWN_IMAGE:
        assert service["image"] == f"lodge:{version('lodge')}"
        assert service["tmpfs"] == ["/tmp"]


def test_what_answers_has_no_way_out_of_the_inner_network() -> None:
    assert TABLE["networks"]["inside"] == {"internal": True}
    for name in ("lodge", "console", "counts"):
        assert TABLE["services"][name]["networks"] == ["inside"]


def test_every_network_that_is_used_is_declared() -> None:
    """The specification declares `default` by itself; podman-compose does not."""
    used = {name for service in TABLE["services"].values() for name in service["networks"]}
    assert used == set(TABLE["networks"])


def test_the_counts_let_their_neighbours_in() -> None:
    """Without a password a Valkey as its makers ship it serves its own machine alone."""
    command = TABLE["services"]["counts"]["command"]
    assert command[command.index("--protected-mode") + 1] == "no"
    assert TABLE["services"]["counts"].get("ports") is None


def test_lodge_stops_before_it_is_killed_and_believes_its_one_proxy() -> None:
    service = TABLE["services"]["lodge"]
    assert int(service["stop_grace_period"].removesuffix("s")) > Settings().stop_wait_s
    assert service["environment"]["LODGE_TRUSTED_HOPS"] == "1"
    caddy = (PROJECT / "ops" / "Caddyfile").read_text(encoding="utf-8")
    assert "reverse_proxy lodge:8000" in caddy
    assert "reverse_proxy console:8501" in caddy
    assert re.search(r"@inside path /metrics /readyz\s+respond @inside 404\s", caddy)
    assert re.search(r"handle_errors \{[^}]*Retry-After 5\s[^}]*not ready[^}]*\{err.status_code\}", caddy)


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
