"""`model.toml`: all that the server needs to know of a model, and where it comes from."""

from __future__ import annotations

import json
from typing import Any

from scripts.exporting.findings import Findings


def card_text(found: Findings, source: str, precision: str, sha256: str) -> str:
    """The card as TOML; a JSON string, number or truth value is a TOML one too."""
    rows: dict[str, Any] = {
        "kind": found.kind,
        "source": source,
        "licence": found.licence,
        "precision": precision,
        "sha256": sha256,
    } | (_of_embedder(found) if found.kind == "embedder" else _of_cross_encoder(found))
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in rows.items())


def _of_embedder(found: Findings) -> dict[str, Any]:
    return {
        "dims": found.dims,
        "pooling": found.pooling,
        "normalize": found.normalize,
        "max_tokens": found.max_tokens,
        "query_prefix": found.query_prefix,
        "passage_prefix": found.passage_prefix,
    }


def _of_cross_encoder(found: Findings) -> dict[str, Any]:
    """Not calibrated: relevance is probable by 1 / (1 + exp(-(logit - bias) / temperature))."""
    return {"max_tokens": found.max_tokens, "reads": False, "temperature": 1.0, "bias": 0.0}
