"""The model that is tuned, from a folder of weights: with LoRA adapters, with 4-bit weights, or whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer

from scripts.training.batches import Batch
from scripts.training.recipe import Recipe


def load_base(base: Path, recipe: Recipe, device: torch.device) -> tuple[Any, Any]:
    """(model, tokenizer) of a folder in transformers' format.

    On a GPU the weights are bfloat16, or 4-bit for QLoRA; on a CPU, float32.
    """
    on_gpu = device.type == "cuda"
    kwargs: dict[str, Any] = {"dtype": torch.bfloat16 if on_gpu else torch.float32}
    if recipe.method == "qlora":
        kwargs |= _four_bit(on_gpu)
    model = AutoModelForCausalLM.from_pretrained(base, **kwargs)
    return model if recipe.method == "qlora" else model.to(device), AutoTokenizer.from_pretrained(base)


def _four_bit(on_gpu: bool) -> dict[str, Any]:
    if not on_gpu:
        raise SystemExit("QLoRA needs a GPU and bitsandbytes; --method lora runs on a CPU.")
    from transformers import BitsAndBytesConfig

    four_bit = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    return {"quantization_config": four_bit, "device_map": {"": 0}}


def with_adapters(model: Any, recipe: Recipe) -> Any:
    """The model with LoRA adapters in its upper layers; as it is where all of it is tuned."""
    if recipe.method == "full":
        return model
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    if recipe.method == "qlora":
        model = prepare_model_for_kbit_training(model)
    layers = range(recipe.first_layer, model.config.num_hidden_layers)
    config = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules=list(recipe.modules),
        layers_to_transform=list(layers) if recipe.first_layer else None,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def trained(model: Any) -> dict[str, torch.Tensor]:
    """The weights that are learnt, by name."""
    return {name: weight for name, weight in model.named_parameters() if weight.requires_grad}


def answer_loss(model: Any, batch: Batch) -> torch.Tensor:
    """Mean cross-entropy, in nats, over the tokens of the answers.

    The vocabulary's logits are made for these tokens alone: they are a fifth of a small model's work.
    """
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    hidden = inner.model(input_ids=batch.ids, attention_mask=batch.mask, use_cache=False).last_hidden_state
    learnt = batch.targets != -100
    logits = inner.lm_head(hidden[learnt])
    return functional.cross_entropy(logits.float(), batch.targets[learnt])
