"""Model folders: the card, the session (the only import of onnxruntime), and texts as a model's input."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Encoding, Tokenizer

from server.errors import ModelError
from server.settings import cores
from server.toml_files import read_toml

FILES = ("model.toml", "model.onnx", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Model card: what `model.toml` says of every model. Its table `[training]` is for people."""

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

    `reads`: it also says where the answer starts and ends; `verdicts`: and what a passage says of a claim.
    `relevance` has the weights of its log-odds and of
    what else is known of a passage (ask/rerank.py); without them the model alone decides.
    """

    KIND: ClassVar[str] = "cross-encoder"

    reads: bool
    temperature: float
    bias: float
    relevance: Mapping[str, float] = field(default_factory=dict)
    verdicts: bool = False


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


def providers() -> list[str]:
    """CUDA where onnxruntime-gpu finds one, else the CPU."""
    found = ort.get_available_providers()
    return [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in found]


def has_gpu() -> bool:
    """Whether models run on a GPU, where batches pay."""
    return "CUDAExecutionProvider" in providers()


class OnnxSession:
    """A loaded model. Thread-safe: onnxruntime's `run` is, and nothing else here changes."""

    def __init__(self, card: ModelCard, threads: int) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads or cores()
        # A spinning thread starves DuckDB's and NumPy's on a two-core machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The arena keeps buffers for the next call, which new pages would slow down by a tenth; what it would
        # keep besides, a plan of them for each shape ever seen, grows with every question.
        options.enable_mem_pattern = False
        options.log_severity_level = 3
        try:
            self._session = ort.InferenceSession(card.folder / "model.onnx", options, providers=providers())
        except Exception as error:  # onnxruntime has one exception type a fault, in a private module
            raise ModelError(f"The model {card.name!r} cannot be loaded; export it again.") from error
        self._inputs = [node.name for node in self._session.get_inputs()]

    def run(self, feeds: Mapping[str, npt.NDArray[np.int64]]) -> Sequence[npt.NDArray[np.float32]]:
        """The model's outputs; feeds that the model has no input for are left out."""
        outputs: list[npt.NDArray[np.float32]] = self._session.run(
            None, {name: feeds[name] for name in self._inputs}
        )
        return outputs


class SmallOnnxModel:
    """A classifier of a vector, from a file of its own: one thread, on the CPU. Thread-safe.

    It takes rows of shape (n, dims), and its last output is the probabilities, of shape (n, classes).
    """

    def __init__(self, path: Path) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            self._input = self._session.get_inputs()[0].name
            self._output = self._session.get_outputs()[-1].name
        except Exception as error:  # onnxruntime has one exception type a fault, in a private module
            raise ModelError(f"{path.name} cannot be loaded.") from error

    def probabilities(self, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The probabilities of each row's classes; `ModelError` for rows of another width."""
        try:
            [found] = self._session.run([self._output], {self._input: rows})
        except Exception as error:
            raise ModelError(f"A classifier takes no vectors of {rows.shape[-1]} numbers.") from error
        probabilities: npt.NDArray[np.float32] = found
        return probabilities


Ids = npt.NDArray[np.int64]


def probabilities(logits: npt.NDArray[np.float32]) -> list[float]:
    """The logits of a choice, (choices,), as probabilities: softmax."""
    shares = np.exp(logits - logits.max())
    return [float(share) for share in shares / shares.sum()]


PAD_TOKENS = ("[PAD]", "<pad>")


def pad_id(tokenizer: Tokenizer) -> int:
    """The padding token's id; models of the RoBERTa family count positions by it, others mask it."""
    known = (tokenizer.token_to_id(token) for token in PAD_TOKENS)
    return next((id_ for id_ in known if id_ is not None), 0)


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Positions grouped so that (members × longest) stays within `budget`, shortest first; each alone where
    none other fits beside it."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[i] > budget:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def padded(encodings: Sequence[Encoding], pad: int) -> dict[str, Ids]:
    """A model's three inputs, each of shape (texts, longest); one that takes fewer ignores the rest."""
    width = max(len(encoding.ids) for encoding in encodings)
    ids = np.full((len(encodings), width), pad, dtype=np.int64)
    mask, types = np.zeros_like(ids), np.zeros_like(ids)
    for i, encoding in enumerate(encodings):
        length = len(encoding.ids)
        ids[i, :length], mask[i, :length], types[i, :length] = encoding.ids, 1, encoding.type_ids
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


class Model(Generic[Card]):
    """A model folder, opened; `ModelError` when it cannot be used. Thread-safe.

    A `late` one is loaded at its first use. Not so one whose file is not what its card says: whether that can
    be used is found out at once.
    """

    def __init__(self, folder: Path, card: type[Card], threads: int, *, late: bool = False) -> None:
        self.card = read_card(folder, card)
        self._threads = threads
        self._lock = Lock()
        self._loaded: OnnxSession | None = None
        if not late or not is_intact(self.card):
            self._session()
        self._tokenizer: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.card.max_tokens)
        self._pad = pad_id(self._tokenizer)

    def _session(self) -> OnnxSession:
        """The session, made for whoever needs it first."""
        with self._lock:
            if self._loaded is None:
                self._loaded = OnnxSession(self.card, self._threads)
            return self._loaded

    @property
    def name(self) -> str:
        """The model folder's name."""
        return self.card.name

    @property
    def sha256(self) -> str:
        """Of the model file, by the model's card."""
        return self.card.sha256
