"""One list of the steps: the pipeline opens, a trace holds and the documents tell the same ones."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from server.ask import pipeline, read
from server.ask.trace import STEPS
from server.inference.encoders import Embedder
from server.models.exchange import STEP_ALIASES, current_step
from server.settings import PROJECT
from server.wiring.opened import OpenedSnapshot
from tests.ask.asking import Flow

ASK = PROJECT / "server" / "ask"
_OPENED = re.compile(r'\.step\("([a-z.]+)"\)')
_TYPE = re.compile("[A-Z][a-z][A-Za-z]+")
_ROW = re.compile(r"^\| `([a-z]+)` \| `([a-z_/]+\.py)` \|", re.MULTILINE)


def opened_in(path: Path) -> list[str]:
    return _OPENED.findall(path.read_text(encoding="utf-8"))


def test_the_pipeline_opens_every_step() -> None:
    """What is found is read in read.py, and what a language model writes is opened where it is written
    (generate.py), for it is a stream."""
    files = (pipeline.__file__, read.__file__, ASK / "generate.py")
    opened = [name for file in files for name in opened_in(Path(file))]
    assert {name for name in opened if "." not in name} == set(STEPS)


def test_the_steps_of_one_question_stand_in_their_order() -> None:
    source = Path(pipeline.__file__).read_text(encoding="utf-8")
    body = source[source.index("def _answer_question") : source.index("def _challenge")]
    before, after = body.split("yield from read(")
    opened = [*_OPENED.findall(before), *opened_in(Path(read.__file__)), *_OPENED.findall(after)]
    assert [step for step in opened if "." not in step] == [step for step in STEPS if step in opened]


def test_the_documents_tell_the_same_steps_in_the_same_files() -> None:
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = _ROW.findall(page)
    assert [step for step, _ in rows] == list(STEPS)
    assert [file for _, file in rows if not (ASK / file).is_file()] == []


def step_modules() -> dict[str, Path]:
    """The module of each step, as the documents have it."""
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = [ASK / file for _, file in _ROW.findall(page)]
    return {path.relative_to(PROJECT).with_suffix("").as_posix().replace("/", "."): path for path in paths}


@pytest.mark.parametrize("path", step_modules().values(), ids=lambda path: path.stem)
def test_a_step_takes_from_another_at_most_the_type_of_its_result(path: Path) -> None:
    """It knows nothing of the pipeline; what steps share is in context.py, trace.py and the part folders."""
    steps = step_modules()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        assert node.module != "server.ask.pipeline"
        if node.module in steps:
            assert [one.name for one in node.names if not _TYPE.fullmatch(one.name)] == []


@pytest.mark.parametrize("text", ["Hello!", "When does the library open?", "Write a poem about dogs", "x"])
def test_a_trace_holds_no_other_step(text: str, opened: OpenedSnapshot, embedder: Embedder) -> None:
    final = Flow(opened, embedder).final(text, "hybrid")
    names = [step.step for step in final.trace.steps]
    assert {name.partition(".")[0] for name in names} <= set(STEPS)


def test_a_recorded_trace_is_read_by_the_present_names() -> None:
    assert {name.partition(".")[0] for name in STEP_ALIASES.values()} <= set(STEPS)
    assert current_step("gate") == "scope"
    assert current_step("scope") == "scope"
