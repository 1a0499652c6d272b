from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from server.errors import ModelError
from server.inference.session import EmbedderCard, OnnxSession, providers, read_card
from server.settings import PROJECT, Settings

SHIPPED = Settings().models_dir / "minilm-l6-int8"


def test_a_model_file_that_is_none_is_an_error(folder: Path) -> None:
    with pytest.raises(ModelError, match="'small' cannot be loaded"):
        OnnxSession(read_card(folder, EmbedderCard), threads=1)


def test_the_cpu_is_always_there_and_cuda_goes_before_it() -> None:
    assert providers() in (["CPUExecutionProvider"], ["CUDAExecutionProvider", "CPUExecutionProvider"])


def test_feeds_that_the_model_has_no_input_for_are_left_out() -> None:
    session = OnnxSession(read_card(SHIPPED, EmbedderCard), threads=1)
    ids = np.array([[101, 102]], dtype=np.int64)
    names = ("input_ids", "attention_mask", "token_type_ids", "something_else")
    [hidden, *_] = session.run(dict.fromkeys(names, ids))
    assert hidden.shape == (1, 2, 384)


@pytest.mark.parametrize("first", ["server.inference.session", "scripts.exporting.graph"])
def test_onnxruntime_reports_to_nobody(first: str, tmp_path: Path) -> None:
    """Where it would, it makes itself a device id and a store of events in the home folder at once."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    program = f"import {first}, onnxruntime as o, sys; o.InferenceSession(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", program, str(SHIPPED / "model.onnx")],
        cwd=PROJECT,
        env=environ | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONPATH": str(PROJECT)},
        check=True,
    )
    assert list(tmp_path.iterdir()) == []
