"""The network: a BERT encoder that reads question and passage together, with heads after chosen layers.

Three heads an exit: relevance of the passage from `[CLS]`, and where the answer starts and ends among the
tokens (`[CLS]` stands for "no answer", as in BERT's SQuAD 2.0 recipe, Devlin et al. 2019). A reader that
judges claims has a fourth, the verdict (claims.py). An early exit is trained beside the last one and learns
from it, so that the first three layers are a reader of their own (self-distillation, Zhang et al. 2019).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel

from scripts.research.reader.claims import Verdict


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one exit says of a batch: relevance (batch,), start and end logits (batch, tokens).

    `verdict` are the logits of the verdict (batch, 3), where the reader gives one.
    """

    relevance: Tensor
    start: Tensor
    end: Tensor
    verdict: Tensor | None = None

    def float(self) -> Outputs:
        """The same in single precision."""
        verdict = None if self.verdict is None else self.verdict.float()
        return Outputs(self.relevance.float(), self.start.float(), self.end.float(), verdict)


class Heads(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """The heads of one exit."""

    def __init__(self, dims: int, *, verdicts: bool) -> None:
        super().__init__()
        self.dense = nn.Linear(dims, dims)
        self.relevance = nn.Linear(dims, 1)
        self.span = nn.Linear(dims, 2)
        self.verdict = (
            nn.Sequential(nn.Linear(dims, dims), nn.Tanh(), nn.Linear(dims, len(Verdict)))
            if verdicts
            else None
        )

    def forward(self, hidden: Tensor) -> Outputs:
        """`hidden` (batch, tokens, dims)."""
        relevance = self.relevance(torch.tanh(self.dense(hidden[:, 0]))).squeeze(-1)
        start, end = self.span(hidden).unbind(-1)
        return Outputs(relevance, start, end, None if self.verdict is None else self.verdict(hidden[:, 0]))


class Reader(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """The encoder with its exits; `exits` are counts of layers, the last of them all of the encoder's.

    With `verdicts` each exit also judges claims.
    """

    def __init__(
        self, source: str, exits: tuple[int, ...], *, verdicts: bool = False, pretrained: bool = True
    ) -> None:
        super().__init__()
        # One pass over the data does not overfit, and dropout's random numbers cost a fifth of the time.
        quiet = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
        config = AutoConfig.from_pretrained(source, num_hidden_layers=exits[-1], **quiet)
        if pretrained:
            self.encoder = AutoModel.from_pretrained(source, config=config, add_pooling_layer=False)
        else:
            self.encoder = AutoModel.from_config(config, add_pooling_layer=False)
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self.encoder.embeddings.position_embeddings.weight.requires_grad_(False)
        self.exits = exits
        self.heads = nn.ModuleList(Heads(config.hidden_size, verdicts=verdicts) for _ in exits)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> list[Outputs]:
        """Each exit's outputs for a padded batch; all three inputs are (batch, tokens)."""
        states = self.encoder(
            input_ids=ids, attention_mask=mask, token_type_ids=types, output_hidden_states=True
        ).hidden_states
        return [
            cast(Outputs, heads(states[layer])) for layer, heads in zip(self.exits, self.heads, strict=True)
        ]


class Graph(nn.Module):  # type: ignore[misc]  # mypy does not see PyTorch
    """One exit alone, as it is exported: inputs in BERT's order, outputs as plain tensors."""

    def __init__(self, reader: Reader, exit_: int) -> None:
        super().__init__()
        self.encoder = copy.deepcopy(reader.encoder)
        self.encoder.encoder.layer = self.encoder.encoder.layer[:exit_]
        self.heads = reader.heads[reader.exits.index(exit_)]

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, ...]:
        """(relevance, start, end), and the verdict where the reader gives one."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        outputs = cast(Outputs, self.heads(hidden))
        read = (outputs.relevance, outputs.start, outputs.end)
        return read if outputs.verdict is None else (*read, outputs.verdict)
