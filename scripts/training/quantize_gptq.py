"""Quantize a merged writer with GPTQ to 4 bits, for vLLM, and hold it beside the GGUF file's answers.

    python3 -m venv .venv-gptq && .venv-gptq/bin/pip install torch==2.13.0 setuptools
    BUILD_CUDA_EXT=0 .venv-gptq/bin/pip install --no-build-isolation gptqmodel==5.6.12
    .venv-gptq/bin/pip install transformers==4.57.6 torchao==0.14.1 "datasets<4.5" "kernels<0.11"
    .venv-gptq/bin/python -m scripts.training.quantize_gptq --model var/writer/run/merged \\
        --data var/writer/chat --out var/writer/run/gptq --answers var/writer/answers.jsonl

It is loaded again for that. On a GPU where there is one; a small model takes minutes on a CPU. `--answers` is
what `scripts.training.compare_writers` kept of the finetuned GGUF; the quantized model answers the same chats
of `aside.jsonl`, greedily, and the figures are of the same kind. gptqmodel wants an environment of its own,
and does not go together with the newest of what it needs (the third line).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.data_files import read_rows
from scripts.training.compare_writers import asked, figures, judge
from scripts.training.golden_writer import said

BITS, GROUP = 4, 64  # SmolLM2's matrices have 576 columns, which 128 does not divide


def main() -> None:
    """Quantize, save, load again, answer and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "data", "out", "answers"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--chats", type=int, default=256, help="to quantize by, with their answers")
    parser.add_argument("--questions", type=int, default=76)
    args = parser.parse_args()
    quantize(args.model, read_rows(args.data / "train.jsonl")[: args.chats], args.out)
    kept = {row["id"]: row["text"] for row in read_rows(args.answers) if row["writer"] == "finetuned"}
    rows = [row for row in read_rows(args.data / "aside.jsonl") if row["id"] in kept][: args.questions]
    compare(args.out, rows, kept)


def quantize(model: Path, rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Quantize by what these chats make of the layers, and save."""
    from gptqmodel import GPTQModel, QuantizeConfig
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    texts = [
        tokenizer.apply_chat_template(
            [*row["messages"], {"role": "assistant", "content": row["target"]}], tokenize=False
        )
        for row in rows
    ]
    began = time.monotonic()
    how = QuantizeConfig(bits=BITS, group_size=GROUP, offload_to_disk=False)
    quantized = GPTQModel.load(str(model), how, dtype=precision())
    quantized.quantize(texts, batch_size=4)
    quantized.save(str(out))
    size = sum(file.stat().st_size for file in out.iterdir())
    print(json.dumps({"minutes": round((time.monotonic() - began) / 60, 1), "bytes": size}), flush=True)


def compare(folder: Path, rows: Sequence[Mapping[str, Any]], kept: Mapping[str, str]) -> None:
    """Print how the model answers, and how often as the GGUF file did, to the letter."""
    import torch
    from gptqmodel import BACKEND, GPTQModel
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    kernel = (
        BACKEND.AUTO if torch.cuda.is_available() else BACKEND.TORCH
    )  # the fused one compiles for minutes
    model = GPTQModel.load(str(folder), dtype=precision(), backend=kernel)
    judged, same = [], 0
    for row in rows:
        began = time.monotonic()
        text = said(model, tokenizer, row["messages"])
        same += text == kept[row["id"]]
        judged.append(judge(text, row["target"], asked(row), time.monotonic() - began))
    print(json.dumps({**figures(judged, rows), "prompts": len(rows), "same_to_the_letter": same}))


def precision() -> Any:
    """The numbers that a GPU, or a CPU without AVX-512, is quick with."""
    import torch

    return torch.float16 if torch.cuda.is_available() else torch.float32


if __name__ == "__main__":
    main()
