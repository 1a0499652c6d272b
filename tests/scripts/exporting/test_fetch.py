"""Fetching from a hub, a small one on loopback that answers as the real one does."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.exporting.source import fetch
from server.errors import ModelError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
DESCRIPTIONS = {
    "config.json": b"{}",
    "1_Pooling/config.json": b"{}",
    "README.md": b"#",
    "tokenizer.json": b"{}",
}
OTHERS = {
    "onnx/model.onnx": b"large",
    "onnx/config.json": b"{}",
    "tf_model.h5": b"large",
    "rust_model.ot": b"l",
}
REPOSITORIES = {
    "BAAI/safe": DESCRIPTIONS | OTHERS | {"model.safetensors": b"w", "pytorch_model.bin": b"w"},
    "BAAI/pickled": DESCRIPTIONS | OTHERS | {"pytorch_model.bin": b"w"},
}


class Hub(http.server.BaseHTTPRequestHandler):
    """A repository's listing and its files; 404 in the hub's manner for any other."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self.wfile.write(self._answer())

    def _answer(self) -> bytes:
        status, body = self._find()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hash(self.path)}"')
        if status == 404:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()
        return body

    def _find(self) -> tuple[int, bytes]:
        for name, files in REPOSITORIES.items():
            if self.path.startswith(f"/api/models/{name}/revision/"):
                listing = {"id": name, "sha": COMMIT, "siblings": [{"rfilename": file} for file in files]}
                return 200, json.dumps(listing).encode()
            if self.path.startswith(f"/api/models/{name}/tree/"):  # newer clients list the files by this
                tree = [
                    {"type": "file", "path": file, "size": len(files[file]), "oid": "0"} for file in files
                ]
                return 200, json.dumps(tree).encode()
            file = self.path.removeprefix(f"/{name}/resolve/{COMMIT}/")
            if file in files:
                return 200, files[file]
        return 404, b""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name for it
        """Say nothing."""


@pytest.fixture
def hub() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize(
    ("model", "weights"), [("BAAI/safe", "model.safetensors"), ("BAAI/pickled", "pytorch_model.bin")]
)
def test_what_an_export_reads_is_fetched_and_nothing_else(
    hub: str, model: str, weights: str, tmp_path: Path
) -> None:
    folder = fetch(model, hub, tmp_path)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {*DESCRIPTIONS, weights}


def test_what_was_fetched_once_is_found_without_the_hub(hub: str, tmp_path: Path) -> None:
    folder = fetch("BAAI/safe", hub, tmp_path)
    assert fetch("BAAI/safe", "http://127.0.0.1:1", tmp_path) == folder


def test_a_name_that_the_hub_does_not_know_is_refused(hub: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="The hub has no model 'BAAI/none'"):
        fetch("BAAI/none", hub, tmp_path)


def test_a_hub_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'BAAI/safe' is no folder here, and the hub cannot be reached"):
        fetch("BAAI/safe", "http://127.0.0.1:1", tmp_path)


def test_a_name_that_no_hub_would_take_is_refused(hub: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not be fetched"):
        fetch("BAAI/double--dash..dots", hub, tmp_path)
