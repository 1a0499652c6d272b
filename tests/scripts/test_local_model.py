"""The small model of `make demo-llm`: which command serves it, and what is refused."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from scripts import build_llama, local_model
from scripts.local_model import MODEL, fetch_model, free_port, server_command, serving

ADAPTER = Path("adapter.gguf")


def test_an_installed_llama_server_is_taken_with_the_adapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "llama-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    command = server_command(Path("model.gguf"), ADAPTER, 8130, 1024, 2)
    assert command[0] == str(program)
    assert command[-2:] == ["--lora", "adapter.gguf"]
    assert "--lora" not in server_command(Path("model.gguf"), None, 8130, 1024, 2)


def test_else_the_one_that_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(local_model, "FOLDER", tmp_path)
    (tmp_path / ".ready").write_text(build_llama.wanted(local_model.FAST))
    command = server_command(Path("model.gguf"), ADAPTER, 8130, 1024, 2)
    assert command[:3] == [str(tmp_path / "bin" / "python"), "-m", "llama_cpp.server"]
    assert command[-2:] == ["--lora_path", "adapter.gguf"]


def test_without_server_and_compiler_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CC", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(local_model, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="no C\\+\\+ compiler"):
        server_command(Path("model.gguf"), None, 8130, 1024, 2)


def test_another_file_of_that_name_is_not_served(tmp_path: Path) -> None:
    (tmp_path / MODEL).write_bytes(b"GGUF")
    with pytest.raises(ValueError, match="is not the model"):
        fetch_model(tmp_path)


def test_a_server_that_ends_at_once_did_not_start(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such model')"]
    log = tmp_path / "server.log"
    with pytest.raises(ValueError, match="did not start"), serving(command, free_port(), log):
        pass
    assert "no such model" in log.read_text()


STUBBORN = """
import signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

signal.signal(signal.SIGTERM, signal.SIG_IGN)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_a_server_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_model, "STOP_S", 0.1)
    port = free_port()
    with serving([sys.executable, "-c", STUBBORN, str(port)], port, tmp_path / "server.log") as url:
        assert url == f"http://127.0.0.1:{port}/v1"
    with socket.create_server(("127.0.0.1", port)):
        pass  # nobody has the port any more
