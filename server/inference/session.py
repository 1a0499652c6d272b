"""One ONNX model on one provider: the only import of onnxruntime."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

from server.errors import ModelError


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What `model.toml` says of a model: all the server needs to run one it has never seen."""

    folder: Path
    kind: str
    source: str
    licence: str
    precision: str
    sha256: str
    dims: int
    pooling: str
    normalize: bool
    max_tokens: int
    query_prefix: str
    passage_prefix: str

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @classmethod
    def read(cls, folder: Path) -> ModelCard:
        """The card in `folder`; a `ModelError` names what is missing or wrong."""
        missing = [
            name for name in ("model.toml", "model.onnx", "tokenizer.json") if not (folder / name).is_file()
        ]
        if missing:
            raise ModelError(
                f"The model {folder.name!r} is incomplete: {', '.join(missing)} not found in {folder}."
            )
        try:
            table = tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))
            return cls(folder=folder, **table)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, TypeError) as error:
            raise ModelError(f"model.toml of {folder.name!r} cannot be used: {error}.") from error


def providers() -> list[str]:
    """CUDA where onnxruntime-gpu finds one, else the CPU."""
    found = ort.get_available_providers()
    return [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in found]


class OnnxSession:
    """A loaded model. Thread-safe: onnxruntime's `run` is, and nothing else here changes."""

    def __init__(self, card: ModelCard, threads: int) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads or os.cpu_count() or 1
        # A spinning thread starves DuckDB's and NumPy's on a two-core machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False
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
