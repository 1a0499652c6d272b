"""Counts what the house is made of: files, functions, Protocols, names, and the modules that one question
runs.

    .venv/bin/python -m scripts.research.house

The question is asked over the small college of the tests, through the whole server, without a language model.
"""

from __future__ import annotations

import ast
import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import distributions
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import FrameType

PROJECT = Path(__file__).resolve().parents[2]
SERVER = PROJECT / "server"
PRODUCT = ("server", "admin")
QUESTION = "When is the library open?"


def sources(*folders: str) -> list[Path]:
    """The Python files of these folders."""
    return sorted(path for folder in folders for path in (PROJECT / folder).rglob("*.py"))


def lines(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def classes(path: Path) -> Iterator[ast.ClassDef]:
    """The classes of a file, wherever in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def is_protocol(node: ast.ClassDef) -> bool:
    """Whether a class is a Protocol."""
    return any(ast.unparse(base).split("[")[0] in ("Protocol", "typing.Protocol") for base in node.bases)


def count() -> dict[str, object]:
    """The figures of the listing."""
    files = [path for path in sources("server") if "migrations" not in path.parts and lines(path) > 1]
    own = [node for path in files for node in classes(path)]
    names = Counter(node.name for node in own if not node.name.startswith("_"))
    folders = Counter(path.parent.relative_to(PROJECT).as_posix() for path in sources("server"))
    return {
        "files": len(files),
        "median_lines": median(map(lines, files)),
        "over_400_lines": {path.name: lines(path) for path in files if lines(path) > 400},
        "folders_over_25_files": {name: n for name, n in folders.items() if n > 25},
        "classes": len(own),
        "protocols": sum(map(is_protocol, own)),
        "class_names_twice": sorted(name for name, n in names.items() if n > 1),
        "product_lines": sum(map(lines, sources(*PRODUCT))),
        "packages_installed": len({dist.metadata["Name"].lower() for dist in distributions()}),
    }


def modules_of_one_question() -> dict[str, object]:
    """Our modules and functions that run between a request and its response, and hand-overs between files."""
    from litestar.testing import TestClient

    from server.app import create_app
    from server.wiring.serving import build_serving
    from tests import small_site

    seen: list[tuple[str, str]] = []
    listening = threading.Event()

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and listening.is_set() and path.startswith(str(SERVER)):
            seen.append((path, frame.f_code.co_qualname))

    threading.setprofile(note)  # before any thread is started
    sys.setprofile(note)
    with tempfile.TemporaryDirectory() as folder:
        settings = small_site.settings_for(Path(folder))
        small_site.index_pages(settings, small_site.kept_pages() + small_site.dropped_pages())
        with TestClient(create_app(settings, build_serving(settings))) as client:
            client.post("/api/ask", json={"question": "Where can visitors park?"})
            listening.set()
            answer = client.post("/api/ask", json={"question": QUESTION})
            listening.clear()
    if answer.is_error:
        raise SystemExit(answer.text)
    files = [path for path, _ in seen]
    return {
        "modules": len(set(files)),
        "functions": len(set(seen)),
        "hand_overs": sum(a != b for a, b in pairwise(files)),
        "named": sorted({Path(path).relative_to(SERVER).as_posix() for path in files}),
    }


if __name__ == "__main__":
    print(json.dumps(count() | {"one_question": modules_of_one_question()}, indent=1))
