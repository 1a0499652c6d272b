"""The network: the first layers of a shipped encoder, four logits of the line and three of each token."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from scripts.exporting.findings import Findings
from scripts.research.paraphraser.network import DIMS, HEADS, POSITIONS, encoder_of
from scripts.torch_parts import mean_states
from server.models.routing import WAYS

LAYERS, MAX_TOKENS, OF_WORDS = 3, 96, 3
FOUND = Findings("router", "bert", DIMS, HEADS, POSITIONS, has_modules=False, max_tokens=MAX_TOKENS)
_ENCODER, _DROPPED = "encoder.", 0.1


class LineReader(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """Reads a visitor's line."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = encoder_of(LAYERS)
        self.dense, self.way, self.word = (
            nn.Linear(DIMS, DIMS),
            nn.Linear(DIMS, len(WAYS)),
            nn.Linear(DIMS, OF_WORDS),
        )
        self.drop = nn.Dropout(_DROPPED)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The logits of the ways, (batch, 4), and of each token as a word, (batch, tokens, 3): that a
        question begins there, that another one leaves it out, that the one that begins there leaves
        something out; all inputs are (batch, tokens)."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        mean = mean_states(hidden, attention_mask)
        ways = self.way(self.drop(torch.tanh(self.dense(mean))))
        return ways, self.word(self.drop(hidden))

    def begin_with(self, state: Mapping[str, Tensor]) -> None:
        """Take over the embeddings and the first layers of a pair reader's encoder (`dequantised`)."""
        own = self.state_dict()
        taken = {name: state[name] for name in own if name.startswith(_ENCODER)}
        self.load_state_dict(own | taken)
