"""The client against real llama.cpp servers, with a model that the tests write.

llama-cpp-python's server is built once by `make test` (scripts/build_llama.py). llama-server itself, the one
of compose.yaml, is tried too where it is installed.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import httpx
import pytest

from scripts.build_llama import PYTHON, is_ready
from server.errors import LlmUnavailableError
from server.llm.client import ChatClient
from server.llm.options import ChatOptions
from server.llm.prompts import Scene, pack
from server.llm.wire import ChatMessage
from server.models import Passage

pytestmark = pytest.mark.skipif(
    not is_ready(), reason="llama.cpp is not built here: `make test` does it, where there is a C++ compiler"
)

WORDS = ["The", " library", " opens", " at", " nine", ".", " [1]", " Bibliothèque", " 图书馆", "。", " [2]"]
ANSWER = "".join(WORDS)
KEY, CONTEXT = "sk-tests", "8192"
SINGLE_FILE = ("--interrupt_requests", "false")  # else a new question ends the one before it
MESSAGES = (ChatMessage("system", "You are a test."), ChatMessage("user", "When is the library open?"))
PATIENT = {"connect_s": 10.0, "first_token_s": 60.0, "stall_s": 60.0, "total_s": 120.0, "tokenize_s": 60.0}


@dataclass(frozen=True)
class Kind:
    """A server, as it is started.

    `special` is how many tokens it counts beside those of a text, `too_long` how it takes a prompt that does
    not fit: llama-cpp-python's server says that all is well and then hangs up.
    """

    command: tuple[str, ...]
    special: int
    too_long: str


KINDS = {
    "llama-cpp-python": Kind(
        (str(PYTHON), "-m", "llama_cpp.server", "--n_ctx", CONTEXT, "--api_key", KEY, *SINGLE_FILE),
        special=1,
        too_long="broken",
    ),
    "llama-server": Kind(
        (shutil.which("llama-server") or "", "--ctx-size", CONTEXT, "--api-key", KEY, "--parallel", "1"),
        special=0,
        too_long="refused",
    ),
}


@dataclass
class Running:
    """A server that is up."""

    url: str
    kind: Kind
    process: subprocess.Popen[bytes]
    log: Path

    def client(self, **options: float | int | str) -> ChatClient:
        """A patient client with the right key."""
        return ChatClient(ChatOptions(self.url, **{"key": KEY, **PATIENT, **options}))  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    found = KINDS[request.param]
    if not found.command[0]:
        pytest.skip(f"{request.param} is not installed here")
    return found


def write_model(path: Path, *more: str) -> Path:
    """The model, written by the Python that has the `gguf` library."""
    script = Path(__file__).with_name("write_gguf.py")
    subprocess.run([str(PYTHON), str(script), str(path), *WORDS, *more], check=True)
    return path


@contextmanager
def running(kind: Kind, model: Path) -> Iterator[Running]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = model.with_suffix(f".{port}.log")
    command = [*kind.command, "--model", str(model), "--host", "127.0.0.1", "--port", str(port)]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        url = f"http://127.0.0.1:{port}/v1"
        try:
            wait_until_up(url, process, log)
            yield Running(url, kind, process, log)
        finally:
            process.terminate()


def wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Ask for its models until it has some."""
    for _ in range(1200):
        assert process.poll() is None, log.read_text(errors="replace")
        try:
            if httpx.get(f"{url}/models", headers={"Authorization": f"Bearer {KEY}"}).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))


@pytest.fixture(scope="module")
def server(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose model gives one answer."""
    with running(kind, write_model(tmp_path_factory.mktemp("gguf") / "tiny.gguf")) as up:
        yield up


@pytest.fixture(scope="module")
def chatterbox(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server whose model begins again and again."""
    with running(kind, write_model(tmp_path_factory.mktemp("gguf") / "again.gguf", "--again")) as up:
        yield up


def test_the_answer_comes_word_by_word(server: Running) -> None:
    client, pieces = server.client(), []
    stream = client.stream(MESSAGES)
    while True:
        try:
            pieces.append(next(stream))
        except StopIteration as end:
            finish = end.value
            break
    client.close()
    assert "".join(pieces) == ANSWER
    assert len(pieces) > 1
    assert (finish.reason, finish.attempts) == ("stop", 1)


def test_a_packed_prompt_is_answered_and_its_tokens_are_the_models_own(server: Running) -> None:
    """The tiny model has a token for each byte, so its count can be known."""
    client = server.client()
    passages = [
        Passage(n, f"https://x.example/{n}", "Library", "", "It opens at nine. " * 5) for n in range(9)
    ]
    packed = pack("When?", passages, Scene("Larkmoor", date(2025, 3, 3)), 1_900, client.count_tokens)
    assert 0 < len(packed.passages) < 9
    assert packed.tokens <= 1_900
    assert client.complete(packed.messages) == ANSWER
    counted = client.count_tokens("Wann öffnet sie?")
    client.close()
    assert counted == server.kind.special + len("Wann öffnet sie?".encode())


def test_an_answer_may_have_so_many_tokens(chatterbox: Running) -> None:
    client = chatterbox.client()
    assert client.complete(MESSAGES, answer_tokens=5) == "".join(WORDS[:5])
    client.close()


def test_a_prompt_that_is_too_long_gets_no_answer(server: Running) -> None:
    client = server.client(retries=0)
    with pytest.raises(LlmUnavailableError) as caught:
        client.complete((ChatMessage("user", "x" * 9_000),))
    client.close()
    assert caught.value.trouble == server.kind.too_long


def test_a_wrong_key_is_refused(server: Running) -> None:
    client = server.client(key="sk-wrong")
    with pytest.raises(LlmUnavailableError, match="LODGE_LLM_KEY") as caught:
        client.complete(MESSAGES)
    client.close()
    assert caught.value.trouble == "refused"


def test_whoever_leaves_makes_room_for_the_next(chatterbox: Running) -> None:
    """The servers answer one at a time, and this answer fills the whole context."""
    client = chatterbox.client()
    for _ in range(3):
        stream = client.stream(MESSAGES, answer_tokens=100_000)
        assert next(stream) == "The"
        stream.close()
    assert client.complete(MESSAGES, answer_tokens=3) == "The library opens"
    client.close()


def test_a_server_that_was_stopped_is_down(kind: Kind, tmp_path: Path) -> None:
    with running(kind, write_model(tmp_path / "tiny.gguf")) as up:
        client = up.client()
        assert client.complete(MESSAGES) == ANSWER
    with pytest.raises(LlmUnavailableError) as caught:
        client.complete(MESSAGES)
    client.close()
    assert caught.value.trouble == "down"
