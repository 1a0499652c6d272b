"""The command line of `scripts/export_models.py`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.exporting.export import Order, export
from scripts.exporting.findings import POOLINGS, Given
from scripts.exporting.graph import PRECISIONS, Form
from server.errors import ModelError

MODELS = Path(__file__).resolve().parent.parent.parent / "onnx_models"


def main(arguments: Sequence[str] | None = None, description: str | None = None) -> int:
    """Export what the arguments say, tell where it is; the exit status."""
    order = _order(_parser(description).parse_args(arguments))
    try:
        exported = export(order)
    except (ModelError, OSError) as error:  # a full disk, a folder that may not be written
        print(error, file=sys.stderr)
        return 1
    size = sum(file.stat().st_size for file in exported.folder.glob("model.onnx*"))
    print(f"{exported.folder}: {size / 1e6:.1f} MB. {exported.agreement}")
    return 0


def _parser(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="a hub name, a local folder, or package:NAME")
    parser.add_argument("--precision", choices=PRECISIONS, default="int8", help="default: int8")
    parser.add_argument("--optimize", action="store_true", help="fuse operators for onnxruntime")
    parser.add_argument("--output", type=Path, default=MODELS, help="where to; default: onnx_models")
    parser.add_argument("--name", help="the folder's name; default: the model's name and precision")
    parser.add_argument("--golden", type=Path, help="also write what PyTorch says to this JSON file")
    found = parser.add_argument_group("found in the model's own files; given here, these overrule them")
    found.add_argument("--source", help="what model.toml names as the source; default: --model")
    found.add_argument("--licence", help="SPDX name")
    found.add_argument("--pooling", choices=POOLINGS)
    found.add_argument("--normalize", action=argparse.BooleanOptionalAction, help="scale vectors to length 1")
    found.add_argument("--max-tokens", type=int)
    found.add_argument("--query-prefix", help="put before every question")
    found.add_argument("--passage-prefix", help="put before every passage")
    return parser


def _order(args: argparse.Namespace) -> Order:
    given = Given(
        licence=args.licence,
        pooling=args.pooling,
        normalize=args.normalize,
        max_tokens=args.max_tokens,
        query_prefix=args.query_prefix,
        passage_prefix=args.passage_prefix,
    )
    return Order(
        model=args.model,
        output=args.output,
        form=Form(args.precision, args.optimize),
        name=args.name,
        source=args.source,
        golden=args.golden,
        given=given,
    )
