"""What the documents promise is what the code does."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import click
import pytest

from scripts import write_accessibility_doc
from scripts.write_settings_doc import PAGE, settings_page
from server.cli import main
from server.settings import PROJECT, Settings
from server.variables import PREFIX

READ = {".py", ".md", ".toml", ".jsonl", ".txt", ".lock", ".html", ".ts", ".yml", ".yaml", ".json", ".conf"}
A_MACHINES_PATH = re.compile(r"(?<![\w./:~-])/(?:home|Users|root|work)/[a-z]\w*")
DOCUMENTS = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]


def commands(group: click.Group = main, prefix: str = "lodge") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield f"{prefix} {name}", command


def all_documents() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)


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
    elsewhere |= {"LODGE_TEST_TYPESENSE_URL", "LODGE_TEST_TYPESENSE_KEY", "LODGE_EXAMPLES"}
    assert set(re.findall(r"\bLODGE_[A-Z_]+\b", all_documents())) <= known | elsewhere


@pytest.mark.parametrize(("name", "command"), list(commands()))
def test_every_command_and_option_explains_itself(name: str, command: click.Command) -> None:
    assert command.help, name
    assert all(p.help for p in command.params if isinstance(p, click.Option)), name
