"""What `model.toml` says of a model: all the server needs to run one it has never seen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, TypeVar

from server.errors import ModelError
from server.toml_files import read_toml

FILES = ("model.toml", "model.onnx", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What every model has. A table `[training]` in the file is for people and is not read."""

    KIND: ClassVar[str] = ""

    folder: Path
    kind: str
    source: str
    licence: str
    precision: str
    sha256: str
    max_tokens: int

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class EmbedderCard(ModelCard):
    """A bi-encoder: how its token states become a vector, and what goes before a question or a passage."""

    KIND: ClassVar[str] = "embedder"

    dims: int
    pooling: str
    normalize: bool
    query_prefix: str
    passage_prefix: str


@dataclass(frozen=True, slots=True)
class CrossEncoderCard(ModelCard):
    """A cross-encoder: the probability of relevance is 1 / (1 + exp(−(logit − bias) / temperature)).

    `reads`: it also says where the answer starts and ends. `relevance` has the weights of its log-odds and of
    what else is known of a passage (ask/retrieving/relevance.py); without them the model alone decides.
    """

    KIND: ClassVar[str] = "cross-encoder"

    reads: bool
    temperature: float
    bias: float
    relevance: Mapping[str, float] = field(default_factory=dict)


Card = TypeVar("Card", bound=ModelCard)


def read_card(folder: Path, card: type[Card]) -> Card:
    """The card of the model in `folder`; a `ModelError` names what is missing, wrong, or of another kind."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise ModelError(
            f"The model {folder.name!r} is incomplete: {', '.join(missing)} not found in {folder}."
        )
    try:
        table = read_toml(folder / "model.toml")
        table.pop("training", None)
        kind = table.get("kind", card.KIND)
        if kind != card.KIND:
            raise ModelError(f"The model {folder.name!r} is of the kind {kind!r}; a {card.KIND} is needed.")
        return card(folder=folder, **table)
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"model.toml of {folder.name!r} cannot be used: {error}.") from error


def hash_of(folder: Path) -> str:
    """SHA-256 of model.onnx and, after it, of the file with its weights where they do not fit in one."""
    digest = hashlib.sha256()
    for part in sorted(folder.glob("model.onnx*")):
        with part.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    return digest.hexdigest()


def is_intact(card: ModelCard) -> bool:
    """Whether the model is the one that its card was written for, byte for byte."""
    try:
        return hash_of(card.folder) == card.sha256
    except OSError:
        return False
