"""What the documents promise is what the code does."""

from __future__ import annotations

import ast
import dataclasses
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from scripts import write_accessibility_doc
from scripts.write_settings_doc import PAGE, settings_page
from server.ask.trace import STEPS
from server.cli import main
from server.settings import PROJECT, Settings
from server.variables import PREFIX

READ = {".py", ".md", ".toml", ".jsonl", ".txt", ".lock", ".html", ".ts", ".yml", ".yaml", ".json", ".conf"}
A_MACHINES_PATH = re.compile(r"(?<![\w./:~-])/(?:home|Users|root|work)/[a-z]\w*")
DOCUMENTS = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
GUIDES = [*DOCUMENTS, PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "corpus").rglob("README.md"))]
A_PATH = re.compile(r"(?:\.\./)*[\w.*-]+(?:/[\w.*-]*)*…?(?:::\w+)?")
SET_UP = {"node_modules", "var"}  # by `make run` and `make test`
ARCHITECTURE = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
NUMBERS = {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
A_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)")
A_MODULE = re.compile(r"\b(?:python3?|…) -m ((?:scripts|server|corpus|tests|admin)[\w.]*)")


def commands(group: click.Group = main, prefix: str = "lodge") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield f"{prefix} {name}", command


def all_documents() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)


@cache
def in_the_repository() -> frozenset[str]:
    """Every file, and every folder of one, from the root and from any folder on the way."""
    paths: set[Path] = set()
    for folder, folders, files in os.walk(PROJECT):
        folders[:] = [one for one in folders if not one.startswith((".", "__py")) and one not in SET_UP]
        for file in files:
            path = Path(folder, file).relative_to(PROJECT)
            paths.update((path, *path.parents))
    return frozenset("/".join(path.parts[i:]) for path in paths for i in range(len(path.parts)))


def names_a_path(said: str) -> bool:
    """Whether words in backticks are a path: of code or a text, or from the root or a room of `server`."""
    if not A_PATH.fullmatch(said):
        return False
    first, *others = said.split("/")
    rooms = {path.name for folder in (PROJECT, PROJECT / "server") for path in folder.iterdir()} - SET_UP
    is_code = said.partition("::")[0].endswith((".py", ".md", ".ts"))
    return is_code or bool(others and first in rooms)


def is_there(said: str, document: Path) -> bool:
    """Whether it is in the repository, from its root, from any folder in it, or from the document's."""
    named, _, test = said.rstrip("…").partition("::")
    if test:
        file = PROJECT / named
        return file.is_file() and f"def {test}(" in file.read_text(encoding="utf-8")
    if "*" in named:
        return any(PROJECT.glob(named))
    return (document.parent / named).exists() or named.rstrip("/") in in_the_repository()


@pytest.mark.parametrize("document", GUIDES, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_every_path_in_backticks_is_there(document: Path) -> None:
    said = re.findall(r"`([^`\n]+)`", document.read_text(encoding="utf-8"))
    assert [one for one in said if names_a_path(one) and not is_there(one, document)] == []


@pytest.mark.parametrize("document", GUIDES, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(document: Path) -> None:
    for name, heading in A_LINK.findall(document.read_text(encoding="utf-8")):
        target = document.parent / name if name else document
        assert target.exists(), name
        if heading:
            assert heading in headings(target.read_text(encoding="utf-8")), f"{name}#{heading}"


@pytest.mark.parametrize(("way", "most"), [("question", 12), ("page", 10)])
def test_a_stranger_follows_a_question_and_a_page_in_few_files(way: str, most: int) -> None:
    files, count = files_to_read(way)
    assert [file for file in files if not (PROJECT / "server" / file).is_file()] == []
    assert len(set(files)) == len(files) == NUMBERS[count]
    assert len(files) <= most


def test_every_step_is_one_import_away_from_what_a_stranger_reads() -> None:
    """From the pipeline or where what is found is read; what checks a language model's sentences, from where
    they are written."""
    files, _ = files_to_read("question")
    read = [PROJECT / "server" / file for file in ("ask/pipeline.py", "ask/read.py", "ask/generate.py")]
    steps = dict(re.findall(r"^\| `([a-z]+)` \| `([a-z_/]+)\.py` \|", ARCHITECTURE, re.MULTILINE))
    imported = {
        node.module
        for path in read
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    assert {"ask/pipeline.py", "ask/read.py"} <= set(files)
    assert [step for step in STEPS if f"server.ask.{steps[step].replace('/', '.')}" not in imported] == []


def files_to_read(way: str) -> tuple[list[str], str]:
    """The files in which `docs/architecture.md` has a question or a page followed, and how many it says."""
    [(listed, count)] = re.findall(rf"\*\*To follow one {way}\*\*, read ([^:]+): (\w+)\sfiles", ARCHITECTURE)
    return re.findall(r"`([^`]+)`", listed), count


def test_the_architecture_names_every_file_of_the_two_journeys_and_every_feature() -> None:
    """Whoever has read it knows of each what it is for."""
    rooms = ("ask", "ingest", "index")
    files = {path for room in rooms for path in (PROJECT / "server" / room).rglob("*.py")}
    names = {path.name for path in files} - {"__init__.py"}
    features = {path.parent.name for path in (PROJECT / "server" / "workbench").glob("*/__init__.py")}
    named = {said.rpartition("/")[2] for said in re.findall(r"`([\w/.]+)`", ARCHITECTURE)}
    assert len(names) > 100
    assert (names | features) - named == set()


def headings(text: str) -> set[str]:
    """The anchors of a Markdown page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_module_that_a_command_runs_is_there() -> None:
    named = {name for path in GUIDES for name in A_MODULE.findall(path.read_text(encoding="utf-8"))}
    missing = {
        name
        for name in named
        for path in [PROJECT.joinpath(*name.split("."))]
        if not path.with_suffix(".py").is_file() and not (path / "__main__.py").is_file()
    }
    assert named
    assert missing == set()


def test_the_settings_page_is_what_the_code_would_write() -> None:
    assert PAGE.read_text(encoding="utf-8") == settings_page(), "run python -m scripts.write_settings_doc"


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    """Documents, code and settings are read elsewhere; `/home/…` there is nobody's business."""
    ours = [
        PROJECT / name
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")
    ]
    for folder in (
        "server",
        "admin",
        "corpus",
        "scripts",
        "tests",
        "docs",
        "ops",
        "requirements",
        "widget/src",
    ):
        ours += [path for path in (PROJECT / folder).rglob("*") if path.suffix in READ]
    named = {
        path.relative_to(PROJECT).as_posix()
        for path in ours
        if A_MACHINES_PATH.search(path.read_text("utf-8"))
    }
    assert named == set()


def test_the_accessibility_report_is_what_the_tests_show() -> None:
    written = write_accessibility_doc.PAGE.read_text(encoding="utf-8")
    assert written == write_accessibility_doc.report(), "run python -m scripts.write_accessibility_doc"


@pytest.mark.parametrize("field", dataclasses.fields(Settings), ids=lambda field: field.name)
def test_every_setting_has_a_row_with_its_sentence(field: dataclasses.Field[object]) -> None:
    [row] = [
        line
        for line in settings_page().splitlines()
        if line.startswith(f"| `{PREFIX}{field.name.upper()}` |")
    ]
    assert row.endswith(f"| {field.metadata['sentence']} |")


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_every_command_is_in_the_readme_or_the_docs(name: str) -> None:
    assert re.search(rf"{name}\b", all_documents())


@pytest.mark.parametrize(
    "option",
    sorted({o for _, c in commands() for p in c.params if isinstance(p, click.Option) for o in p.opts}),
)
def test_every_option_is_in_the_readme_or_the_docs(option: str) -> None:
    assert re.search(rf"{option}\b", all_documents())


def test_every_lodge_command_in_the_documents_is_one() -> None:
    known = {name.split()[1] for name, _ in commands()}
    named = set(re.findall(r"(?:`|\$ |bin/)lodge ([a-z]+)", all_documents()))
    assert named <= known


def test_every_variable_in_the_documents_is_a_setting_or_known_elsewhere() -> None:
    known = {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)}
    elsewhere = {"LODGE_DATA", "LODGE_API_URL", "LODGE_API_TOKEN", "LODGE_ADMIN_TOKEN"}
    elsewhere |= {"LODGE_TEST_TYPESENSE_URL", "LODGE_TEST_TYPESENSE_KEY", "LODGE_EXAMPLES", "LODGE_DEMO_GGUF"}
    assert set(re.findall(r"\bLODGE_[A-Z_]+\b", all_documents())) <= known | elsewhere


@pytest.mark.parametrize(("name", "command"), list(commands()))
def test_every_command_and_option_explains_itself(name: str, command: click.Command) -> None:
    assert command.help, name
    assert all(p.help for p in command.params if isinstance(p, click.Option)), name
