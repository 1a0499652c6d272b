"""The check of a configured language model, against a scripted server."""

from __future__ import annotations

import pytest

pytest.importorskip("httpx", reason="the environment for exporting models has no HTTP client")

from scripts.check_llm import main
from tests.llm.scripted import says, serving, status

PATIENT = {"LODGE_LLM_FIRST_TOKEN_S": "30", "LODGE_LLM_CONNECT_S": "10", "LODGE_LLM_RETRIES": "0"}


def test_a_good_answer_is_told_with_its_times(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(says("The library opens ", "at noon. [1]")) as server:
        assert main({"LODGE_LLM_URL": server.url, **PATIENT}) == 0
    out = capsys.readouterr().out
    assert "Answer: The library opens at noon. [1]" in out
    assert "in 1 attempt(s); it ended with 'stop'." in out
    assert "11 tokens in, 2 out" in out


def test_no_answer_has_its_word(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(status(401)) as server:
        assert main({"LODGE_LLM_URL": server.url, "LODGE_LLM_KEY": "sk-wrong", **PATIENT}) == 1
    out = capsys.readouterr().out
    assert "No answer (refused): The language model's server does not accept LODGE_LLM_KEY" in out
    assert "sk-wrong" not in out


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({}, "LODGE_LLM_URL is empty"),
        ({"LODGE_LLM_URL": "gpu-box"}, "LODGE_LLM_URL takes an address"),
        ({"LODGE_LLM_URL": "http://x/v1", "LODGE_LLM_QUEUE": "-1"}, "LODGE_LLM_QUEUE is '-1'"),
    ],
)
def test_a_wrong_setting_is_one_sentence(
    environ: dict[str, str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(environ) == 1
    assert capsys.readouterr().out.startswith(sentence)
