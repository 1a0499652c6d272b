"""Golden outputs: the same prompts through PyTorch and through llama.cpp, and how far they agree.

    .venv-train/bin/python -m scripts.training.golden_writer --base FOLDER --adapter var/writer/run/adapter \\
        --data var/writer/chat/aside.jsonl --answers var/writer/answers.jsonl

`--answers` is what `scripts.training.compare_writers` kept of the finetuned GGUF. A chat template or a first
token that differs shows at once: then nothing agrees. Rounding shows late in an answer, if at all.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from scripts.training.compare_writers import ANSWER_TOKENS

PROMPTS = 20


def main() -> None:
    """Print the agreement, and each pair that differs."""
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("base", "adapter", "data", "answers"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(args.base)
    base = AutoModelForCausalLM.from_pretrained(args.base, dtype=torch.float32)
    model = PeftModel.from_pretrained(base, str(args.adapter)).eval()
    rows = [json.loads(line) for line in args.data.read_text(encoding="utf-8").splitlines()][:PROMPTS]
    kept = [json.loads(line) for line in args.answers.read_text(encoding="utf-8").splitlines()]
    other = {row["id"]: row["text"] for row in kept if row["writer"] == "finetuned"}
    same = 0
    for row in rows:
        text = said(model, tokenizer, row["messages"])
        same += text == other[row["id"]]
        if text != other[row["id"]]:
            print(json.dumps({"id": row["id"], "pytorch": text, "gguf": other[row["id"]]}))
    print(json.dumps({"prompts": len(rows), "same_to_the_letter": same}))


def said(model: Any, tokenizer: Any, messages: list[dict[str, str]]) -> str:
    """What PyTorch writes, greedily, to the end of its turn."""
    prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    tokens = tokenizer(prompt, add_special_tokens=False, return_tensors="pt")
    end = tokenizer.get_vocab().get("<|im_end|>", tokenizer.eos_token_id)
    out = model.generate(**tokens, max_new_tokens=ANSWER_TOKENS, do_sample=False, eos_token_id=end)
    return str(tokenizer.decode(out[0, tokens["input_ids"].shape[1] :], skip_special_tokens=True)).strip()


if __name__ == "__main__":
    main()
