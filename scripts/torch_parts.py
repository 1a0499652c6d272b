"""What several trainings need of PyTorch."""

from __future__ import annotations

import torch
from torch import Tensor


def has_fast_half(device: torch.device) -> bool:
    """Whether matrix products in bfloat16 are faster: with AVX-512 1.4 times, and without it a sixtieth."""
    return device.type != "cpu" or "AVX512" in str(torch.backends.cpu.get_cpu_capability())


def mean_states(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of each text's states where its mask is 1: (texts, tokens, dims) and (texts, tokens) to
    (texts, dims)."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)
