"""Every call of the console, held against the server's own description of its API."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.app import create_app
from server.settings import PROJECT, Settings
from server.wiring.serving import build_serving
from tests import small_site

METHODS = {"get": "get", "slowly": "get", "file": "get", "post": "post", "put": "put", "delete": "delete"}
ROOT = "/admin/api/v1"


@dataclass(frozen=True)
class Call:
    """A call as it stands in the console's code; a segment that is no literal is None."""

    where: str
    method: str
    segments: tuple[str | None, ...]
    params: frozenset[str]
    body: frozenset[str] | None

    def names(self, path: str) -> bool:
        """Whether a path of the description is the one it asks for: a literal goes before a parameter."""
        parts = path.removeprefix(ROOT).strip("/").split("/")
        return len(parts) == len(self.segments) and all(
            part.startswith("{") if own is None else part == own
            for part, own in zip(parts, self.segments, strict=True)
        )


def calls() -> Iterator[Call]:
    for path in sorted((PROJECT / "admin").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (found := _call(node, path)):
                yield found


def _call(node: ast.Call, path: Path) -> Call | None:
    function, given = node.func, node.args
    if ast.unparse(function) == "partial":
        function, given = given[0], given[1:]
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if not isinstance(function, ast.Attribute) or owner not in ("api", "api()", "session.api()"):
        return None
    segments = tuple(str(one.value) if isinstance(one, ast.Constant) else None for one in given)
    params = frozenset(one.arg for one in node.keywords if one.arg and one.arg != "body")
    body = next((one.value for one in node.keywords if one.arg == "body"), None)
    keys = body.keys if isinstance(body, ast.Dict) else None
    fields = frozenset(str(key.value) for key in keys if isinstance(key, ast.Constant)) if keys else None
    where = f"{path.relative_to(PROJECT).as_posix()}:{node.lineno}"
    return Call(where, METHODS[function.attr], segments, params, fields)


CALLS = list(calls())


@pytest.fixture(scope="module")
def described(small_home: Settings, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    own = small_site.settings_for(tmp_path_factory.mktemp("described"))
    shutil.copytree(small_home.snapshots_dir, own.snapshots_dir, symlinks=True)
    return create_app(own, build_serving(own)).openapi_schema.to_schema()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.where)
def test_the_server_has_what_the_console_asks_for(call: Call, described: dict[str, Any]) -> None:
    paths = described["paths"]
    named = [path for path in paths if path.startswith(ROOT) and call.names(path)]
    assert len(named) == 1, f"{call.segments} is no address of the admin API"
    operation = paths[named[0]].get(call.method)
    assert operation, f"{named[0]} takes no {call.method}"
    known = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
    assert call.params <= known
    if call.body is not None:
        assert call.body <= _fields(operation["requestBody"], described)


def _fields(body: dict[str, Any], described: dict[str, Any]) -> set[str]:
    schema = body["content"]["application/json"]["schema"]
    if name := schema.get("$ref", "").rpartition("/")[2]:
        schema = described["components"]["schemas"][name]
    return set(schema["properties"])


def test_the_calls_are_found() -> None:
    assert len(CALLS) > 50
    assert {call.method for call in CALLS} == {"get", "post", "put", "delete"}
