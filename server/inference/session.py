"""One ONNX model on one provider: the only import of onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

from server.errors import ModelError
from server.inference.cards import ModelCard
from server.settings import cores


def providers() -> list[str]:
    """CUDA where onnxruntime-gpu finds one, else the CPU."""
    found = ort.get_available_providers()
    return [name for name in ("CUDAExecutionProvider", "CPUExecutionProvider") if name in found]


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
