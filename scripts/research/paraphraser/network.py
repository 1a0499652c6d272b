"""The network: the reader's encoder, which begins with what that has learnt, and one logit of `[CLS]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from scripts.exporting.findings import Findings

DIMS, LAYERS, HEADS, POSITIONS = 384, 6, 12, 512
FOUND = Findings("cross-encoder", "bert", DIMS, HEADS, POSITIONS, has_modules=False, max_tokens=128)
_ENCODER, _HEADS = "encoder.", "heads.0."


def encoder_of(layers: int) -> BertModel:
    """MiniLM's encoder with its first so many layers; the vectors of words stay as they are."""
    config = BertConfig(
        hidden_size=DIMS,
        num_hidden_layers=layers,
        num_attention_heads=HEADS,
        intermediate_size=4 * DIMS,
        max_position_embeddings=POSITIONS,
    )
    encoder = BertModel(config, add_pooling_layer=False)
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    return encoder


class PairReader(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """Reads a question and a phrasing together."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = encoder_of(LAYERS)
        self.dense, self.relevance = nn.Linear(DIMS, DIMS), nn.Linear(DIMS, 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """The logit (batch,) that the answer serves the question; all inputs are (batch, tokens)."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        logits = self.relevance(torch.tanh(self.dense(hidden[:, 0]))).squeeze(-1)
        return cast(Tensor, logits)

    def begin_with(self, reader: Mapping[str, Tensor]) -> None:
        """Take over the encoder and the head of relevance of a reader's state (`dequantised`)."""
        own = {name: tensor for name, tensor in reader.items() if name.startswith(_ENCODER)}
        for layer in ("dense", "relevance"):
            for part in ("weight", "bias"):
                own[f"{layer}.{part}"] = reader[f"{_HEADS}{layer}.{part}"]
        self.load_state_dict(own)
