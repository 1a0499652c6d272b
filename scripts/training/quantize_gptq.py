"""Quantize a merged writer with GPTQ to 4 bits, for vLLM, and load it again. It needs a GPU and gptqmodel.

    .venv-train/bin/python -m scripts.training.quantize_gptq --model var/writer/run/merged \\
        --data var/writer/chat/train.jsonl --out var/writer/run/gptq

It follows gptqmodel's own documents and has not been run by those who wrote it, who had no GPU.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

CALIBRATION = 256  # prompts with their answers


def main() -> None:
    """Quantize, save, load again and write one answer."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("GPTQ needs a GPU.")
    from gptqmodel import GPTQModel, QuantizeConfig
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(args.model)
    rows = [json.loads(line) for line in args.data.read_text(encoding="utf-8").splitlines()][:CALIBRATION]
    texts = [
        tokenizer.apply_chat_template(
            [*row["messages"], {"role": "assistant", "content": row["target"]}], tokenize=False
        )
        for row in rows
    ]
    model = GPTQModel.load(str(args.model), QuantizeConfig(bits=4, group_size=64))
    model.quantize(texts, batch_size=4)
    model.save(str(args.out))
    again = GPTQModel.load(str(args.out))
    prompt = tokenizer.apply_chat_template(rows[0]["messages"], tokenize=False, add_generation_prompt=True)
    print(tokenizer.decode(again.generate(prompt)[0]))


if __name__ == "__main__":
    main()
