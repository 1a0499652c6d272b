"""The training loop: losses, schedule, checkpoints. Ended at any moment, it goes on from the last one."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm

from scripts.research.reader.batches import Batch, Recipe, batch, claim_batch
from scripts.research.reader.claims import Claim
from scripts.research.reader.examples import Example
from scripts.research.reader.network import Outputs, Reader
from scripts.torch_parts import has_fast_half

IMPOSSIBLE = -1e4


@dataclass(frozen=True, slots=True)
class Schedule:
    """AdamW with a linear warm-up and a linear way down to nothing; new heads learn faster."""

    rate: float = 1.2e-4
    head_rate: float = 5e-4
    warm_up: float = 0.06
    weight_decay: float = 0.01
    clip: float = 1.0

    def factor(self, step: int, steps: int) -> float:
        """What the rates are multiplied with at a step."""
        warm = max(1, round(self.warm_up * steps))
        return min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the loss counts; `early` scales the earlier exits' losses, `distil` what they learn
    from the last one."""

    ranking: float = 1.0
    absolute: float = 0.5
    span: float = 0.5
    early: float = 0.7
    distil: float = 0.5


VERDICT = 0.5  # what the verdict counts beside a batch of passages


def forward(reader: Reader, made: Batch, device: torch.device) -> list[Outputs]:
    """Each exit's outputs for every sequence, spans padded to one width with what cannot be."""
    parts = []
    for rows in made.parts:
        inputs = (tensor.to(device) for tensor in (rows.ids, rows.mask, rows.types))
        allowed = rows.allowed.to(device)
        parts.append([_masked(outputs, allowed) for outputs in reader(*inputs)])
    width = max(rows.ids.shape[1] for rows in made.parts)
    return [_joined([part[i] for part in parts], width) for i in range(len(reader.exits))]


def _masked(outputs: Outputs, allowed: Tensor) -> Outputs:
    start, end = (logits.masked_fill(~allowed, IMPOSSIBLE) for logits in (outputs.start, outputs.end))
    return Outputs(outputs.relevance, start, end)


def _joined(parts: Sequence[Outputs], width: int) -> Outputs:
    def wide(logits: Tensor) -> Tensor:
        return functional.pad(logits, (0, width - logits.shape[1]), value=IMPOSSIBLE)

    return Outputs(
        torch.cat([part.relevance for part in parts]),
        torch.cat([wide(part.start) for part in parts]),
        torch.cat([wide(part.end) for part in parts]),
    )


def loss(outputs: Sequence[Outputs], made: Batch, weights: Weights, device: torch.device) -> Tensor:
    """All exits' losses as one number."""
    group, positive = made.group.to(device), made.positive.to(device)
    start, end, span_weight = (x.to(device) for x in (made.start, made.end, made.span_weight))
    inside = same_example(group)
    last = outputs[-1]
    total = torch.zeros((), device=device)
    for one in outputs:
        share = 1.0 if one is last else weights.early
        total = total + share * (
            weights.ranking * listwise(one.relevance, positive, inside)
            + weights.absolute * functional.binary_cross_entropy_with_logits(one.relevance, positive)
            + weights.span * _spans(one, start, end, span_weight)
        )
        if one is not last:
            total = total + weights.distil * distilled(one.relevance, last.relevance.detach(), inside)
    return total


def same_example(group: Tensor) -> Tensor:
    """(sequences, sequences): whether two are of one example."""
    return group[:, None] == group[None, :]


def listwise(relevance: Tensor, positive: Tensor, inside: Tensor) -> Tensor:
    """Cross-entropy of the right passage among its example's; examples without one do not count."""
    rows = positive.bool()
    if not rows.any():
        return relevance.sum() * 0
    logits = relevance[None, :].masked_fill(~inside, -torch.inf)[rows]
    return (torch.logsumexp(logits, dim=1) - relevance[rows]).mean()


def _spans(one: Outputs, start: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    both = functional.cross_entropy(one.start, start, reduction="none") + functional.cross_entropy(
        one.end, end, reduction="none"
    )
    return (both / 2 * weight).sum() / weight.sum().clamp(min=1.0)


def verdict_loss(
    reader: Reader, claims: Sequence[Claim], tokenizer: Tokenizer, rows: int, device: torch.device
) -> Tensor:
    """Cross-entropy of what each text says of its claim, of all exits."""
    made = claim_batch(claims, tokenizer, rows)
    total, at = torch.zeros((), device=device), 0
    for part in made.parts:
        target = made.verdict[at : at + len(part.ids)].to(device)
        at += len(part.ids)
        for outputs in reader(*(tensor.to(device) for tensor in (part.ids, part.mask, part.types))):
            total = total + functional.cross_entropy(outputs.verdict.float(), target, reduction="sum")
    return total / len(claims)


def distilled(said: Tensor, taught: Tensor, inside: Tensor) -> Tensor:
    """How far an order of each example's passages is from the one that is taught."""

    def order(relevance: Tensor) -> Tensor:
        return torch.log_softmax(relevance[None, :].masked_fill(~inside, IMPOSSIBLE), dim=1)

    target = order(taught)
    return (target.exp() * (target - order(said))).sum(1).mean()


@dataclass
class Run:
    """A training run in a folder of its own; beside each batch of examples go `claims_a_step` claims."""

    reader: Reader
    tokenizer: Tokenizer
    order: Sequence[Example]
    recipe: Recipe
    schedule: Schedule
    weights: Weights
    seed: int
    folder: Path
    device: torch.device
    checkpoint_steps: int = 50
    claims: Sequence[Claim] = ()
    claims_a_step: int = 16
    half: bool | None = None  # matrix products in bfloat16; None: where that is fast

    @property
    def steps(self) -> int:
        """How many batches the order makes."""
        return math.ceil(len(self.order) / self.recipe.examples)

    @property
    def _checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    def loss_of(self, step: int) -> float:
        """The loss of a step's batch as the reader is now."""
        made = self._batch(step)
        with torch.inference_mode():
            return float(loss(forward(self.reader, made, self.device), made, self.weights, self.device))

    def train(self, until: int | None = None) -> None:
        """From the last checkpoint, or the beginning, to the end or a step; progress on standard error."""
        torch.manual_seed(self.seed)
        torch.set_flush_denormal(True)
        self.reader.to(self.device).train()
        heads = {id(p) for p in self.reader.heads.parameters()}
        learning = [p for p in self.reader.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in learning if id(p) not in heads], "lr": self.schedule.rate},
                {"params": [p for p in learning if id(p) in heads], "lr": self.schedule.head_rate},
            ],
            weight_decay=self.schedule.weight_decay,
        )
        scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: self.schedule.factor(step, self.steps)
        )
        first = self._restore(optimizer, scheduler)
        smooth: float | None = None
        half = has_fast_half(self.device) if self.half is None else self.half
        with tqdm(total=self.steps, initial=first, desc="train", unit="step", mininterval=10) as bar:
            for step in range(first, min(until or self.steps, self.steps)):
                made = self._batch(step)
                with torch.autocast(self.device.type, torch.bfloat16, enabled=half):
                    outputs = forward(self.reader, made, self.device)
                    judged = self._verdict_loss(step)
                value = loss([one.float() for one in outputs], made, self.weights, self.device) + judged
                optimizer.zero_grad(set_to_none=True)
                value.backward()
                torch.nn.utils.clip_grad_norm_(learning, self.schedule.clip)
                optimizer.step()
                scheduler.step()
                smooth = value.item() if smooth is None else 0.98 * smooth + 0.02 * value.item()
                bar.set_postfix(loss=f"{smooth:.3f}", tokens=made.tokens)
                bar.update()
                if (step + 1) % self.checkpoint_steps == 0 or step + 1 == self.steps:
                    self._save(step + 1, optimizer, scheduler)

    def _verdict_loss(self, step: int) -> Tensor | float:
        """What the step's claims add; nothing where there are none."""
        if not self.claims:
            return 0.0
        first = step * self.claims_a_step
        mine = [self.claims[i % len(self.claims)] for i in range(first, first + self.claims_a_step)]
        return VERDICT * verdict_loss(self.reader, mine, self.tokenizer, self.recipe.rows, self.device)

    def _batch(self, step: int) -> Batch:
        """The same for the same step, whenever the run was begun again."""
        size = self.recipe.examples
        rng = random.Random(f"{self.seed}/{step}")
        return batch(self.order[step * size : (step + 1) * size], self.tokenizer, self.recipe, rng)

    def _save(self, step: int, optimizer: Any, scheduler: Any) -> None:
        state = {
            "step": step,
            "made_with": self._made_with(),
            "reader": self.reader.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
        }
        unfinished = self._checkpoint.with_suffix(".unfinished")
        torch.save(state, unfinished)
        unfinished.rename(self._checkpoint)

    def _restore(self, optimizer: Any, scheduler: Any) -> int:
        """The step to go on with; a checkpoint of another recipe is refused."""
        if not self._checkpoint.is_file():
            return 0
        state = torch.load(self._checkpoint, map_location=self.device, weights_only=True)
        if state["made_with"] != self._made_with():
            raise SystemExit(f"{self._checkpoint} belongs to another recipe; use another folder.")
        self.reader.load_state_dict(state["reader"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        return int(state["step"])

    def _made_with(self) -> str:
        parts = [asdict(self.recipe), asdict(self.schedule), asdict(self.weights), self.seed]
        if self.claims:
            parts += [len(self.claims), self.claims[0].claim, self.claims_a_step]
        return repr([*parts, self.reader.exits, len(self.order), self.order[0].id, self.order[-1].id])
