"""Compare the estimate of tokens with the tokenizers that come with llama.cpp's source, on pages of your own.

.venv-llama/bin/python -m scripts.research.writing.measure_token_estimate VOCABULARIES PAGES…

VOCABULARIES is the folder `models` of llama.cpp's source, whose `ggml-vocab-*.gguf` hold tokenizers without
models; PAGES are pages files (`.jsonl.gz`) with text. Pages are cut every 500 characters, and 300 pieces of a
file are compared with the largest count that any of the tokenizers makes of them.
"""

from __future__ import annotations

import gzip
import json
import random
import statistics
import sys
from pathlib import Path

from llama_cpp import Llama

from server.llm.tokens import upper_estimate

NAMES = [
    *("command-r", "deepseek-llm", "falcon", "gemma-4", "gpt-2"),
    *("llama-bpe", "llama-spm", "phi-3", "qwen2", "qwen35"),
]
PIECE_CHARS, PIECES = 500, 300


def pieces_of(path: Path) -> list[str]:
    """A random sample of a file's text."""
    pages = [json.loads(line).get("text") or "" for line in gzip.decompress(path.read_bytes()).splitlines()]
    pieces = [text[i : i + PIECE_CHARS] for text in pages for i in range(0, len(text), PIECE_CHARS)]
    return random.Random(1).sample(pieces, min(PIECES, len(pieces)))


def main(vocabularies: Path, paths: list[Path]) -> None:
    """A line a file."""
    tokenizers = [
        Llama(str(vocabularies / f"ggml-vocab-{name}.gguf"), vocab_only=True, verbose=False) for name in NAMES
    ]
    for path in paths:
        ratios = []
        for piece in pieces_of(path):
            raw = piece.encode(errors="replace")
            most = max(len(tokenizer.tokenize(raw, add_bos=False)) for tokenizer in tokenizers)
            ratios.append(upper_estimate(piece) / most)
        below = sum(ratio < 1 for ratio in ratios)
        print(f"{path}: {len(ratios)} pieces, estimate / largest count:", end=" ")
        print(f"least {min(ratios):.2f}, median {statistics.median(ratios):.2f}, below 1: {below}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
