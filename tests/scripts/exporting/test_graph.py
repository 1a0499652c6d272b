"""A model too large for one file keeps its weights in a second, through every step; here the limit is low."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scripts.exporting.comparing import exported_logits
from scripts.exporting.findings import Given, find
from scripts.exporting.graph import export_fp32, fuse, halve, name_relevance, quantise, store
from scripts.exporting.reference import PAIRS, reference_logits
from scripts.make_small_models import MOST_TOKENS, RERANKER, make_reranker
from tests.scripts.exporting.exporting_needs import needs_exporting

pytestmark = [needs_exporting, pytest.mark.filterwarnings("default")]

LIMIT = 1000


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_reranker(tmp_path_factory.mktemp("hub") / RERANKER)


@pytest.fixture(scope="module")
def large(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported graph with its weights beside it."""
    library = pytest.importorskip("onnx")
    work = tmp_path_factory.mktemp("work")
    for name in ("exported", "named", "split"):
        (work / name).mkdir()
    plain = export_fp32(source, find(source, [RERANKER], Given()), work / "exported")
    return store(library.load(name_relevance(plain, work / "named")), work / "split", LIMIT)


def shift(source: Path, graph: Path) -> float:
    """How far the graph's logits are from PyTorch's at most."""
    found = find(source, [RERANKER], Given())
    shutil.copy(source / "tokenizer.json", graph.parent)
    ours = exported_logits(graph.parent, MOST_TOKENS, PAIRS)
    return float(np.abs(ours - reference_logits(source, found, PAIRS)).max())


def test_weights_beyond_the_limit_go_into_a_second_file(source: Path, large: Path) -> None:
    assert large.stat().st_size < (large.parent / "model.onnx.data").stat().st_size
    assert shift(source, large) < 1e-4


@pytest.mark.parametrize(("step", "most"), [(quantise, 0.3), (halve, 1e-2)])
def test_the_next_step_reads_both_files(
    source: Path, large: Path, tmp_path: Path, step: Callable[[Path, Path], Path], most: float
) -> None:
    assert shift(source, step(large, tmp_path)) <= most


def test_fusing_reads_both_files(source: Path, large: Path, tmp_path: Path) -> None:
    fused = fuse(large, find(source, [RERANKER], Given()), tmp_path)
    assert b"SkipLayerNormalization" in fused.read_bytes()
    assert shift(source, fused) < 1e-4
