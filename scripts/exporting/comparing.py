"""The finished model beside PyTorch: how near it came, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scripts.exporting.findings import Findings
from scripts.exporting.graph import GRAPH
from server.errors import ModelError
from server.inference.encoders import Embedder

Numbers = npt.NDArray[np.float32]


def agreement(made: Path, found: Findings, rows: Sequence[dict[str, Any]]) -> str:
    """How near the model in `made` is to PyTorch's `rows`; a `ModelError` where it gives no numbers."""
    if found.kind == "cross-encoder":
        return _agreement_of_logits(made, found, rows)
    ours = exported_vectors(made, [row["text"] for row in rows])
    theirs = np.array([row["vector"] for row in rows])
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    cosines = _finite(np.sum(ours * theirs, axis=1) / lengths)
    return f"Cosine to PyTorch's vectors of {len(rows)} texts: at least {cosines.min():.5f}."


def _agreement_of_logits(made: Path, found: Findings, rows: Sequence[dict[str, Any]]) -> str:
    ours = _finite(
        exported_logits(made, found.max_tokens, [(row["question"], row["passage"]) for row in rows])
    )
    theirs = np.array([row["logit"] for row in rows])
    return (
        f"Relevance of {len(rows)} pairs: at most {np.abs(ours - theirs).max():.5f} from PyTorch's, "
        f"which spreads from {theirs.min():.3f} to {theirs.max():.3f}."
    )


def exported_vectors(made: Path, texts: Sequence[str]) -> Numbers:
    """What the server's own embedder makes of the texts as passages, in one batch."""
    return Embedder(made).embed_passages(texts)


def exported_logits(
    made: Path, max_tokens: int, pairs: Sequence[tuple[str, str]], pad_id: int = 0
) -> Numbers:
    """The exported cross-encoder's logits, all pairs in one batch padded on the right with `pad_id`."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(made / "tokenizer.json"))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.enable_padding(pad_id=pad_id)
    encodings = tokenizer.encode_batch(list(pairs))
    feeds = {
        "input_ids": np.array([encoding.ids for encoding in encodings]),
        "attention_mask": np.array([encoding.attention_mask for encoding in encodings]),
        "token_type_ids": np.array([encoding.type_ids for encoding in encodings]),
    }
    session = onnxruntime.InferenceSession(made / GRAPH, providers=["CPUExecutionProvider"])
    wanted = {node.name: feeds[node.name] for node in session.get_inputs()}
    logits: Numbers = session.run(["relevance"], wanted)[0]
    return logits


def _finite(numbers: Numbers) -> Numbers:
    if not np.isfinite(numbers).all():
        raise ModelError("The exported model's outputs are not numbers; try another precision.")
    return numbers
