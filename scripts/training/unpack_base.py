"""Unpack a GGUF file: weights, dequantised, and tokenizer as a folder in transformers' format.

    .venv-train/bin/python -m scripts.training.unpack_base --gguf FILE.gguf --out FOLDER

A model tuned on dequantised weights is tuned on the very ones that its GGUF file serves, so an adapter fits
both.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    """Unpack it."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    where, file = str(args.gguf.parent), args.gguf.name
    AutoModelForCausalLM.from_pretrained(where, gguf_file=file, dtype="float32").save_pretrained(args.out)
    AutoTokenizer.from_pretrained(where, gguf_file=file).save_pretrained(args.out)
    drop_copy(args.out)


def drop_copy(folder: Path) -> None:
    """Take away the GGUF file that transformers keeps as `tokenizer.model`: llama.cpp's converter would read
    it as a vocabulary of SentencePiece."""
    copy = folder / "tokenizer.model"
    if copy.exists():
        with copy.open("rb") as opened:
            is_gguf = opened.read(4) == b"GGUF"
        if is_gguf:
            copy.unlink()


if __name__ == "__main__":
    main()
