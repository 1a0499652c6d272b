"""Unpack an adapter's GGUF file into PEFT's format, which vLLM and GPTQ's tools take.

    .venv-train/bin/python -m scripts.training.unpack_adapter --gguf llm_models/smollm2-lodge/adapter.gguf \\
        --base FOLDER --out FOLDER

The base's folder is that of `unpack_base`. llama.cpp turns the rows of Llama's queries and keys so that the
pairs of a rotary position stand side by side; here they are turned back.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

MODULES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def main() -> None:
    """Unpack it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("gguf", "base", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    args = parser.parse_args()
    unpack(args.gguf, args.base, args.out)


def unpack(gguf: Path, base: Path, out: Path) -> None:
    """Write `adapter_config.json` and `adapter_model.safetensors`; `ValueError` where it is no adapter."""
    from gguf import GGUFReader
    from safetensors.torch import save_file

    reader = GGUFReader(gguf)
    if "adapter.lora.alpha" not in reader.fields:
        raise ValueError(f"{gguf} is no LoRA adapter.")
    shape = json.loads((base / "config.json").read_text(encoding="utf-8"))
    heads = {"attn_q": shape["num_attention_heads"], "attn_k": shape["num_key_value_heads"]}
    weights: dict[str, Any] = {}
    for one in reader.tensors:
        _, layer, module, _, side = one.name.split(".")
        turned = heads.get(module) if side == "lora_b" else None
        weights[f"base_model.model.model.layers.{layer}.{MODULES[module]}.lora_{side[-1].upper()}.weight"] = (
            _tensor(one.data, turned)
        )
    alpha = reader.fields["adapter.lora.alpha"]
    layers = {int(name.split(".layers.")[1].split(".")[0]) for name in weights}
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": min(next(iter(weights.values())).shape),
        "lora_alpha": float(alpha.parts[alpha.data[0]][0]),
        "target_modules": sorted({name.split(".")[-3] for name in weights}),
        "layers_to_transform": sorted(layers),
        "base_model_name_or_path": str(base),
    }
    out.mkdir(parents=True, exist_ok=True)
    save_file(weights, out / "adapter_model.safetensors")
    (out / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def _tensor(data: Any, heads: int | None) -> Any:
    """The matrix in single precision; of `heads` heads whose rows were turned, as they were."""
    import torch

    matrix = torch.tensor(data.astype("float32"))
    if heads is None:
        return matrix
    rows, rank = matrix.shape
    return matrix.reshape(heads, rows // heads // 2, 2, rank).swapaxes(1, 2).reshape(rows, rank).contiguous()


if __name__ == "__main__":
    main()
