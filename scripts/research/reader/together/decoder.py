"""SmolLM2 (Llama's architecture) as a teacher of relevance: weights out of a GGUF file, one number a row.

Touvron et al. 2023; grouped-query attention, Ainslie et al. 2023; rotary positions, Su et al. 2021. The
number is read off the last token, as RankLLaMA does (Ma et al. 2024). Rows are padded on the right, where a
network that reads from left to right sees nothing of the padding.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """One layer."""

    def __init__(self, dims: int, heads: int, kv_heads: int, inner: int) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.of_head = heads, kv_heads, dims // heads
        self.attn_norm, self.ffn_norm = nn.RMSNorm(dims, 1e-5), nn.RMSNorm(dims, 1e-5)
        self.attn_q = nn.Linear(dims, dims, bias=False)
        self.attn_k = nn.Linear(dims, kv_heads * self.of_head, bias=False)
        self.attn_v = nn.Linear(dims, kv_heads * self.of_head, bias=False)
        self.attn_output = nn.Linear(dims, dims, bias=False)
        self.ffn_gate, self.ffn_up = nn.Linear(dims, inner, bias=False), nn.Linear(dims, inner, bias=False)
        self.ffn_down = nn.Linear(inner, dims, bias=False)

    def forward(self, hidden: Tensor, turn: Tensor) -> Tensor:
        """`hidden` (batch, tokens, dims); `turn`, cosines and sines: (2, tokens, dims of a head / 2)."""
        batch, tokens, dims = hidden.shape
        x = self.attn_norm(hidden)
        q = _turned(self.attn_q(x).view(batch, tokens, self.heads, self.of_head), turn)
        k = _turned(self.attn_k(x).view(batch, tokens, self.kv_heads, self.of_head), turn)
        v = self.attn_v(x).view(batch, tokens, self.kv_heads, self.of_head).transpose(1, 2)
        share = self.heads // self.kv_heads
        k, v = k.repeat_interleave(share, dim=1), v.repeat_interleave(share, dim=1)
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        hidden = hidden + self.attn_output(seen.transpose(1, 2).reshape(batch, tokens, dims))
        x = self.ffn_norm(hidden)
        return hidden + self.ffn_down(functional.silu(self.ffn_gate(x)) * self.ffn_up(x))


def _turned(heads: Tensor, turn: Tensor) -> Tensor:
    """Neighbouring pairs turned by their position, as GGUF files have them: (batch, heads, tokens, dims)."""
    x = heads.float().unflatten(-1, (-1, 2))
    cos, sin = turn
    cos, sin = cos[:, None, :], sin[:, None, :]
    turned = torch.stack(
        (x[..., 0] * cos - x[..., 1] * sin, x[..., 0] * sin + x[..., 1] * cos), dim=-1
    ).flatten(-2)
    return turned.to(heads.dtype).transpose(1, 2)


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a decoder is; `base` is that of its rotary positions."""

    vocabulary: int
    dims: int
    layers: int
    heads: int
    kv_heads: int
    inner: int
    base: float


class Decoder(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """The layers with a head that gives one number a row."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.token_embd = nn.Embedding(shape.vocabulary, shape.dims)
        self.blk = nn.ModuleList(
            Block(shape.dims, shape.heads, shape.kv_heads, shape.inner) for _ in range(shape.layers)
        )
        self.output_norm = nn.RMSNorm(shape.dims, 1e-5)
        self.relevance = nn.Linear(shape.dims, 1)
        half = shape.dims // shape.heads // 2
        self.register_buffer("speeds", shape.base ** -(torch.arange(half) / half), persistent=False)

    @staticmethod
    def of_gguf(file: Path) -> Decoder:
        """A pretrained one, its weights dequantised; the head begins at nothing."""
        from gguf import GGUFReader
        from gguf.quants import dequantize

        reader = GGUFReader(file)

        def said(name: str) -> float:
            field = reader.fields[f"llama.{name}"]
            return float(field.parts[field.data[0]][0])

        weights = {
            one.name: torch.tensor(dequantize(one.data, one.tensor_type))
            for one in reader.tensors
            if one.name != "output.weight"
        }
        vocabulary, dims = weights["token_embd.weight"].shape
        decoder = Decoder(
            Shape(
                vocabulary,
                dims,
                int(said("block_count")),
                int(said("attention.head_count")),
                int(said("attention.head_count_kv")),
                int(said("feed_forward_length")),
                said("rope.freq_base"),
            )
        )
        missing, unknown = decoder.load_state_dict(weights, strict=False)
        if unknown or set(missing) != {"relevance.weight", "relevance.bias"}:
            raise ValueError(f"{file.name} is no such model: {missing}, {unknown}")
        nn.init.zeros_(decoder.relevance.weight)
        nn.init.zeros_(decoder.relevance.bias)
        return decoder

    def hidden(self, ids: Tensor) -> Tensor:
        """The last layer's states of `ids` (batch, tokens): (batch, tokens, dims)."""
        at = torch.arange(ids.shape[1], device=ids.device)[:, None] * self.speeds
        turn = torch.stack((at.cos(), at.sin()))
        hidden = self.token_embd(ids)
        for block in self.blk:
            hidden = block(hidden, turn)
        return self.output_norm(hidden)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """How relevant each row's passage is: (batch,), log-odds. `mask` is 1 where there is a token."""
        hidden = self.hidden(ids)
        last = mask.sum(1) - 1
        return self.relevance(hidden[torch.arange(len(ids), device=ids.device), last]).squeeze(-1)
