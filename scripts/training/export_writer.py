"""Export a trained writer: its LoRA adapter as GGUF, by llama.cpp's own converter of a pinned version.

    .venv-train/bin/python -m scripts.training.export_writer --run var/writer/run --base FOLDER \\
        [--merged] [--gguf BASE.gguf]

writes `adapter.gguf` into the run's folder; with `--merged` also `merged/`, the whole model in transformers'
format, and `merged-f16.gguf`, which scripts.training.quantize_gguf makes small. `--gguf` is the file that the
base was unpacked from, if it was: the merged file gets its vocabulary, which transformers does not write as
the converter knows it. The converter comes with the source of
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
    parser.add_argument("--gguf", type=Path, help="the base's own file, for its vocabulary")
    parser.add_argument("--source", type=Path, default=PROJECT / "var" / "llama-source")
    args = parser.parse_args(arguments)
    llama = llama_source(args.source)
    if (args.run / "adapter").is_dir():
        adapter_as_gguf(llama, args.run / "adapter", args.base, args.run / "adapter.gguf")
    if args.merged or not (args.run / "adapter").is_dir():
        whole = args.run / "model"
        if not whole.is_dir():
            whole = merge(args.base, args.run / "adapter", args.run / "merged")
        file = args.run / "merged-f16.gguf"
        _convert(llama, "convert_hf_to_gguf.py", file, whole)
        if args.gguf:
            take_vocabulary(args.gguf, file)


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


def take_vocabulary(base: Path, file: Path) -> None:
    """Put the base's vocabulary and chat template into a GGUF file, in place of its own."""
    import gguf

    own, other = gguf.GGUFReader(file), gguf.GGUFReader(base)
    kept = [one for one in own.fields.values() if not one.name.startswith(("GGUF.", "tokenizer."))]
    taken = [one for one in other.fields.values() if one.name.startswith("tokenizer.")]
    part = file.with_suffix(".part")
    writer = gguf.GGUFWriter(part, own.fields["general.architecture"].contents())
    for one in [*kept, *taken]:
        if one.name != "general.architecture":
            sub_type = one.types[-1] if one.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(one.name, one.contents(), one.types[0], sub_type=sub_type)
    for tensor in own.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    part.replace(file)


def _convert(llama: Path, script: str, file: Path, *arguments: object) -> None:
    command = [sys.executable, llama / script, "--outtype", "f16", "--outfile", file, *arguments]
    subprocess.run(list(map(str, command)), check=True)


if __name__ == "__main__":
    main()
