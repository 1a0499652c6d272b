"""The architecture's import table (docs/architecture.md), held against every import in the code."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from server.settings import PROJECT

# What knows nothing of ours but how things fail.
LEAVES = {
    "errors",
    "models",
    "academic_terms",
    "written_hours",
    "sentences",
    "toml_files",
    "lexicons",
    "masking",
    "messages",
    "counting",
    "circuit_breaker",
}
STORES = {"inference", "index", "llm", "storage", "sites"}

# Room → what of ours it may import, besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "models": {"errors", "sentences"},
    "academic_terms": set(),
    "written_hours": {"academic_terms", "errors", "lexicons", "models"},
    "sentences": set(),
    "terminal": set(),
    "circuit_breaker": set(),
    "toml_files": {"errors"},
    "lexicons": {"errors", "toml_files"},
    "variables": set(),
    "calibration": {"toml_files", "variables"},
    "settings": {"calibration", "variables"},
    "counting": {"circuit_breaker", "errors"},
    "masking": {"errors", "models", "toml_files"},
    "messages": {"errors", "models", "toml_files"},
    **dict.fromkeys(STORES, LEAVES | {"settings"}),
    "ingest": LEAVES,
    "ask": LEAVES,
    "evaluate": {"errors", "models", "sentences"},
    "training": LEAVES | {"llm", "evaluate"},
    "http": LEAVES,
    "visitor": LEAVES | {"ask", "http", "storage"},
    "workbench": LEAVES | STORES | {"ask", "ingest", "evaluate", "settings", "http", "visitor", "wiring"},
    "wiring": LEAVES
    | STORES
    | {"ask", "ingest", "evaluate", "training", "calibration", "settings", "variables", "workbench"},
    "app": {
        "counting",
        "masking",
        "messages",
        "settings",
        "storage",
        "http",
        "visitor",
        "workbench",
        "wiring",
    },
    "cli": {"models", "wiring", "workbench", "http", "settings", "variables", "app", "terminal"},
}

# Library → the only places that import it.
ONLY_IN = {
    "onnxruntime": ("server/inference/session.py",),
    "duckdb": ("server/index/snapshot.py",),
    "litestar": ("server/http/", "server/visitor/", "server/workbench/", "server/app.py"),
    "sqlalchemy": ("server/storage/", "server/workbench/"),  # there in stores alone, see below
    "alembic": ("server/storage/",),
    "pdfplumber": ("server/ingest/documents/",),
    "mammoth": ("server/ingest/documents/",),
    "pptx": ("server/ingest/documents/",),
    "icalendar": ("server/ingest/documents/",),
    "dateutil": ("server/ingest/documents/",),
    "scrapy": ("server/ingest/crawl/",),
    "streamlit": ("admin/",),
    "httpx": ("admin/", "server/llm/"),
    "typesense": ("server/index/typesense/",),
    "markdown_it": ("server/visitor/rich_text.py",),
    "nh3": ("server/visitor/rich_text.py",),
    "prometheus_client": ("server/http/metrics.py",),
    "limits": ("server/counting.py",),
    "altair": ("server/evaluate/page/",),
    "stdnum": ("server/masking/checks.py",),
    "babel": ("server/messages/catalogue.py",),
    "ir_measures": ("server/evaluate/retrieval_metrics.py",),
}
MOCKS = {"mock", "pytest_mock", "mockito", "flexmock", "responses", "respx", "vcr"}

SOURCES = sorted(
    path
    for folder in ("server", "admin", "corpus", "scripts", "tests")
    for path in (PROJECT / folder).rglob("*.py")
)


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The dotted name of every module that a file imports, wherever in it, those for types only included."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name_of(path)} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(path: Path) -> str:
    """`server/ask/normalize.py` → ask, `server/cli/records.py` → cli."""
    return path.relative_to(PROJECT / "server").parts[0].removesuffix(".py")


def rooms_imported(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("server.")}


SERVER = [path for path in SOURCES if path.is_relative_to(PROJECT / "server") and room(path) != "__init__"]


@pytest.mark.parametrize("path", SERVER, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    assert rooms_imported(path) <= MAY_IMPORT[room(path)] | {room(path)}


def test_every_room_of_the_server_is_in_the_table() -> None:
    assert {room(path) for path in SERVER} <= set(MAY_IMPORT)


def test_no_two_classes_of_the_server_have_one_name() -> None:
    """Whoever looks for a noun finds one thing."""
    named = Counter(
        node.name
        for path in SERVER
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert len(named) > 100
    assert [name for name, times in named.items() if times > 1] == []


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_imported_in_its_place_alone(library: str) -> None:
    shipped = [path for path in SOURCES if not name_of(path).startswith(("tests/", "scripts/"))]
    users = {name_of(path) for path in shipped if any(i.split(".")[0] == library for i in imports(path))}
    assert users, f"nothing imports {library} any more"
    assert {user for user in users if not user.startswith(ONLY_IN[library])} == set()


WORKBENCH = [path for path in SERVER if room(path) == "workbench"]


@pytest.mark.parametrize("path", WORKBENCH, ids=name_of)
def test_a_feature_of_the_workbench_keeps_to_its_own_store(path: Path) -> None:
    """Other features' are handed to it; and only a store speaks to the database."""
    folder = ".".join(path.relative_to(PROJECT).parts[:-1])
    stores = {name.rsplit(".", 1)[0] for name in imports(path) if ".workbench." in name}
    shared = ("server.workbench.job_store",)  # every feature's long work
    foreign = {name for name in stores if name.endswith("store") and not name.startswith(f"{folder}.")}
    foreign -= set(shared)
    assert not foreign or path.name == "records.py"
    assert path.stem.endswith("store") or not any(name.startswith("sqlalchemy") for name in imports(path))


def test_the_console_knows_nothing_of_the_server() -> None:
    console = [path for path in SOURCES if name_of(path).startswith("admin/")]
    assert {
        name_of(path) for path in console if any(i.split(".")[0] == "server" for i in imports(path))
    } == set()


def test_nothing_mocks() -> None:
    for path in SOURCES:
        for name in imports(path):
            assert name.split(".")[0] not in MOCKS, name_of(path)
            assert not name.startswith("unittest.mock"), name_of(path)


def test_pytorch_is_imported_by_scripts_alone() -> None:
    heavy = {"torch", "transformers", "optimum"}
    users = {name_of(path) for path in SOURCES if any(i.split(".")[0] in heavy for i in imports(path))}
    assert {user for user in users if not user.startswith(("scripts/", "tests/scripts/"))} == set()


def test_the_guard_sees_an_import_inside_a_function(tmp_path: Path) -> None:
    """The test of this test: a lazy import and one for types count like any other."""
    path = tmp_path / "module.py"
    path.write_text("def f():\n    from server.http import x\nif TYPE_CHECKING:\n    import duckdb\n")
    assert sorted(imports(path)) == ["duckdb", "server.http.x"]
