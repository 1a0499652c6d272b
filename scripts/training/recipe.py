"""The trainer's recipe: what is fixed before it begins, kept beside its checkpoints and in the card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Method = Literal["lora", "qlora", "full"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a writer is tuned.

    `first_layer`: LoRA's adapters are in this layer and those above it, where the gradient ends; 0: in all.
    `batch` sequences go through the model at a time, `accumulate` such batches make a step. `minutes` of
    work end it, whatever is left; 0: no limit. The learning rate falls in a line to nothing over the examples
    or the minutes, whichever goes faster.
    """

    method: Method = "lora"
    seed: int = 7
    rank: int = 8
    alpha: int = 16
    dropout: float = 0.0
    modules: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    first_layer: int = 0
    learning_rate: float = 5e-4
    warmup_steps: int = 5
    batch: int = 1
    accumulate: int = 4
    epochs: int = 1
    max_tokens: int = 384
    minutes: float = 0.0
    checkpoint_minutes: float = 5.0
    validate_minutes: float = 10.0
    patience: int = 3  # validations without a lower loss, after which it ends
    threads: int = 1
    clip: float = 1.0
