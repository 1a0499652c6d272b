"""Export a trained writer: its LoRA adapter as GGUF, by llama.cpp's own converter of a pinned version.

    .venv-train/bin/python -m scripts.training.export_writer --run var/writer/run --base FOLDER [--merged]

writes `adapter.gguf` into the run's folder; with `--merged` also `merged/`, the whole model in transformers'
format, and `merged-f16.gguf`, which `llama-quantize` makes small. The converter comes with the source of
llama-cpp-python, in the version of `requirements/llama.lock`, from the package index.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from server.settings import PROJECT

PACKAGE = "llama-cpp-python"


def main(arguments: Sequence[str] | None = None) -> None:
    """Export it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--merged", action="store_true")
    parser.add_argument("--source", type=Path, default=PROJECT / "var" / "llama-source")
    args = parser.parse_args(arguments)
    llama = llama_source(args.source)
    if (args.run / "adapter").is_dir():
        adapter_as_gguf(llama, args.run / "adapter", args.base, args.run / "adapter.gguf")
    if args.merged or not (args.run / "adapter").is_dir():
        whole = args.run / "model"
        if not whole.is_dir():
            whole = merge(args.base, args.run / "adapter", args.run / "merged")
        _convert(llama, "convert_hf_to_gguf.py", args.run / "merged-f16.gguf", whole)


def pinned_version() -> str:
    """The version of llama-cpp-python that the tests' server is built from."""
    lock = (PROJECT / "requirements" / "llama.lock").read_text(encoding="utf-8")
    [version] = re.findall(rf"^{PACKAGE}==(\S+)", lock, re.MULTILINE)
    return str(version)


def llama_source(folder: Path) -> Path:
    """llama.cpp's own source inside that of llama-cpp-python, fetched once."""
    name = f"{PACKAGE.replace('-', '_')}-{pinned_version()}"
    source = folder / name / "vendor" / "llama.cpp"
    if not source.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", PACKAGE]
        subprocess.run([*pip, f"{PACKAGE}=={pinned_version()}", "-d", str(folder)], check=True)
        with tarfile.open(folder / f"{name}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return source


def adapter_as_gguf(llama: Path, adapter: Path, base: Path, file: Path) -> None:
    """The adapter in half precision."""
    _convert(llama, "convert_lora_to_gguf.py", file, adapter, "--base", base)


def merge(base: Path, adapter: Path, to: Path) -> Path:
    """The base with the adapter added to its weights."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(base, dtype="float32")
    PeftModel.from_pretrained(model, str(adapter)).merge_and_unload().save_pretrained(to)
    AutoTokenizer.from_pretrained(base).save_pretrained(to)
    return to


def _convert(llama: Path, script: str, file: Path, *arguments: object) -> None:
    command = [sys.executable, llama / script, "--outtype", "f16", "--outfile", file, *arguments]
    subprocess.run(list(map(str, command)), check=True)


if __name__ == "__main__":
    main()
