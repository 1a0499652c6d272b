"""Build a llama.cpp server for the tests, once, in `.venv-llama`: about two minutes of two cores.

.venv/bin/python -m scripts.build_llama

llama-cpp-python comes as source. Built is the least that serves a model on a CPU: without the libraries of
llama.cpp's tools and of images, and not for the fastest code. Without a compiler nothing is built, and the
tests that need it are skipped.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Mapping
from pathlib import Path

from server.settings import PROJECT

FOLDER = PROJECT / ".venv-llama"
PYTHON = FOLDER / "bin" / "python"
READY = FOLDER / ".ready"
LOCKS = [PROJECT / "requirements" / name for name in ("llama-build.lock", "llama.lock")]
CMAKE_ARGS = {
    "LLAVA_BUILD": "OFF",
    "GGML_NATIVE": "OFF",  # pip keeps what it built, perhaps for another machine
    "CMAKE_PROJECT_llama.cpp_INCLUDE": str(PROJECT / "scripts" / "llama_without_common.cmake"),
    "CMAKE_C_FLAGS_RELEASE": "-O1",
    "CMAKE_CXX_FLAGS_RELEASE": "-O1",
}
COMPILERS = (("c++", "CXX"), ("cc", "CC"))


def is_ready() -> bool:
    """Whether it has been built from the requirements as they are now."""
    return READY.exists() and READY.read_text(encoding="utf-8") == wanted()


def wanted(cmake_args: Mapping[str, str] | None = None) -> str:
    """What a finished environment was built from."""
    return "".join([*(path.read_text(encoding="utf-8") for path in LOCKS), repr(cmake_args or CMAKE_ARGS)])


def has_compilers() -> bool:
    """Whether C and C++ can be compiled here."""
    return all(name in os.environ or shutil.which(command) for command, name in COMPILERS)


def build() -> None:
    """Make the environment anew; `CalledProcessError` or `OSError` when a step fails."""
    build_into(FOLDER, CMAKE_ARGS)
    READY.write_text(wanted(), encoding="utf-8")


def build_into(folder: Path, cmake_args: Mapping[str, str]) -> None:
    """An environment with a server built by these arguments, made anew; it fails as `build` does."""
    venv.create(folder, clear=True, with_pip=True)
    arguments = " ".join(shlex.quote(f"-D{name}={value}") for name, value in cmake_args.items())
    environ = {"CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1), **os.environ, "CMAKE_ARGS": arguments}
    for lock in LOCKS:
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--no-deps", "--require-hashes"]
        subprocess.run([*pip, "--no-build-isolation", "-r", str(lock)], check=True, env=environ)


def main() -> int:
    """Build it if need be. A build that fails is an error for CI alone; elsewhere the tests are skipped."""
    if is_ready():
        return 0
    if not has_compilers():
        print("No C++ compiler here: the tests against a real llama.cpp server will be skipped.")
        return 0
    print("Building llama.cpp for the tests (once; a few minutes) …", flush=True)
    start = time.monotonic()
    try:
        build()
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"llama.cpp could not be built, so tests will be skipped: {error}")
        return 1 if os.environ.get("CI") else 0
    print(f"Built in {time.monotonic() - start:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
