"""What `pip install -e .` leaves out: serving does without, and whoever needs it is told how to get it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from server.cli.options import EXTRAS
from server.settings import PROJECT


def normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def libraries() -> dict[str, str]:
    """Every top-level module that an extra of pyproject.toml names the distribution of, with the extra."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    modules = {
        (normal(one), name)
        for name, distributions in packages_distributions().items()
        for one in distributions
    }
    return {
        name: extra
        for extra, requirements in project["optional-dependencies"].items()
        for requirement in requirements
        for distribution, name in modules
        if distribution == normal(re.split(r"[\[=<>]", requirement)[0])
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def python(script: str, *arguments: str, home: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "LODGE_HOME": str(home), **settings}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environ, capture_output=True, text=True, check=False
    )


def test_what_serves_imports_no_library_of_an_extra(tmp_path: Path) -> None:
    script = "import sys; import server.app, server.cli; print(*{name.split('.')[0] for name in sys.modules})"
    done = python(script, home=tmp_path)
    loaded = set(done.stdout.split())
    assert {"litestar", "duckdb", "server"} <= loaded
    assert loaded & set(libraries()) == set()


def test_every_library_of_an_extra_is_known_to_the_command_line() -> None:
    found = libraries()
    assert {name: found[name] for name in EXTRAS} == EXTRAS
    assert set(found.values()) == set(EXTRAS.values())


@pytest.mark.parametrize(
    ("library", "command", "settings"),
    [
        ("scrapy", ["crawl", "https://u.example/"], {}),
        ("lxml", ["index"], {}),
        ("streamlit", ["admin"], {}),
        ("ir_measures", ["eval", "--questions", "corpus/golden_questions.jsonl"], {}),
        ("typesense", ["typesense", "sync"], {}),
        ("psycopg", ["token", "list"], {"LODGE_RECORDS_URL": "postgresql://a:b@127.0.0.1/lodge"}),
        ("redis", ["serve"], {"LODGE_LIMIT_URL": "redis://127.0.0.1:1/0", "LODGE_PORT": str(free_port())}),
    ],
)
def test_a_command_names_the_extra_that_is_missing(
    library: str, command: list[str], settings: dict[str, str], tmp_path: Path
) -> None:
    script = f"import sys; sys.modules[{library!r}] = None; from server.cli import main; main()"
    done = python(script, *command, home=tmp_path, **settings)
    assert done.returncode == 1
    assert f'pip install -e ".[{EXTRAS[library]}]"' in done.stderr
