"""The flow of an export, from what is ordered to a finished folder."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from scripts.exporting.card import card_text
from scripts.exporting.comparing import agreement
from scripts.exporting.findings import Findings, Given, find
from scripts.exporting.graph import Form, make_graph, save_tokenizer
from scripts.exporting.reference import reference_rows
from scripts.exporting.source import check_libraries, find_folder, source_name
from server.errors import ModelError
from server.inference.session import hash_of

NEEDED = ("torch", "transformers", "optimum", "onnx", "onnxruntime", "sentence_transformers")


@dataclass(frozen=True, slots=True)
class Order:
    """What to export, and how; what is None is found."""

    model: str
    output: Path
    form: Form
    name: str | None = None
    source: str | None = None
    golden: Path | None = None
    given: Given = field(default_factory=Given)


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished model folder, and how near it is to PyTorch, in a sentence."""

    folder: Path
    agreement: str


def export(order: Order) -> Exported:
    """A finished folder in `order.output`; one that is there is replaced when the new one is whole."""
    source = order.source or source_name(order.model)
    name = folder_name(order.name or f"{plain_name(source)}-{order.form.precision}")
    folder = find_folder(order.model)
    found = find(folder, (source, source_name(order.model)), order.given)
    check_libraries(*NEEDED)
    order.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=order.output, prefix=".export-") as scratch:
        made = Path(scratch, "made")
        made.mkdir()
        make_graph(folder, found, order.form, Path(scratch), made)
        save_tokenizer(folder, made)
        card = card_text(found, source, order.form.precision, hash_of(made))
        (made / "model.toml").write_text(card, encoding="utf-8")
        sentence = _compare(folder, made, found, order.golden)
        put_in_place(made, order.output / name, Path(scratch, "replaced"))
    return Exported(order.output / name, sentence)


def plain_name(source: str) -> str:
    """`BAAI/bge-large-en-v1.5` → bge-large-en-v1.5, `package:some_model` → some_model."""
    return source.rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def folder_name(name: str) -> str:
    """`name`, where it can be a folder's."""
    if Path(name).name != name or name.startswith("."):
        raise ModelError(f"{name!r} cannot be a folder's name; give another with --name.")
    return name


def put_in_place(made: Path, target: Path, replaced: Path) -> None:
    """`made` becomes `target`, what was there becomes `replaced`: two renames, nothing half-written."""
    if target.exists():
        target.rename(replaced)
    made.rename(target)


def _compare(folder: Path, made: Path, found: Findings, golden: Path | None) -> str:
    rows = reference_rows(folder, found)
    sentence = agreement(made, found, rows)
    if golden:
        golden.write_text(json.dumps(rows, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    return sentence
