"""What several trainings need of PyTorch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache
def has_fast_half(device: torch.device) -> bool:
    """Whether matrix products in bfloat16 are faster.

    On a CPU both are timed: with AVX-512 they are 1.4 times as fast or half as fast, without it a sixtieth.
    """
    return device.type != "cpu" or _took(torch.bfloat16) < _took(torch.float32)


def _took(form: torch.dtype) -> float:
    """Seconds for a product as a small network has them, the best of three."""
    left, right = torch.ones(1024, 384, dtype=form), torch.ones(384, 1536, dtype=form)

    def once() -> float:
        begun = time.perf_counter()
        torch.mm(left, right)
        return time.perf_counter() - begun

    return min(once() for _ in range(3))


def mean_of(states: Sequence[Mapping[str, Tensor]], shares: Sequence[float] = ()) -> dict[str, Tensor]:
    """The mean of networks' weights, of those that all of them have (Wortsman et al. 2022). `shares`: what
    each counts, in all 1; none: all the same."""
    shared = set.intersection(*(set(state) for state in states))
    counts = torch.tensor(shares or [1 / len(states)] * len(states))
    stacked = {name: torch.stack([state[name].cpu() for state in states]).float() for name in sorted(shared)}
    return {name: torch.tensordot(counts, one, dims=1) for name, one in stacked.items()}


def moved(before: Mapping[str, Tensor], after: Mapping[str, Tensor], share: float) -> dict[str, Tensor]:
    """The mean of a network's weights before and, for `share` (0 to 1), after what it learnt; what one of the
    two alone has is as it has it."""
    mean = mean_of([before, after], [1 - share, share])
    return {**before, **after, **{name: one.to(before[name].dtype) for name, one in mean.items()}}


def mean_states(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of each text's states where its mask is 1: (texts, tokens, dims) and (texts, tokens) to
    (texts, dims)."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)
