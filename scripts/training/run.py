"""One run of training: steps, checkpoints, validation, early stop; one that was ended goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from scripts.training.batches import Tokens, batches, order
from scripts.training.network import answer_loss, trained
from scripts.training.recipe import Recipe

CHECKPOINT = "checkpoint.pt"
BEST = "best.pt"


@dataclass(slots=True)
class Progress:
    """What a run has done: of the order, sequences and tokens learnt; seconds of work; the curves.

    `losses` are (sequences, mean loss of a step), `validations` (sequences, mean loss of what is kept aside).
    """

    sequences: int = 0
    tokens: int = 0
    seconds: float = 0.0
    steps: int = 0
    losses: list[tuple[int, float]] = field(default_factory=list)
    validations: list[tuple[int, float]] = field(default_factory=list)

    @property
    def best(self) -> float:
        """The lowest validation loss."""
        return min((loss for _, loss in self.validations), default=float("inf"))

    def stalled(self, patience: int) -> bool:
        """Whether the last `patience` validations brought no lower loss than one before them."""
        losses = [loss for _, loss in self.validations]
        return len(losses) > patience and min(losses[-patience:]) > min(losses[:-patience])


class Run:
    """Training of a model on sequences, validated on those that are kept aside."""

    def __init__(  # noqa: PLR0913, PLR0917  (what a run is made of)
        self,
        model: Any,
        rows: Sequence[Tokens],
        aside: Sequence[Tokens],
        recipe: Recipe,
        folder: Path,
        tell: Callable[[str], None] = print,
    ) -> None:
        self.model, self.recipe, self.folder, self.tell = model, recipe, folder, tell
        self.rows, self.aside = rows, aside
        self.device = next(model.parameters()).device
        self.progress = Progress()
        self.places = order(len(rows), recipe.epochs, recipe.seed)
        self.optimizer = torch.optim.AdamW(trained(model).values(), lr=recipe.learning_rate, weight_decay=0.0)
        self._saved_at = self._validated_at = 0.0
        self._resume()

    def train(self) -> Progress:
        """Learn until the order, the minutes or the patience end; the best weights are in the model then."""
        if not self.progress.validations:
            self._validate()
        size = self.recipe.batch * self.recipe.accumulate
        while self._goes_on():
            at = self.progress.sequences
            began = time.monotonic()
            self._step(self.places[at : at + size])
            self.progress.seconds += time.monotonic() - began
            self._keep_up()
        if self._validated_at < self.progress.seconds:
            self._validate()
        self._save()
        self._load(self.folder / BEST)
        return self.progress

    def _goes_on(self) -> bool:
        done, minutes = self.progress, self.recipe.minutes
        in_time = not minutes or done.seconds < 60 * minutes
        return done.sequences < len(self.places) and in_time and not done.stalled(self.recipe.patience)

    def _step(self, places: Sequence[int]) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.learning_rate * self._rate()
        self.model.train()
        parts = list(batches(self.rows, places, self.recipe.batch, self.device))
        total = 0.0
        for part in parts:
            loss = answer_loss(self.model, part) / len(parts)
            loss.backward()
            total += float(loss.detach())
            self.progress.tokens += part.tokens
        torch.nn.utils.clip_grad_norm_(trained(self.model).values(), self.recipe.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.progress.sequences += len(places)
        self.progress.steps += 1
        self.progress.losses.append((self.progress.sequences, total))

    def _rate(self) -> float:
        """Warm-up, then a line down to nothing at the end of the order or of the minutes."""
        done, recipe = self.progress, self.recipe
        spent = done.seconds / (60 * recipe.minutes) if recipe.minutes else 0.0
        left = 1 - max(done.sequences / len(self.places), spent)
        return min(1.0, (done.steps + 1) / max(recipe.warmup_steps, 1)) * max(left, 0.02)

    def _keep_up(self) -> None:
        """Say how it stands; validate and save now and then."""
        done = self.progress
        mean = sum(loss for _, loss in done.losses[-10:]) / len(done.losses[-10:])
        self.tell(
            f"{done.sequences}/{len(self.places)} examples, loss {mean:.3f}, "
            f"{done.tokens / done.seconds:.0f} tokens/s, {done.seconds / 60:.1f} min"
        )
        if done.seconds - self._validated_at >= 60 * self.recipe.validate_minutes:
            self._validate()
        if done.seconds - self._saved_at >= 60 * self.recipe.checkpoint_minutes:
            self._save()

    def _validate(self) -> None:
        """The mean loss of what is kept aside; the weights are kept where it is the lowest so far."""
        self.model.eval()
        began = time.monotonic()
        parts = batches(self.aside, range(len(self.aside)), self.recipe.batch, self.device)
        with torch.no_grad():
            losses = [float(answer_loss(self.model, part)) for part in parts]
        loss = sum(losses) / max(len(losses), 1)
        if loss < self.progress.best:
            _write(self.folder / BEST, {"weights": self._weights()})
        self.progress.validations.append((self.progress.sequences, loss))
        self._validated_at = self.progress.seconds
        self.tell(f"validation loss {loss:.3f} ({time.monotonic() - began:.0f} s)")

    def _weights(self) -> dict[str, torch.Tensor]:
        return {name: weight.detach().cpu().clone() for name, weight in trained(self.model).items()}

    def _save(self) -> None:
        self._saved_at = self.progress.seconds
        state = {
            "weights": self._weights(),
            "optimizer": self.optimizer.state_dict(),
            "progress": asdict(self.progress),
            "recipe": asdict(self.recipe),
        }
        _write(self.folder / CHECKPOINT, state)
        (self.folder / "progress.json").write_text(json.dumps(asdict(self.progress)), encoding="utf-8")

    def _resume(self) -> None:
        file = self.folder / CHECKPOINT
        if not file.is_file():
            return
        state = self._load(file)
        self.optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])
        self._saved_at = self._validated_at = self.progress.seconds
        self.tell(f"Going on after {self.progress.sequences} examples.")

    def _load(self, file: Path) -> dict[str, Any]:
        """Put a file's weights into the model; returns what else is in it."""
        state: dict[str, Any] = torch.load(file, map_location=self.device, weights_only=True)
        with torch.no_grad():
            for name, weight in trained(self.model).items():
                weight.copy_(state["weights"][name])
        return state


def _write(file: Path, state: dict[str, Any]) -> None:
    """A file that is there whole or not at all."""
    aside = file.with_suffix(".part")
    torch.save(state, aside)
    aside.replace(file)
