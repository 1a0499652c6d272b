"""An adapter's GGUF file in PEFT's format: the rows of queries and keys are where they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs .venv-train")
pytest.importorskip("gguf", reason="training needs .venv-train")

import numpy as np
from gguf import GGUFWriter
from safetensors.torch import load_file

from scripts.training.unpack_adapter import unpack

HEADS, KV_HEADS, DIMS, RANK = 4, 2, 16, 2


def turned(rows: np.ndarray, heads: int) -> np.ndarray:
    """As llama.cpp's converter has them: the two halves of each head's rows side by side."""
    return rows.reshape(heads, 2, len(rows) // heads // 2, -1).swapaxes(1, 2).reshape(rows.shape)


def written(file: Path, tensors: dict[str, np.ndarray], *, alpha: float | None = 4.0) -> Path:
    writer = GGUFWriter(file, "llama")
    if alpha is not None:
        writer.add_float32("adapter.lora.alpha", alpha)
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    shape = {"num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS}
    (folder / "config.json").write_text(json.dumps(shape), encoding="utf-8")
    return folder


def test_queries_keys_and_all_else_are_as_they_were_trained(base: Path, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    b = {
        name: draw.normal(size=(rows, RANK)).astype(np.float16)
        for name, rows in (("attn_q", DIMS), ("attn_k", DIMS // 2), ("ffn_up", 3 * DIMS))
    }
    a = {name: draw.normal(size=(RANK, DIMS)).astype(np.float16) for name in b}
    heads = {"attn_q": HEADS, "attn_k": KV_HEADS}
    tensors = {f"blk.3.{name}.weight.lora_a": one for name, one in a.items()} | {
        f"blk.3.{name}.weight.lora_b": turned(one, heads[name]) if name in heads else one
        for name, one in b.items()
    }
    unpack(written(tmp_path / "adapter.gguf", tensors), base, tmp_path / "out")
    found = load_file(tmp_path / "out" / "adapter_model.safetensors")
    names = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "ffn_up": "mlp.up_proj"}
    assert len(found) == 6
    for name, where in names.items():
        at = f"base_model.model.model.layers.3.{where}"
        np.testing.assert_array_equal(found[f"{at}.lora_A.weight"].numpy(), a[name].astype(np.float32))
        np.testing.assert_array_equal(found[f"{at}.lora_B.weight"].numpy(), b[name].astype(np.float32))
    config = json.loads((tmp_path / "out" / "adapter_config.json").read_text(encoding="utf-8"))
    assert (config["r"], config["lora_alpha"], config["layers_to_transform"]) == (RANK, 4.0, [3])
    assert config["target_modules"] == ["k_proj", "q_proj", "up_proj"]


def test_a_model_is_no_adapter(base: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "model.gguf", {"token_embd.weight": np.zeros((2, 2), np.float32)}, alpha=None)
    with pytest.raises(ValueError, match=r"is no LoRA adapter"):
        unpack(file, base, tmp_path / "out")
